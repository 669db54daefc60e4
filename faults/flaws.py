"""Controls: ``noughts`` with the flaw that the first argument names. The fault runner must detect each."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable
from dataclasses import replace

from noughts import app, opening
from noughts.bus import Appended, Hint
from noughts.cli.main import main
from noughts.gateway.presence import Presence
from noughts.host import Host, RoomUpdate
from noughts.host.heartbeat import Heartbeat
from noughts.host.live_room import LiveRoom, QueuedCommand
from noughts.journal import Append, GameResult, Journal, Seek, StoredRating
from noughts.journal.postgres import append, connect
from noughts.journal.postgres.journal import PostgresJournal
from noughts.journal.postgres.seeks import SeekWriter
from noughts.mqtt import bus
from noughts.mqtt.signer import Signer
from noughts.protocol.records import from_record
from noughts.ratings import rules, updates
from noughts.rooms import Room, evolve, room

COMMIT_DELAY_S = 0.05
FIRST_MOVE = 3
PAIRING_DELAY_S = 0.2


class EarlyJournal(PostgresJournal):
    """Reports a move as stored, and stores it a little later."""

    def put(self, write: Append, done: Callable[[bool | Exception], None]) -> None:
        if write.version < FIRST_MOVE:  # or the opponent, on another node, would not find the room
            super().put(write, done)
            return
        loop = asyncio.get_running_loop()
        loop.call_soon(done, True)
        loop.call_later(COMMIT_DELAY_S, super().put, write, lambda _: None)


class HastyHost(Host):
    """Refuses without reading the journal first."""

    def _decide(self, live: LiveRoom, item: QueuedCommand, now: int | None = None, *, asked: bool = False) -> None:
        item.fresh = True
        super()._decide(live, item, now, asked=asked)


class TrustingHost(Host):
    """Applies every event from the bus, whatever its version."""

    def on_hint(self, message: Hint) -> None:
        live = self._rooms.get(message.room) if isinstance(message, Appended) else None
        if live is not None and live.room is not None and isinstance(message, Appended):
            event = from_record(message.record)
            self.publish(live.advance(RoomUpdate(event, evolve(live.room, event))))


class BrokenSigner(Signer):
    """Accepts every message, as if a node had signed it."""

    def verify(self, topic: str, signed: bytes) -> tuple[list[Hint], str, int]:
        body = signed[16:]
        return super().verify(topic, self._tag(topic, body) + body)


def early_acknowledgement() -> None:
    """Moves are acknowledged before they are committed."""

    async def open_journal(
        where: str, password: str | None = None, node: str | None = None, *, migrate_anyway: bool = False
    ) -> Journal:
        return await EarlyJournal.open(where, password, node=node, migrate_anyway=migrate_anyway)

    opening.open_journal = open_journal


def unread_refusal() -> None:
    """Requests are refused without reading the journal first."""
    vars(app)["Host"] = HastyHost


def unsynced_commit() -> None:
    """Moves are acknowledged before they are on disk."""
    connect.SESSION["synchronous_commit"] = "off"


def charged_outage() -> None:
    """Clocks run during outages of all nodes."""

    def outages_since(self: Heartbeat, at: int) -> tuple[tuple[int, int], ...]:
        return ()

    Heartbeat.outages_since = outages_since  # type: ignore[method-assign]


def early_flag() -> None:
    """Flags fall a second early, before a move that was in time can arrive."""
    vars(room)["LAG_MS"] = 0


def ignored_return() -> None:
    """Returning players still count as away."""

    def arrived(self: Presence, room: Room, player: str) -> None:
        pass

    def on_update(self: Presence, update: RoomUpdate) -> None:
        pass

    Presence.arrived = arrived  # type: ignore[method-assign]
    Presence.on_update = on_update  # type: ignore[method-assign]


def double_pairing() -> None:
    """Two seeks are paired without checking that both are still open."""
    append.PAIR, found = re.subn(r"seeks\.room IS NULL AND until > (\$\d+::bigint)", r"\1 > 0", append.PAIR)
    assert found
    stored_pair = SeekWriter.pair

    async def pair(self: SeekWriter, one: Seek, other: Seek, write: Append, now: int) -> bool:
        await asyncio.sleep(PAIRING_DELAY_S)
        return await stored_pair(self, one, other, write, now)

    SeekWriter.pair = pair  # type: ignore[method-assign]


def double_rating() -> None:
    """Rated games count twice."""

    def after_game(finished: GameResult, *before: StoredRating | None) -> tuple[StoredRating | None, ...]:
        once = rules.after_game(finished, *before)
        again = rules.after_game(finished, *once)
        return tuple(two and one and replace(two, games=one.games) for one, two in zip(once, again, strict=True))

    vars(updates)["after_game"] = after_game


def unchecked_version() -> None:
    """Events from the bus are applied without checking their version."""
    vars(app)["Host"] = TrustingHost


def unchecked_signature() -> None:
    """Messages on the bus are accepted without checking their signature."""
    vars(bus)["Signer"] = BrokenSigner


FLAWS: dict[str, Callable[[], None]] = {
    "early-acknowledgement": early_acknowledgement,
    "unsynced-commit": unsynced_commit,
    "unread-refusal": unread_refusal,
    "charged-outage": charged_outage,
    "early-flag": early_flag,
    "ignored-return": ignored_return,
    "double-pairing": double_pairing,
    "double-rating": double_rating,
    "unchecked-version": unchecked_version,
    "unchecked-signature": unchecked_signature,
}

if __name__ == "__main__":
    FLAWS[sys.argv.pop(1)]()
    main()
