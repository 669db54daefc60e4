"""The name of a server, its news, and what its operator announces, as a line. Pure; does no I/O."""

from __future__ import annotations

from noughts.columns import printable
from noughts.protocol.messages import AnnouncementInfo, GameInfo, Welcome


def greeting(welcome: Welcome) -> str:
    """The server's name and news, and its last announcement; empty if it has none of these."""
    server = welcome.get("server", {})
    announced = welcome.get("announcement")
    parts = [server.get("name", ""), server.get("news", ""), "" if announced is None else announcement(announced)]
    return printable("  ".join(filter(None, parts)))


def announcement(announced: AnnouncementInfo) -> str:
    """The part of an announcement that is shown."""
    return printable(f"The operator: {announced['text']}")


def offered_games(welcome: Welcome) -> list[GameInfo]:
    """The games that can be opened at the server."""
    offered = welcome.get("offered")
    return [game for game in welcome["games"] if offered is None or game["key"] in offered]
