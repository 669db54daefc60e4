"""Public tournaments published by MQTT: a list, and the standings of each, for dashboards. See docs/mqtt.md.

As with rooms, the leading node publishes, the journal says what should be published, and the broker what is.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from pydantic_core import from_json, to_json

from noughts.gateway.feature import Feature
from noughts.gateway.server import Server
from noughts.host import Host
from noughts.journal import JournalError
from noughts.mqtt.link import Link
from noughts.mqtt.retained import RetainedTopics
from noughts.players.ids import log_name
from noughts.protocol.records import UnknownRecord
from noughts.protocol.tournament_records import from_record
from noughts.protocol.tournament_view import tournament_fields
from noughts.timing import Timing
from noughts.tournaments.evolve import evolve
from noughts.tournaments.tournament import Tournament

log = logging.getLogger(__name__)

LISTED = 100
"""The number of tournaments that are listed, and shown at once; those under way come first."""

_LIST = "tournaments"
_ONE = "tournaments/{}"


def feature(server: Server, link: Link) -> Feature:
    """The standings of public tournaments, for everybody who may read the broker's topics."""
    standings = PublicStandings(server.host, link, server.timing)
    link.on_connect.append(standings.on_connect)
    link.on_disconnect.append(standings.on_disconnect)
    return Feature(loops=(standings.run,))


class PublicStandings:
    """Publishes the public tournaments of ``host``'s journal over ``link``, while this node leads."""

    def __init__(self, host: Host, link: Link, timing: Timing = Timing()) -> None:
        self._journal = host.journal
        self._link = link
        self._interval_s, self._linger_ms = timing.view_interval_s, 1000 * timing.standings_linger_s
        # There are few topics, so that the node can hear of its own writes.
        self._retained = RetainedTopics(link, {f"{_LIST}/#": None}, lambda _topic, _payload: None, timing)
        self._leading = False
        self._shown: dict[str, Tournament] = {}
        self._unreadable: set[str] = set()

    async def run(self) -> None:
        """Publish for ever."""
        while True:
            try:
                await self._look()
            except JournalError:
                self._stop()  # a node that reaches the journal may lead
            await asyncio.sleep(self._interval_s)

    def on_connect(self) -> None:
        """Learn afresh what the broker retains."""
        self._retained.on_connect()

    def on_disconnect(self) -> None:
        """The last that was published may not have arrived."""
        self._retained.on_disconnect()

    async def _look(self) -> None:
        """Publish what has changed. Raises JournalError."""
        leading = self._link.connected and await self._journal.lead()
        if leading and not self._leading:
            self._leading = True
            self._retained.open()
        elif not leading:
            self._stop()
        if not self._retained.settled:
            return
        listed = await self._journal.tournaments.listed(LISTED)
        versions = await self._journal.tournaments.unfinished()
        doubtful = {topic.partition("/")[2] for topic in self._retained.doubtful()}
        self._retained.put(_LIST, b'{"type":"tournaments","tournaments":[%b]}' % b",".join(listed))
        public = {from_json(each)["tournament"] for each in listed}
        for tournament in public & versions.keys() | self._shown.keys() | doubtful - {""}:
            shown = self._shown.get(tournament)
            if shown is None or tournament in doubtful or self._has_changed(shown, versions):
                with suppress(UnknownRecord):
                    await self._publish(tournament)

    def _has_changed(self, shown: Tournament, versions: dict[str, int]) -> bool:
        return versions.get(shown.id, 0) != shown.version if shown.status != "finished" else self._is_old(shown)

    def _is_old(self, now: Tournament) -> bool:
        return now.status == "finished" and now.finished_at <= self._journal.now() - self._linger_ms

    async def _publish(self, tournament: str) -> None:
        """Have the broker retain the standings, or nothing. Raises JournalError and UnknownRecord."""
        now = self._shown.pop(tournament, None)
        if tournament not in self._unreadable:
            try:
                for record in await self._journal.tournaments.read(tournament, now.version if now else 0):
                    now = evolve(now, from_record(record))
            except UnknownRecord as error:  # a newer node wrote it
                self._unreadable.add(tournament)
                log.warning("cannot publish tournament %s: %s", log_name(self._journal.secret, tournament), error)
                raise
        if now is None or now.terms.private or self._is_old(now):
            self._retained.put(_ONE.format(tournament), b"")
            return
        fields = await asyncio.to_thread(tournament_fields, now)  # hundreds of players take milliseconds
        self._shown[tournament] = now
        self._retained.put(_ONE.format(tournament), to_json({"type": "tournament", **fields}))

    def _stop(self) -> None:
        if self._leading:
            self._leading = False
            self._retained.close()
            self._shown.clear()
            self._unreadable.clear()
