"""Public tournaments over a real broker: their standings are retained while they go on, and cleared later."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from noughts.bus import MemoryBus
from noughts.host import Host
from noughts.journal import SqliteJournal, TournamentRow
from noughts.mqtt.link import Link
from noughts.mqtt.standings import PublicStandings
from noughts.protocol.tournament_records import to_record
from noughts.tournaments.events import FIRST_WINS, Finish
from support.broker import Broker
from support.mqtt import FAST, Screen, screen
from support.tournaments import ORGANISER, Played, terms

pytestmark = pytest.mark.services

TOPIC = "noughts/v1/tournaments/t-1"


@asynccontextmanager
async def publishing(broker: Broker, journal: SqliteJournal, *, linger_s: float = 60) -> AsyncIterator[None]:
    """A node that publishes the journal's tournaments."""
    timing = replace(FAST, standings_linger_s=linger_s)
    async with Link(f"mqtt://localhost:{broker.port}", node="node", timing=timing) as link:
        host = Host(journal, MemoryBus("node"))
        standings = PublicStandings(host, link, timing)
        link.on_connect.append(standings.on_connect)
        link.on_disconnect.append(standings.on_disconnect)
        running = asyncio.create_task(standings.run())
        try:
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            await host.close()


async def store(journal: SqliteJournal, played: Played, since: int = 0) -> int:
    """Store the events after the first ``since``; how many there are now."""
    now = played.tournament
    for number, event in enumerate(played.events[since:], since + 1):
        row = TournamentRow("t-1", ORGANISER, now.status, not now.terms.private, b'{"tournament":"t-1"}')
        assert await journal.tournaments.append(row, number, to_record(event))
    return len(played.events)


def shown(seen: Screen, topic: str = TOPIC) -> Any:
    return json.loads(seen.now.get(topic, b"{}"))


async def test_the_standings_are_retained_and_cleared_after_the_end(broker: Broker, tmp_path: Path) -> None:
    journal = await SqliteJournal.open(tmp_path / "journal")
    played = Played(terms(), "AB")
    played.now = journal.now()
    count = await store(journal, played)
    async with publishing(broker, journal, linger_s=1), screen(broker.port) as seen:
        await seen.until(lambda: shown(seen).get("version") == count)
        assert shown(seen)["type"] == "tournament"
        played.pair()
        played.play(lambda _: FIRST_WINS)
        count = await store(journal, played, count)
        await seen.until(lambda: shown(seen).get("version") == count)
        assert [row["points"] for row in shown(seen)["standings"]] == [1, 0]
        await seen.until(lambda: shown(seen, "noughts/v1/tournaments")["tournaments"] == [{"tournament": "t-1"}])
        played.do(Finish(ORGANISER))
        await store(journal, played, count)
        await seen.until(lambda: shown(seen).get("tournament", {}).get("status") == "finished")
        await seen.until(lambda: TOPIC not in seen.now)
    await journal.close()


async def test_what_somebody_else_retains_is_put_right(broker: Broker, tmp_path: Path) -> None:
    journal = await SqliteJournal.open(tmp_path / "journal")
    count = await store(journal, Played(terms(), "AB"))
    async with screen(broker.port) as seen:
        await seen.publish("noughts/v1/tournaments/gone", b'{"version":5}', retain=True)
        await seen.until(lambda: "noughts/v1/tournaments/gone" in seen.now)
        async with publishing(broker, journal):
            await seen.until(lambda: "noughts/v1/tournaments/gone" not in seen.now)
            await seen.until(lambda: shown(seen).get("version") == count)
            await seen.publish(TOPIC, b'{"version":99}', retain=True)
            await seen.until(lambda: shown(seen).get("version") == 99)
            await seen.until(lambda: shown(seen).get("version") == count)
    await journal.close()


async def test_a_private_tournament_is_not_published(broker: Broker, tmp_path: Path) -> None:
    journal = await SqliteJournal.open(tmp_path / "journal")
    await store(journal, Played(terms(private=True), "AB"))
    async with publishing(broker, journal), screen(broker.port) as seen:
        await seen.until(lambda: "noughts/v1/tournaments" in seen.now)
        await asyncio.sleep(0.5)
        await seen.until(lambda: TOPIC not in seen.now)  # nor what an earlier server had published
        assert shown(seen, "noughts/v1/tournaments")["tournaments"] == []
    await journal.close()
