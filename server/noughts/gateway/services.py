"""What the handlers of requests may use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from noughts.config import Settings
from noughts.gateway.analyses import Analyses
from noughts.gateway.bans import AddressBans
from noughts.gateway.chat import Chat
from noughts.gateway.costs import Costs
from noughts.gateway.invitations import Invitations
from noughts.gateway.limits import TokenBuckets
from noughts.gateway.lobby import Lobby
from noughts.gateway.lost_time import LostTime
from noughts.gateway.matchmaking import Matchmaker
from noughts.gateway.open_rooms import OpenRooms
from noughts.gateway.presence import Presence
from noughts.gateway.registry import SessionRegistry
from noughts.gateway.reviews import Reviews
from noughts.gateway.spectators import Spectators
from noughts.gateway.subscribers import Subscribers
from noughts.gateway.tasks import Tasks
from noughts.gateway.traces import Traces
from noughts.gateway.views import Views
from noughts.gateway.work import Work
from noughts.host import Host
from noughts.timing import Timing


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of the gateway. :mod:`noughts.app` makes them and connects them.

    ``time`` is the event loop's; ``facts`` is what ``welcome`` says of this server. ``codes`` limits wrong codes by
    address. ``opening_for_computers`` counts
    the rooms that each player is about to open in which only computers play.
    """

    settings: Settings
    facts: bytes
    timing: Timing
    time: Callable[[], float]
    host: Host
    tasks: Tasks
    work: Work
    costs: Costs
    open_rooms: OpenRooms
    subscribers: Subscribers
    spectators: Spectators
    presence: Presence
    views: Views
    lobby: Lobby
    analyses: Analyses
    reviews: Reviews
    traces: Traces
    chat: Chat
    matchmaker: Matchmaker
    sessions: SessionRegistry
    bans: AddressBans
    invitations: Invitations
    lost_time: LostTime
    codes: TokenBuckets
    opening_for_computers: Counter[str] = field(default_factory=Counter)
