"""``noughts`` with a flaw, named by the first argument: the controls of the fault runner, which must find each out."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace

from noughts import app
from noughts.bus import Appended, Hint
from noughts.cli import main
from noughts.gateway.presence import Presence
from noughts.host import Host, RoomUpdate
from noughts.host.heartbeat import Heartbeat
from noughts.host.live_room import LiveRoom
from noughts.journal import Append, GameResult, Journal, PostgresJournal, Seek, StoredRating
from noughts.journal.postgres import append, connect
from noughts.journal.postgres.seeks import PostgresSeeks
from noughts.mqtt import bus
from noughts.mqtt.signer import Seal
from noughts.protocol import from_record
from noughts.ratings import rules, updates
from noughts.rooms import Refused, Room, evolve, room

COMMIT_DELAY_S = 0.05
PAIRING_DELAY_S = 0.2


class EarlyJournal(PostgresJournal):
    """Says that a write is stored, and stores it a little later if it can."""

    async def append(self, write: Append) -> bool:
        asyncio.get_running_loop().call_later(COMMIT_DELAY_S, self._store, write)
        return True

    def _store(self, write: Append) -> None:
        task = asyncio.create_task(super().append(write))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())


class HastyHost(Host):
    """Does not ask the journal before it refuses."""

    async def _catch_up(self, live: LiveRoom) -> list[bytes]:
        refusing = isinstance(sys.exc_info()[1], Refused)
        return [] if refusing else await super()._catch_up(live)


class TrustingHost(Host):
    """Takes what comes on the bus for what happened next, whatever its version."""

    def on_hint(self, message: Hint) -> None:
        live = self._rooms.get(message.room) if isinstance(message, Appended) else None
        if live is not None and live.room is not None and isinstance(message, Appended):
            event = from_record(message.record)
            self.publish(live.take(event, evolve(live.room, event)))


class BrokenSeal(Seal):
    """Opens whatever comes, as if it had been sealed by a node."""

    def open(self, topic: str, sealed: bytes) -> tuple[Hint | None, str, int]:
        body = sealed[16:]
        return super().open(topic, self._tag(topic, body) + body)


def early() -> None:
    """What is acknowledged is committed a little later."""

    async def open_journal(where: str, password: str | None = None) -> Journal:
        return await EarlyJournal.open(where, password)

    app.open_journal = open_journal


def hasty() -> None:
    """A node refuses by what it has heard, without a look into the journal."""
    vars(app)["Host"] = HastyHost


def unsynced() -> None:
    """What is acknowledged is not on the disk yet."""
    connect.SESSION["synchronous_commit"] = "off"


def charging() -> None:
    """Players are charged with the time in which no node was there."""

    async def outages_since(self: Heartbeat, at: int) -> tuple[tuple[int, int], ...]:
        return ()

    Heartbeat.outages_since = outages_since  # type: ignore[method-assign]


def hurried() -> None:
    """A flag falls a second early, while a move that was in time may be on its way."""
    vars(room)["LAG_MS"] = 0


def forgetful() -> None:
    """Who comes back is still taken to be gone."""

    def arrived(self: Presence, room: Room, player: str) -> None:
        pass

    def on_update(self: Presence, update: RoomUpdate) -> None:
        pass

    Presence.arrived = arrived  # type: ignore[method-assign]
    Presence.on_update = on_update  # type: ignore[method-assign]


def blind() -> None:
    """Two are paired without another look whether they still wait."""
    still_waiting = "seeks.room IS NULL AND until > $25::bigint"
    assert still_waiting in append.PAIR
    append.PAIR = append.PAIR.replace(still_waiting, "$25::bigint > 0")
    stored_pair = PostgresSeeks.pair

    async def pair(self: PostgresSeeks, one: Seek, other: Seek, write: Append) -> bool:
        await asyncio.sleep(PAIRING_DELAY_S)
        return await stored_pair(self, one, other, write)

    PostgresSeeks.pair = pair  # type: ignore[method-assign]


def twice() -> None:
    """Each rated game counts twice."""

    def after_game(finished: GameResult, *before: StoredRating | None) -> tuple[StoredRating | None, ...]:
        once = rules.after_game(finished, *before)
        again = rules.after_game(finished, *once)
        return tuple(two and one and replace(two, games=one.games) for one, two in zip(once, again, strict=True))

    vars(updates)["after_game"] = after_game


def trusting() -> None:
    """What comes on the bus is taken without a look at its version."""
    vars(app)["Host"] = TrustingHost


def unsealed() -> None:
    """What comes on the bus is believed, whoever has sent it."""
    vars(bus)["Seal"] = BrokenSeal


FLAWS: dict[str, Callable[[], None]] = {
    "early": early,
    "unsynced": unsynced,
    "hasty": hasty,
    "charging": charging,
    "hurried": hurried,
    "forgetful": forgetful,
    "blind": blind,
    "twice": twice,
    "trusting": trusting,
    "unsealed": unsealed,
}

if __name__ == "__main__":
    FLAWS[sys.argv.pop(1)]()
    main()
