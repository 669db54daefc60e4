"""A line in the log when a game begins and when it ends, and the counts of both."""

from __future__ import annotations

import logging
from functools import partial

from noughts.gateway.feature import Feature
from noughts.gateway.server import Server
from noughts.host import GameOver, Host, RoomUpdate
from noughts.rooms import Joined, Opened, Player, Room

log = logging.getLogger(__name__)

BEGINS = "game %(room)s begins: %(game)s, %(first)s against %(second)s, %(terms)s"
ENDS = "game %(room)s ends: %(game)s, winner %(winner)s, by %(reason)s after %(moves)s moves, %(terms)s"


def feature(server: Server) -> Feature:
    """The log of games."""
    return Feature(updates=dict.fromkeys((Opened, Joined, GameOver), partial(note_game, server.host)))


def note_game(host: Host, update: RoomUpdate) -> None:
    """Count and log a game that begins or ends. Other nodes note their own."""
    room = update.room
    if not update.ours or room.first is None or room.second is None:  # nobody came
        return
    if room.outcome is None:
        host.monitor.begun[room.game.key] += 1
    else:
        host.monitor.ended[room.game.key, room.outcome.reason] += 1
    if log.isEnabledFor(logging.INFO):
        fields = _fields(host, room, room.first, room.second)
        words = fields | {"terms": "rated" if room.rated else "not rated"}
        log.info(BEGINS if room.outcome is None else ENDS, words, extra={"fields": fields})


def _fields(host: Host, room: Room, first: Player, second: Player) -> dict[str, object]:
    """The fields of the lines."""
    fields: dict[str, object] = {
        "room": host.log_name(room.id),
        "game": room.game.key,
        "first": first.id,
        "second": second.id,
        "rated": room.rated,
    }
    if room.outcome is not None:
        winner = None if room.outcome.winner is None else room.seat(room.outcome.winner)
        fields["winner"] = "nobody" if winner is None else winner.id
        fields |= {"reason": room.outcome.reason, "moves": len(room.plies)}
    return fields
