"""The fields of requests: text without control characters, numbers with bounds, clocks."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from noughts.protocol.words import DAY_S, MOST_DAYS

# No control or format characters (NUL, bidirectional overrides, zero-width) and no blank at either end.
_SHOWN = r"^[^\p{C}\p{Z}]([^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$"
TEXT = r"^[^\p{C}\p{Zl}\p{Zp}]*$"
"""Text of one line."""

_LINES = r"^([^\p{C}\p{Zl}\p{Zp}]|[\n\t])*$"

Name = Annotated[str, Field(pattern=_SHOWN, max_length=32)]
Text = Annotated[str, Field(pattern=TEXT, max_length=64)]
RequestId = Annotated[int, Field(ge=-(2**53), le=2**53)] | Text


def _short(note: str) -> str:
    if len(note.encode()) > NOTE_BYTES:
        raise ValueError(f"at most {NOTE_BYTES} bytes of UTF-8")
    return note


NOTE_BYTES = 1024
"""The longest note that a bot may add to a move, in bytes of UTF-8."""

REPLAYED = 1000
"""The most moves that can be replayed: more than any of the server's own games has."""

Note = Annotated[str, Field(pattern=_LINES, min_length=1, max_length=NOTE_BYTES), AfterValidator(_short)]
Link = Annotated[str, Field(pattern=r"^https?://[!-~]+$", max_length=200)]
Line = Annotated[str, Field(pattern=_SHOWN, max_length=280)]

_Choice = int | Annotated[float, Field(allow_inf_nan=False)] | Annotated[str, Field(pattern=TEXT, max_length=200)]
Setup = Annotated[dict[Text, _Choice], Field(max_length=16)]

POSITION_CHARACTERS = 500
"""The longest text of a position: twice as long as any game's own start."""

PositionText = Annotated[str, Field(pattern=TEXT, max_length=POSITION_CHARACTERS)]
Moves = Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=REPLAYED)]


class Request(BaseModel):
    """Every request may have an ``id``, which its answer repeats."""

    # Most requests are only ever parsed as one of all, so their own validators are built when they are needed.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    id: RequestId | None = None


class FischerClock(BaseModel):
    """Seconds for the whole game, and seconds that each move adds."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    initial_s: Annotated[float, Field(ge=1, le=10_800, allow_inf_nan=False)]
    increment_s: Annotated[float, Field(ge=0, le=180, allow_inf_nan=False)]


def _per_move(seconds: float) -> float:
    if seconds > 3600 and seconds % DAY_S:
        raise ValueError(f"each move has 1 to 3600 seconds, or 1 to {MOST_DAYS} whole days")
    return seconds


class PerMoveClock(BaseModel):
    """Seconds for each move: up to an hour, or whole days of 86400."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    per_move_s: Annotated[float, Field(ge=1, le=MOST_DAYS * DAY_S, allow_inf_nan=False), AfterValidator(_per_move)]
