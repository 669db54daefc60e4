"""The client library of Noughts: a connection that resumes, and a kit for bots. See docs/bots.md."""

from noughts_client.bot import Bot, Result, finish, meet, play, run
from noughts_client.connection import Connection, ConnectionChange, Gone, Pushed
from noughts_client.handshake import ConnectionLost, RequestError, backoff

__all__ = [
    "Bot",
    "Connection",
    "ConnectionChange",
    "ConnectionLost",
    "Gone",
    "Pushed",
    "RequestError",
    "Result",
    "backoff",
    "finish",
    "meet",
    "play",
    "run",
]
