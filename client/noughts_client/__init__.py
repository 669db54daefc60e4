"""The client library of Noughts: a connection that resumes, and a kit for bots. See docs/bots.md."""

from noughts_client.bot import Bot, Result, meet, play, run
from noughts_client.connection import Connection
from noughts_client.dial import ConnectionLost, RequestError, backoff
from noughts_client.pushed import ConnectionChange, Gone, Pushed

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
    "meet",
    "play",
    "run",
]
