"""Which rooms may be rated, and who may play in them. Pure; does no I/O."""

from __future__ import annotations

from noughts.rooms.errors import Refused
from noughts.rooms.events import Options, Player


def must_be_ratable(options: Options, first: Player | None, second: Player | None) -> None:
    """Raise :class:`Refused` for a rated room that does not qualify; None is an open seat."""
    if not options.rated:
        return
    if options.clock is None:
        raise Refused("not_allowed", "A rated game needs a clock.")
    if options.private:
        raise Refused("not_allowed", "A rated game cannot be private.")
    for player in (first, second):
        must_be_registered(options, player)
    if first is not None and second is not None and first.kind == second.kind == "computer":
        raise Refused("not_allowed", "A rated game needs at least one player who is not the computer.")


def must_be_registered(options: Options, player: Player | None) -> None:
    """Raise :class:`Refused` for a guest in a rated room, who could come back under another name."""
    if options.rated and player is not None and player.kind != "computer" and not player.registered:
        raise Refused("not_allowed", "Only registered players can play rated games. Register your name first.")
