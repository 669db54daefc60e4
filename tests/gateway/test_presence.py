"""Who counts as left, over a real host, for players without any connection."""

from __future__ import annotations

import asyncio

from noughts.gateway.audience import Audience
from noughts.gateway.presence import Presence
from noughts.host import Happening, Host
from noughts.journal import MemoryJournal
from noughts.rooms import Join, Open, Options, Player


async def test_who_never_looks_at_the_room_counts_as_left() -> None:
    """As when the connection ends before the answer to ``create`` or ``join``."""
    told: list[Happening] = []
    host = Host(MemoryJournal())
    presence = Presence(host, Audience(1, 1, lambda *_: None), away_s=0.01)
    host.watched = lambda _: True
    host.listeners += [told.append, presence.tell]
    host.finders.append(presence.found)
    ann, ben = Player("p-ann", "ann", "human"), Player("p-ben", "ben", "human")
    host.submit("room", Open("room", "tictactoe", "p-ann", ann, None, Options()), lambda _: None)
    await asyncio.sleep(0.1)
    assert [happening.event.kind for happening in told] == ["opened", "disconnected"]
    host.submit("room", Join(ben), lambda _: None)
    await asyncio.sleep(0.1)
    assert [happening.event.kind for happening in told][2:] == ["joined", "disconnected"]
    presence.close()
    host.release("room")
