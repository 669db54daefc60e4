"""Hints as signed bytes that only a node can have made.

A signed message is a tag of 16 bytes, a line of JSON, and the hint's own bytes as they are. The tag is the HMAC-SHA256
of topic and message, cut to half: a guess is right once in 2 to the 128, and each guess has to be sent to a node. A
signature hides nothing, and does not stop anybody from sending an old message again: messages carry their time, and
listeners check with the journal.
"""

from __future__ import annotations

import hmac
from typing import Annotated, Any, NotRequired

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import to_json
from typing_extensions import TypedDict

from noughts.bus.base import Altered, Appended, Drain, Hint, Listed, Missing, Paired, Present, Said, Watching

MAX_BYTES = 64 * 1024
_TAG_BYTES = 16

_KINDS: dict[str, type[Any]] = {
    "appended": Appended,
    "missing": Missing,
    "present": Present,
    "listed": Listed,
    "drain": Drain,
    "said": Said,
    "watching": Watching,
    "paired": Paired,
    "altered": Altered,
}
_KIND_OF = {hint_type: kind for kind, hint_type in _KINDS.items()}
_CONTENT = {"record", "listing", "line"}  # the fields that hold bytes; no hint has two

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
    """A message that a node should not believe; the text says why, in a word or two."""


class Signer:
    """Signs and verifies with a key derived from ``secret``: 32 random bytes that all nodes share."""

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, b"noughts bus 1", "sha256")

    def sign(self, topic: str, hint: Hint, by: str, at: int) -> bytes:
        """``hint`` as the node ``by`` sends it to ``topic`` at ``at``, ms since the epoch."""
        head: dict[str, object] = {"kind": _KIND_OF[type(hint)], "by": by, "at": at}
        content = b""
        for name in type(hint).__match_args__:
            if name in _CONTENT:
                content = getattr(hint, name)
            else:
                head[name] = getattr(hint, name)
        return self.sign_raw(topic, head, content)

    def sign_raw(self, topic: str, head: dict[str, object], content: bytes = b"") -> bytes:
        """A message of any kind, known or not."""
        body = to_json(head) + b"\n" + content
        return self._tag(topic, body) + body

    def verify(self, topic: str, signed: bytes) -> tuple[Hint | None, str, int]:
        """The hint in ``signed``, who sent it, and when; None for a kind that only a later version knows.

        Raises :class:`Rejected`.
        """
        if len(signed) > MAX_BYTES:
            raise Rejected("too long")
        tag, body = signed[:_TAG_BYTES], signed[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(topic, body)):
            raise Rejected("forged")
        line, _, content = body.partition(b"\n")
        try:
            head: dict[str, Any] = {**_HEAD.validate_json(line, strict=True)}
            hint_type = _KINDS.get(head["kind"])
            if hint_type is None:
                return None, head["by"], head["at"]
            values = [content if name in _CONTENT else head[name] for name in hint_type.__match_args__]
            return hint_type(*values), head["by"], head["at"]
        except (ValidationError, KeyError):
            raise Rejected("malformed") from None

    def _tag(self, topic: str, body: bytes) -> bytes:
        return hmac.digest(self._key, topic.encode() + b"\n" + body, "sha256")[:_TAG_BYTES]
