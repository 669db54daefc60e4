"""The client library of Noughts: a connection that resumes, and a kit for bots. See docs/bots.md."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from noughts_client.bot import finish, meet, play, run, run_async
    from noughts_client.connection import Connection, ConnectionChange, Gone, Pushed
    from noughts_client.failure import BotError
    from noughts_client.handshake import ConnectionLost, RequestError, backoff
    from noughts_client.playing import Result
    from noughts_client.state import CLAIM_DRAW, Answer, Bot, BotState, NoPosition

_MODULES = {
    "Answer": "noughts_client.state",
    "Bot": "noughts_client.state",
    "BotError": "noughts_client.failure",
    "BotState": "noughts_client.state",
    "CLAIM_DRAW": "noughts_client.state",
    "Connection": "noughts_client.connection",
    "ConnectionChange": "noughts_client.connection",
    "ConnectionLost": "noughts_client.handshake",
    "Gone": "noughts_client.connection",
    "NoPosition": "noughts_client.state",
    "Pushed": "noughts_client.connection",
    "RequestError": "noughts_client.handshake",
    "Result": "noughts_client.playing",
    "backoff": "noughts_client.handshake",
    "finish": "noughts_client.bot",
    "meet": "noughts_client.bot",
    "play": "noughts_client.bot",
    "run": "noughts_client.bot",
    "run_async": "noughts_client.bot",
}
"""The module of each name. A name is imported when it is used: the process of a bot needs none of them, and starts five
times as fast without."""

__all__ = [
    "CLAIM_DRAW",
    "Answer",
    "Bot",
    "BotError",
    "BotState",
    "Connection",
    "ConnectionChange",
    "ConnectionLost",
    "Gone",
    "NoPosition",
    "Pushed",
    "RequestError",
    "Result",
    "backoff",
    "finish",
    "meet",
    "play",
    "run",
    "run_async",
]


def __getattr__(name: str) -> Any:
    """Import what ``from noughts_client import name`` asks for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
