"""Bots on the workers of a farm: whether one can contain them, and how they get there."""

from __future__ import annotations

from pathlib import Path

from noughts.farm import Unfit
from noughts_client.bots.copies import Copy, Packed
from noughts_client.bots.program import BotSpec, NoSuchProgram, command_program
from noughts_client.bots.sandbox import probe, refusal


def cannot_contain() -> str:
    """The reason why programs cannot be contained here; empty if they can. A requirement of a farm."""
    return refusal(probe()) or ""


def unpack(name: str, bot: Packed, folder: Path) -> tuple[BotSpec, Copy | None]:
    """Unpack a bot into ``folder``, which must not exist.

    Raises :class:`~noughts.farm.Unfit` if its program is not installed.
    """
    spec, copy = bot.unpack(folder)
    if spec.kind not in ("computer", "python") and copy is None:
        try:
            command_program(spec.target)
        except NoSuchProgram as error:
            raise Unfit(f"it lacks the program of {name}: {error}") from None
    return spec, copy
