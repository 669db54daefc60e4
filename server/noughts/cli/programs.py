"""Options and limits of commands that run other people's programs, and how these are contained."""

from __future__ import annotations

from typing import Any

from noughts.cli.arguments import farm, seconds, whole
from noughts_client.bots.process import ProcessLimits
from noughts_client.bots.sandbox import MIB, Containment, probe, refusal

PATIENCE_S = 30.0
"""The time a program may think about a position."""

SECONDS = 600
MEMORY_MIB = 512

REFUSED = 2
"""The exit status of a bad request."""


def add_limits(command: Any, patience_s: float = PATIENCE_S) -> None:
    """Add the options of a command that asks a program about the positions of a game."""
    add = command.add_argument
    add("--game", help="such as breakthrough?size=6; noughts rules lists them (default: tictactoe)")
    add("--seconds", type=seconds(), default=SECONDS, metavar="N", help=f"stop after N seconds (default: {SECONDS})")
    add(
        "--patience",
        type=seconds(),
        default=patience_s,
        metavar="N",
        help=f"wait N seconds for each answer (default: {patience_s:g})",
    )
    add("--memory", dest="memory_mib", type=whole(), default=MEMORY_MIB, metavar="MiB", help=f"(default: {MEMORY_MIB})")
    add("--uncontained", action="store_true", help="run code that you trust even where it cannot be contained")


def add_farm(command: Any) -> None:
    """Add the option that gives the work to a farm."""
    command.add_argument(
        "--farm",
        type=farm,
        metavar="ADDRESS",
        help="have the workers of this scheduler of Dask do the work",
    )


def limits_of(options: dict[str, Any]) -> ProcessLimits:
    """The limits of a program that the options name."""
    return ProcessLimits(memory_bytes=options["memory_mib"] * MIB)


def containment(error: type[Exception], *, uncontained: bool) -> Containment | None:
    """The containment of programs. Raises ``error`` where they are not and nobody has said that this will do."""
    if uncontained:
        return None
    found = probe()
    if why := refusal(found):
        raise error(why)
    return found
