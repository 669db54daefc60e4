"""Where students lost their games, by the review of ``noughts league review`` as far as there is time for it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import aclosing
from itertools import zip_longest

from noughts.classes.gradebook import lost_side
from noughts.engine.review import MISTAKES
from noughts.explain.review import GameExplainer
from noughts.games import Side
from noughts.league.records import LeagueRecord, Record
from noughts.league.review import room_of
from noughts_client.terminal.review import mark_in_words, worth_in_words
from noughts_client.terminal.text import printable

SECONDS = 60.0
"""For the games of a class."""

GAME_S = 6.0
"""For one game, as nobody needs the review of its beginning."""

POSITION_S = 1.0

NONE_FOUND = "No mistake was found with at most {seconds:.3g} s a position. noughts league review {game} may find one."

Found = dict[int, Sequence[str]]
"""What is known of lost games, by number, in lines. A game that is not there was not reviewed."""


async def review(
    league: LeagueRecord, records: Sequence[Record], students: Sequence[str], found: Found, seconds: float = SECONDS
) -> None:
    """Fill ``found`` with the last mistakes of those of ``students`` who lost on the board, for about ``seconds``.

    The first lost game of each student is reviewed before the second of anybody.
    """
    until = time.monotonic() + seconds
    lost = [
        [each for each in records if each["failure"] is None and (side := lost_side(each)) and each[side] == student]
        for student in students
    ]
    for record in (each for turn in zip_longest(*lost) for each in turn if each is not None):
        if (left := until - time.monotonic()) <= 0:
            return
        lines = await _last_mistake(league, record, min(left, GAME_S))
        if lines is not None:
            found[record["game"]] = lines


async def _last_mistake(league: LeagueRecord, record: Record, seconds: float) -> Sequence[str] | None:
    """The last move with which the loser threw something away, in lines.

    None if the board did not end the game, or if there was no time for it.
    """
    room = room_of(league, record)
    if room.position.outcome is None:
        return None
    until = time.monotonic() + seconds
    side = lost_side(record)
    assert side is not None
    explainer = GameExplainer(room, min(POSITION_S, seconds), begins=len(record["opening"]))
    async with aclosing(explainer.review()) as reviews:  # type: ignore[type-var]
        async for reviewed in reviews:
            move = reviewed["moves"][0] if reviewed["moves"] else None
            if move is not None and move["side"] == side and move["mark"] in MISTAKES:
                who = f"{room.game.style(Side(side)).name} {printable(move['move'])}"
                better = ""
                if "better" in move:
                    named = printable(move["better"]["move"])
                    better = f"; better: {named} ({worth_in_words(move['better']['worth'])})"
                before = ",".join(record["moves"][: move["ply"]])
                return (
                    f"Move {move['ply'] + 1}, {who}: {mark_in_words(move)}{better}.",
                    f"All moves there:  noughts solve {room.game.key}{f' --moves {before}' if before else ''}",
                )
            if time.monotonic() > until:
                return None
    return (NONE_FOUND.format(seconds=min(POSITION_S, seconds), game=record["game"]),)
