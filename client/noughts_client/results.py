"""Results of games, and the lines that tell of them. Pure; does no I/O."""

from __future__ import annotations

from typing import Literal

from noughts.protocol.messages import OutcomeInfo, SideName, State, Welcome
from noughts.protocol.words import WORDS, Words, ending, has_result

Result = Literal["won", "lost", "drawn"]

SIDES: tuple[SideName, SideName] = ("first", "second")


def side_of(state: State, me: str) -> SideName | None:
    """The side of the player with the id ``me``; None without a seat."""
    for side in SIDES:
        seat = state["seats"][side]
        if seat is not None and seat["id"] == me:
            return side
    return None


def result_of(outcome: OutcomeInfo, state: State, me: str, words: Words = WORDS) -> Result | None:
    """The result for ``me``; None if the game was closed without one."""
    if outcome["winner"] is None:
        return "drawn" if has_result(None, outcome["reason"], words) else None
    return "won" if outcome["winner"] == side_of(state, me) else "lost"


def result_line(outcome: OutcomeInfo, state: State, me: str, *, room: str, side_name: str, words: Words = WORDS) -> str:
    """Such as ``Won as X against player-2, by a line, in room k3f9qzm2xw7ta``."""
    result = result_of(outcome, state, me, words)
    how = "Closed without a result" if result is None else result.capitalize()
    reason = "" if result is None else ending(outcome["reason"], words).get("how", "")
    return f"{how} as {side_name}{against(state, me)}{', ' * bool(reason)}{reason}, in room {room}"


def against(state: State, me: str) -> str:
    """The opponent, after a blank and ``against``; empty if nobody came."""
    for side in SIDES:
        seat = state["seats"][side]
        if seat is not None and seat["id"] != me:
            level = f" ({seat['id'].partition(':')[2]})" if seat["kind"] == "computer" else ""
            return f" against {seat['name']}{level}"
    return ""


def style(welcome: Welcome, game: str, side: SideName) -> tuple[str, str]:
    """The name of ``side`` in ``game``, and its character in ``rows``."""
    for info in welcome["games"]:
        if info["key"] == game:
            return info["sides"][side]["name"], info["sides"][side]["symbol"]
    return side, ""
