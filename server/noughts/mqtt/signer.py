"""The messages of the bus as bytes that only a node can have made.

A sealed message is a tag of 16 bytes, a line of JSON that says what it is, and what the message carries, as it is.
The tag is the HMAC-SHA256 of topic and message, cut to half: guessing one still takes 2 to the 128 tries, and who
guesses has to ask a node about each. A seal does not keep anything secret, nor an old message from being sent
again: what is told bears its time, and listeners believe the journal.
"""

from __future__ import annotations

import hmac
from typing import Annotated, NotRequired, assert_never

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import to_json
from typing_extensions import TypedDict

from noughts.bus.base import Altered, Appended, Drain, Hint, Listed, Missing, Paired, Present, Said, Watching

LONGEST = 64 * 1024
_TAG = 16

_Name = Annotated[str, Field(max_length=200)]


class _Head(TypedDict):
    kind: _Name
    by: _Name
    at: int
    room: NotRequired[_Name]
    version: NotRequired[Annotated[int, Field(ge=1)]]
    player: NotRequired[_Name]
    node: NotRequired[_Name]
    to: NotRequired[_Name]
    count: NotRequired[Annotated[int, Field(ge=0)]]
    asks: NotRequired[bool]


_HEAD = TypeAdapter(_Head)


class Rejected(Exception):
    """What came is not to be believed; the text says why, in a word or two."""


class Seal:
    """Seals and opens with a key that all nodes have: ``secret``, 32 random bytes, of which no other use is harmed."""

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, b"noughts bus 1", "sha256")

    def close(self, topic: str, message: Hint, by: str, at: int) -> bytes:
        """``message`` as the node ``by`` sends it to ``topic`` at ``at``, ms since the epoch."""
        kind, fields, content = _taken_apart(message)
        return self.close_raw(topic, {"kind": kind, "by": by, "at": at, **fields}, content)

    def close_raw(self, topic: str, head: dict[str, object], content: bytes = b"") -> bytes:
        """Any message, for a kind that nobody need understand."""
        body = to_json(head) + b"\n" + content
        return self._tag(topic, body) + body

    def open(self, topic: str, sealed: bytes) -> tuple[Hint | None, str, int]:
        """The message in ``sealed``, who sent it, and when. None for a kind that only a later version knows.

        Raises :class:`Rejected`.
        """
        if len(sealed) > LONGEST:
            raise Rejected("too long")
        tag, body = sealed[:_TAG], sealed[_TAG:]
        if not hmac.compare_digest(tag, self._tag(topic, body)):
            raise Rejected("forged")
        line, _, content = body.partition(b"\n")
        try:
            head = _HEAD.validate_json(line, strict=True)
            return _put_together(head, content), head["by"], head["at"]
        except (ValidationError, KeyError):
            raise Rejected("malformed") from None

    def _tag(self, topic: str, body: bytes) -> bytes:
        return hmac.digest(self._key, topic.encode() + b"\n" + body, "sha256")[:_TAG]


def _taken_apart(message: Hint) -> tuple[str, dict[str, object], bytes]:
    match message:
        case Appended(room, version, record):
            return "appended", {"room": room, "version": version}, record
        case Missing(room, player, node):
            return "missing", {"room": room, "player": player, "node": node}, b""
        case Present(room, player, to):
            return "present", {"room": room, "player": player, "to": to}, b""
        case Listed(listing):
            return "listed", {}, listing
        case Drain(to):
            return "drain", {"to": to}, b""
        case Said(room, line):
            return "said", {"room": room}, line
        case Watching(room, node, count, asks):
            return "watching", {"room": room, "node": node, "count": count, "asks": asks}, b""
        case Paired(player, room):
            return "paired", {"player": player, "room": room}, b""
        case Altered(player):
            return "altered", {"player": player}, b""
        case _:
            assert_never(message)


def _put_together(head: _Head, content: bytes) -> Hint | None:
    match head["kind"]:
        case "appended":
            return Appended(head["room"], head["version"], content)
        case "missing":
            return Missing(head["room"], head["player"], head["node"])
        case "present":
            return Present(head["room"], head["player"], head["to"])
        case "listed":
            return Listed(content)
        case "drain":
            return Drain(head["to"])
        case "said":
            return Said(head["room"], content)
        case "watching":
            return Watching(head["room"], head["node"], head["count"], head["asks"])
        case "paired":
            return Paired(head["player"], head["room"])
        case "altered":
            return Altered(head["player"])
        case _:
            return None
