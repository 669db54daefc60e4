"""Requests about tournaments."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from noughts.protocol.fields import FischerClock, Name, PerMoveClock, Request, Setup, Text


class OpenTournament(Request):
    """Open a tournament. The same ``key`` from the same player returns the same tournament.

    ``rounds`` are those of Swiss, and in a round robin or a gauntlet how often two meet; an arena has ``minutes``
    instead, and a ladder, which is for registered bots and begins at once, a ``budget`` of games a day for each bot and
    for each address that bots come from. ``opponents`` of a gauntlet, whom everybody else meets, are registered names,
    ids or ``computer:LEVEL``. It starts after ``starts_in_s`` seconds, or when its organiser says so.
    """

    type: Literal["open_tournament"]
    name: Name
    format: Literal["round_robin", "swiss", "arena", "gauntlet", "ladder"]
    game: Text
    setup: Setup = {}
    clock: FischerClock | PerMoveClock
    rounds: Annotated[int, Field(ge=0, le=50)] = 0
    minutes: Annotated[int, Field(ge=0, le=720)] = 0
    rated: bool = False
    kinds: Literal["all", "people", "bots"] = "all"
    registered: bool = False
    private: bool = False
    opponents: Annotated[list[Text], Field(max_length=8)] = []
    starts_in_s: Annotated[float, Field(ge=1, le=2_592_000, allow_inf_nan=False)] | None = None
    first_move_s: Annotated[float, Field(ge=1, le=604_800, allow_inf_nan=False)] = 60
    most: Annotated[int, Field(ge=2, le=500)] = 256
    budget: Annotated[int, Field(ge=0, le=10_000)] = 0
    key: Text | None = None


class TournamentRequest(Request):
    """Enter a tournament, or as its organiser start, pause, resume or end it."""

    type: Literal["enter_tournament", "start_tournament", "pause_tournament", "resume_tournament", "end_tournament"]
    tournament: Text


class Withdraw(Request):
    """Take no further part in a tournament after the game under way; or as its organiser remove ``player``, who has
    that id, and loses the game under way."""

    type: Literal["withdraw"]
    tournament: Text
    player: Text | None = None


class AdjudicateGame(Request):
    """As the organiser of a tournament, decide a game: which side has won it, ``draw``, or ``none`` for nobody."""

    type: Literal["adjudicate"]
    tournament: Text
    room: Text
    result: Literal["first", "second", "draw", "none"]


class Tournaments(Request):
    """Get a list of at most ``limit`` tournaments: those under way, then those to enter, then those that ended last."""

    type: Literal["tournaments"]
    limit: Annotated[int, Field(ge=1, le=100)] = 100


class ShowTournament(Request):
    """Get a tournament's standings, and with ``watch`` hear of every change until it is asked for without.

    ``after``: leave out the first rows. With ``results`` each row has the player's results, for a cross table. With
    ``presence`` the organiser learns who is ``here``.
    """

    type: Literal["tournament"]
    tournament: Text
    watch: bool = False
    after: Annotated[int, Field(ge=0, le=10_000)] = 0
    results: bool = False
    presence: bool = False
