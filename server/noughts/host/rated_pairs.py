"""The limit of rated games between two players: not those that would let somebody farm ratings."""

from __future__ import annotations

from collections import deque

from pydantic_core import from_json

from noughts.host.retry import Retry
from noughts.host.seating import rated_request
from noughts.journal import Journal
from noughts.monitor import Monitor
from noughts.protocol.room_messages import Listing
from noughts.rooms import Command, Room, Unrated

WINDOW_MS = 24 * 3_600_000
"""Over which time the rated games of a pair are counted."""

PROMISED_MS = 20_000
"""The time a game counts on this node whether the journal shows it or not: longer than a write may take."""


class RatedPairs:
    """Decides for each pair, when the second of the two sits down, whether their game is rated.

    It is not if both have lately played from one public address, unless ``same_address`` is set, or if they have had
    ``limit`` rated games with each other in the last 24 hours, those under way included. 0 is no limit. A level of the
    computer is an opponent like any other.

    All nodes count what the journal holds. Two that seat the same pair within the same moment may allow a game more.
    """

    def __init__(self, journal: Journal, retry: Retry, monitor: Monitor) -> None:
        self.limit = 0
        self.same_address = False
        self._journal = journal
        self._retry = retry
        self._monitor = monitor
        self._promised: dict[frozenset[str], set[str]] = {}
        self._promises: deque[tuple[int, frozenset[str], str]] = deque()

    async def judge(self, before: Room | None, command: Command, origin: bytes) -> Unrated | None:
        """The reason why the game is not rated that begins with ``command``; None also if none begins that is to be.

        ``before`` is the room as it is, ``origin`` the sender's. Raises JournalError.
        """
        request = rated_request(before, command, self._journal.now())
        if request is None:
            return None
        player, begun = request
        await self.note(player, origin)
        return None if begun is None else await self.unrated_because(*begun, before=before)

    async def note(self, player: str, origin: bytes) -> None:
        """The player with this id asks for a rated game. See :class:`~noughts.journal.pairs.Pairs` for the origin.

        It is empty for an address that is not public or not known, which tells nothing. Raises JournalError.
        """
        if origin and not self.same_address:
            await self._retry.call(lambda: self._journal.pairs.note(player, origin))

    async def unrated_because(self, room: str, players: tuple[str, str], before: Room | None = None) -> Unrated | None:
        """The reason why the game of these two in ``room`` is not rated; None if it is, and then it counts from now on.

        ``players`` are ids, of which one at most is a computer's. ``before`` is the room that this is the rematch of.
        Raises JournalError.
        """
        people = [player for player in players if not player.startswith("computer:")]
        why: Unrated | None = None
        if len(people) == 2 and await self._at_one_address(people, before):
            why = "same_address"
            self._monitor.limit("rated_same_address", " and ".join(people), "did not rate a game")
        elif self.limit and await self._count(room, players, people) >= self.limit:
            why = "pair_limit"
            self._monitor.limit("rated_games_per_pair", " and ".join(players), "did not rate a game")
        elif self.limit:
            self._promise(frozenset(players), room)
        return why

    async def _at_one_address(self, people: list[str], before: Room | None) -> bool:
        if self.same_address:
            return False
        origins = await self._retry.call(lambda: self._journal.pairs.origins(people))
        if len(origins) < 2:  # one by MQTT, or the one who offered this rematch did so long ago
            return before is not None and before.unrated_because == "same_address"
        one, other = origins.values()
        return not one.isdisjoint(other)

    async def _count(self, room: str, players: tuple[str, str], people: list[str]) -> int:
        """The number of rated games the two have had. Nothing may wait between this and the promise of one more."""
        pairs, now = self._journal.pairs, self._journal.now()
        player, other = people[0], next(each for each in players if each != people[0])
        # In this order: a game that ends in between is seen twice, not missed.
        listings = await self._retry.call(lambda: pairs.playing(player, other if other in people else None))
        rated = set(await self._retry.call(lambda: pairs.rated(player, other, now - WINDOW_MS)))
        rated.update(listed["room"] for listed in map(_listing, listings) if _is_rated(listed, players))
        self._forget(now - PROMISED_MS)
        rated.update(self._promised.get(frozenset(players), ()))
        return len(rated - {room})

    def _promise(self, pair: frozenset[str], room: str) -> None:
        """Count the game in ``room``, which is about to begin."""
        rooms = self._promised.setdefault(pair, set())
        if room not in rooms:
            rooms.add(room)
            self._promises.append((self._journal.now(), pair, room))

    def _forget(self, before: int) -> None:
        """Forget the games promised before that time, which the journal has."""
        while self._promises and self._promises[0][0] < before:
            _, pair, room = self._promises.popleft()
            rooms = self._promised[pair]
            rooms.discard(room)
            if not rooms:
                del self._promised[pair]


def _listing(listing: bytes) -> Listing:
    listed: Listing = from_json(listing)
    return listed


def _is_rated(listed: Listing, players: tuple[str, str]) -> bool:
    ids = {seat["id"] for seat in (listed["seats"]["first"], listed["seats"]["second"]) if seat is not None}
    return listed["options"]["rated"] and ids == set(players)
