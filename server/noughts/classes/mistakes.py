"""The moves with which students lost their games, by the review of ``noughts league review`` as far as there is time
for it."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Sequence
from contextlib import aclosing
from itertools import zip_longest

from noughts.classes.gradebook import lost_side
from noughts.columns import printable
from noughts.engine import usable_engine_of
from noughts.engine.review import MISTAKES
from noughts.explain.explainer import GameExplainer
from noughts.games import Side
from noughts.games.catalogue import name_of
from noughts.league.finished import room_of
from noughts.league.plan import game_of
from noughts.league.records import LeagueRecord, Record
from noughts.protocol.render import words
from noughts_client.terminal.review import mark_in_words, worth_in_words

SECONDS = 60.0
"""For the games of a class."""

GAME_S = 6.0
"""For one game, if there is not time for more: nobody needs the review of its beginning."""

POSITION_S = 1.0

STEPS = 6
"""The least number of positions of a game that there is time for."""

LEFT_OUT = (
    "No mistake was found from move {ply} on; there was no time for the moves before it. "
    "noughts league review {game} may find one."
)

NONE_FOUND = "No mistake was found with at most {seconds:.3g} s a position. noughts league review {game} may find one."

Found = dict[int, Sequence[str]]
"""All that is known of lost games, by number, in lines. Without lines a game needs no review; an absent game had
none."""


async def review(
    league: LeagueRecord, records: Sequence[Record], students: Sequence[str], found: Found, seconds: float = SECONDS
) -> None:
    """Fill ``found`` with the last mistakes of those of ``students`` who lost on the board, for about ``seconds``.

    The first lost game of each student is reviewed before the second of anybody, and gets the same share of the time.
    What a game does not need is shared by the others.
    """
    lost: list[list[Record]] = [[] for _ in students]
    for record in records:
        side = lost_side(record)
        if record["failure"] is None and side is not None and record[side] in students:
            if room_of(league, record).position.outcome is None:
                found[record["game"]] = ()  # the clock decided it
            else:
                lost[students.index(record[side])].append(record)
    if not any(lost):
        return
    # Otherwise the first game would pay for the start of the engine.
    await asyncio.to_thread(usable_engine_of, game_of(league["game"]))
    until = time.monotonic() + seconds
    turns = [[each for each in turn if each is not None] for turn in zip_longest(*lost)]
    later = sum(map(len, turns))
    for turn in turns:
        for number, record in enumerate(turn):
            if (left := until - time.monotonic()) <= 0:
                return
            found[record["game"]] = await _last_mistake(league, record, share_of(left, len(turn) - number, later))
            later -= 1


def share_of(left: float, in_turn: int, in_all: int) -> float:
    """The seconds for the next of ``in_all`` games, ``in_turn`` of which have to get as much, of ``left`` seconds.

    It is an equal share of all games, but :data:`GAME_S` if there is so much for each in turn.
    """
    return max(left / in_all, min(GAME_S, left / in_turn))


async def _last_mistake(league: LeagueRecord, record: Record, seconds: float) -> Sequence[str]:
    """The last move with which the loser threw something away, in lines, or how far it was looked for in vain."""
    room = room_of(league, record)
    until = time.monotonic() + seconds
    side = lost_side(record)
    assert side is not None
    longest = min(POSITION_S, seconds / STEPS)
    explainer = GameExplainer(room, longest, begins=len(record["opening"]))
    async with aclosing(explainer.review()) as reviews:  # type: ignore[type-var]
        async for reviewed in reviews:
            move = reviewed["moves"][0] if reviewed["moves"] else None
            if move is not None and move["side"] == side and move["mark"] in MISTAKES:
                who = f"{room.game.style(Side(side)).name} {printable(move.get('name', move['move']))}"
                better = ""
                if "better" in move:
                    worth = move["better"]["worth"]
                    named = printable(worth.get("names", [move["better"]["move"]])[0])
                    better = f"; better: {named} ({worth_in_words(worth)})"
                before = ",".join(record["moves"][: move["ply"]])
                solve = f"noughts solve {shlex.quote(name_of(room.game))}{f' --moves {before}' if before else ''}"
                return (
                    f"Move {move['ply'] + 1}, {who}: {mark_in_words(move, words())}{better}.",
                    f"All moves there:  {solve}",
                )
            if time.monotonic() > until and not reviewed["complete"]:
                assert move is not None  # each step adds one, the last says that it is complete
                return (LEFT_OUT.format(ply=move["ply"] + 1, game=record["game"]),)
    return (NONE_FOUND.format(seconds=longest, game=record["game"]),)
