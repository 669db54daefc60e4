"""Who may play for a rating, and in what rooms. Pure; does no I/O."""

from __future__ import annotations

from noughts.rooms.errors import Refused
from noughts.rooms.events import Options, Player


def must_be_ratable(options: Options, first: Player | None, second: Player | None) -> None:
    """Raise :class:`Refused` for a rated room that cannot be one; None is an open seat."""
    if not options.rated:
        return
    if options.clock is None:
        raise Refused("not_allowed", "A rated game needs a clock.")
    if options.private:
        raise Refused("not_allowed", "A rated game is public.")
    for player in (first, second):
        must_be_registered(options, player)
    if first is not None and second is not None and first.kind == second.kind == "computer":
        raise Refused("not_allowed", "The computer's levels are not rated anew; somebody else has to play.")


def must_be_registered(options: Options, player: Player | None) -> None:
    """Raise :class:`Refused` for who sits down in a rated room and could come again as somebody else."""
    if options.rated and player is not None and player.kind != "computer" and not player.registered:
        raise Refused("not_allowed", "A rated game is for players with a registered name; register yours first.")
