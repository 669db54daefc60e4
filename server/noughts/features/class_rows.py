"""The students of a class, from what the journal and the nodes know of them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic_core import from_json

from noughts.bus import Doing
from noughts.gateway.replies import player_info
from noughts.journal import ClassMember, GameResult, GameUnderWay, StoredClass
from noughts.protocol.class_messages import PlayedGame, Student, StudentGame, StudentPlayer
from noughts.protocol.render import timestamp
from noughts.protocol.room_messages import Listing

FORM = 6
"""The most results in the form of a student, the last."""

GAMES = 3
"""The most games under way that are listed for a player."""


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is known of a class. ``members`` have or had a name; ``here`` are the ids of those who are connected.

    ``results`` come in the order of their ends, and ``reviewed`` are the rooms of those that have a review. ``plies``
    are the numbers of moves in the rooms at hand, ``solved`` the numbers of puzzles by player, and ``doing`` are those
    who ask for help or read a review.
    """

    of: StoredClass
    members: Sequence[ClassMember]
    here: Collection[str]
    under_way: Sequence[GameUnderWay]
    plies: Mapping[str, int]
    results: Sequence[GameResult]
    reviewed: Collection[str]
    solved: Mapping[str, int]
    doing: Mapping[str, Doing]


def students(facts: Facts) -> dict[str, Student]:
    """The students by name, in the order of the class. Games that are private count only within the class."""
    names = {one.player.id: one.entry for one in facts.members if one.left_at is None}
    by_entry: dict[tuple[str, bool], list[ClassMember]] = {}
    for one in facts.members:
        by_entry.setdefault((one.entry, one.bot), []).append(one)
    played = _by_player(facts.results, within(facts.of, facts.members))
    running = _running(facts, names)
    rows: dict[str, Student] = {}
    for entry in facts.of.entries:
        people, bots = by_entry.get((entry, False), []), by_entry.get((entry, True), [])
        row: Student = {"name": entry, "puzzles": sum(facts.solved.get(one.player.id, 0) for one in people)}
        if people:
            row["person"] = _player(facts, people, played, running)
        if bots:
            row["bot"] = _player(facts, bots, played, running)
        rows[entry] = row
    return rows


def played_by(facts: Facts, entry: str) -> list[PlayedGame]:
    """The games that were played under a name, the last first."""
    names = {one.player.id: one.entry for one in facts.members if one.left_at is None}
    played = _by_player(facts.results, within(facts.of, facts.members))
    found: list[tuple[GameResult, PlayedGame]] = []
    for one in facts.members:
        if one.entry != entry:
            continue
        for result, outcome in _under_name(one, played):
            other = result.second if result.first == one.player.id else result.first
            game: PlayedGame = {
                "room": result.room,
                "game": result.game,
                "ended_at": timestamp(result.ended_at),
                "opponent": other,
                "result": OUTCOMES[outcome],
            }
            if other in names:
                game["name"] = names[other]
            if one.bot:
                game["bot"] = True
            if result.room in facts.reviewed:
                game["reviewed"] = True
            found.append((result, game))
    found.sort(key=lambda each: (each[0].ended_at, each[0].room), reverse=True)
    return [game for _, game in found]


OUTCOMES: dict[str, Literal["won", "drawn", "lost"]] = {"1": "won", "=": "drawn", "0": "lost"}

_Played = Mapping[str, Sequence[tuple[GameResult, str]]]
"""By player, the games in their order, each with its outcome: ``1``, ``=`` or ``0``."""


def within(of: StoredClass, members: Iterable[ClassMember]) -> set[str]:
    """The ids of all who belong to a class, its organiser among them."""
    return {of.player, *(one.player.id for one in members)}


def _by_player(results: Iterable[GameResult], own: Collection[str]) -> _Played:
    played: dict[str, list[tuple[GameResult, str]]] = {}
    for result in results:
        if result.public or (result.first in own and result.second in own):
            for player, side in ((result.first, "first"), (result.second, "second")):
                outcome = "=" if result.winner is None else "1" if result.winner == side else "0"
                played.setdefault(player, []).append((result, outcome))
    return played


def _under_name(member: ClassMember, played: _Played) -> list[tuple[GameResult, str]]:
    """The games that ended while the member had the name."""
    return [
        (result, outcome)
        for result, outcome in played.get(member.player.id, ())
        if member.joined_at <= result.ended_at and (member.left_at is None or result.ended_at <= member.left_at)
    ]


def _running(facts: Facts, names: Mapping[str, str]) -> dict[str, list[StudentGame]]:
    """The games under way by player, those against computers last."""
    own = within(facts.of, facts.members)
    running: dict[str, list[StudentGame]] = {}
    for game in {one.room: one for one in facts.under_way}.values():
        listed: Listing = from_json(game.listing)
        seats = listed["seats"]
        for player, opponent in ((game.first, seats["second"]), (game.second, seats["first"])):
            if player is None:
                continue
            if listed["options"]["private"] and (opponent is None or opponent["id"] not in own):
                continue
            shown: StudentGame = {"room": game.room, "game": game.game}
            if opponent is None:
                shown["waiting"] = True
            else:
                shown["opponent"] = {"id": opponent["id"], "name": opponent["name"], "kind": opponent["kind"]}
                if opponent["id"] in names:
                    shown["name"] = names[opponent["id"]]
            if ply := facts.plies.get(game.room):
                shown["ply"] = ply
            running.setdefault(player, []).append(shown)
    for games in running.values():
        games.sort(key=_against_computer)
    return running


def _against_computer(game: StudentGame) -> bool:
    return "opponent" in game and game["opponent"]["kind"] == "computer"


def _player(
    facts: Facts, holders: Sequence[ClassMember], played: _Played, running: Mapping[str, list[StudentGame]]
) -> StudentPlayer:
    games = [each for one in holders for each in _under_name(one, played)]
    outcomes = [outcome for _, outcome in games]
    now = next((one.player for one in holders if one.left_at is None), None)
    shown: StudentPlayer = {
        "here": now is not None and now.id in facts.here,
        "games": [] if now is None else running.get(now.id, [])[:GAMES],
        "won": outcomes.count("1"),
        "drawn": outcomes.count("="),
        "lost": outcomes.count("0"),
        "form": "".join(outcomes[-FORM:]),
        "reviewed": sum(result.room in facts.reviewed for result, _ in games),
    }
    if now is not None:
        shown["player"] = player_info(now)
        if shown["here"] and (doing := facts.doing.get(now.id)) is not None:
            if doing.to == facts.of.id:
                shown["asks"] = True
            if doing.reads:
                shown["reads"] = True
    return shown
