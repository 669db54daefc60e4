"""The files of a league: what it was asked to play, and a record of each game. Pure; does no I/O."""

from __future__ import annotations

from typing import Literal

from pydantic import with_config
from typing_extensions import TypedDict

Format = Literal["round_robin", "swiss", "gauntlet"]
"""The formats of a league: those of tournaments that go by rounds."""

Side = Literal["first", "second"]
SIDES: tuple[Side, Side] = ("first", "second")


def other(side: Side) -> Side:
    """The side of the opponent."""
    return "second" if side == "first" else "first"


@with_config(extra="forbid")
class PlayerRecord(TypedDict):
    """A player of a league.

    ``spec`` is how the command line named it, without the name. ``sha256`` is of its program's file, in hex, and empty
    where there is none, as for a level of the computer.
    """

    name: str
    spec: str
    sha256: str


@with_config(extra="forbid")
class SprtRecord(TypedDict):
    """The hypotheses of a sequential test, in Elo, and its probabilities of error."""

    elo0: float
    elo1: float
    alpha: float
    beta: float


@with_config(extra="forbid")
class LeagueRecord(TypedDict):
    """The order of a league: ``league.json`` in its folder.

    ``players`` have different names, and are in the order of the command line. ``opponents`` are the names of those
    whom all others meet in a gauntlet, and empty elsewhere. ``clock`` is written as ``30s+0.3``. ``openings`` is the
    length of the openings in plies, and ``lines`` are the openings: round ``n`` plays ``lines[(n - 1) % len(lines)]``.
    ``server`` is the URL of a live server, None for the league's own. ``uncontained`` says whether bots may run without
    a sandbox.
    """

    version: Literal[2]
    game: str
    players: list[PlayerRecord]
    rounds: int
    format: Format
    opponents: list[str]
    seed: int
    clock: str
    openings: int
    lines: list[list[str]]
    sprt: SprtRecord | None
    memory_mib: int
    server: str | None
    uncontained: bool


@with_config(extra="forbid")
class FailureRecord(TypedDict):
    """A :class:`noughts_client.failure.Failure`, and the side whose bot failed."""

    side: Side
    kind: str
    message: str
    error: str
    traceback: str
    stderr: str
    line: str
    answer: str


class Times(TypedDict):
    """A number for each side."""

    first: float
    second: float


class Counts(TypedDict):
    """A count for each side."""

    first: int
    second: int


@with_config(extra="forbid")
class Record(TypedDict):
    """A game that is over: a line of ``games.jsonl``.

    ``game`` counts from 1 in the order of the schedule. The two games of a ``pair`` have the same ``opening`` and
    swapped seats. ``first`` and ``second`` are names. ``result`` is None if nobody can be held to have lost, as when
    neither bot starts. ``reason`` is the room's (``line``, ``count``, ``draw``, ``time``, ...) or, when a bot failed,
    the kind of failure (``crash``, ``illegal``, ...). ``moves`` begin with the opening, and ``notes`` are what bots
    said with their moves, by the number of moves before. ``room`` is its id on the server. ``started`` is in ISO 8601,
    UTC. ``seconds`` are what each bot thought in all, ``longest_s`` for one move, and ``moves_timed`` for
    how many: its moves, and a turn in which its time ran out, but no turn in which it failed otherwise.
    """

    game: int
    round: int
    pair: int
    opening: list[str]
    first: str
    second: str
    result: Literal["first", "second", "draw"] | None
    reason: str
    moves: list[str]
    notes: dict[int, str]
    room: str
    started: str
    seconds: Times
    moves_timed: Counts
    longest_s: Times
    failure: FailureRecord | None
