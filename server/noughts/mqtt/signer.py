"""Hints as signed bytes that only a node can have made.

A signed message is a tag of 16 bytes, a line of JSON that describes its hints, and their own bytes as they are, one
after the other. The tag is the HMAC-SHA256 of topic and message, cut to half: a guess is right once in 2 to the 128,
and each guess has to be sent to a node. A signature hides nothing, and does not stop anybody from sending an old
message again: messages carry their time, and listeners check with the journal.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NotRequired

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import to_json
from typing_extensions import TypedDict

from noughts.bus.base import (
    Altered,
    Appended,
    Doing,
    Drain,
    Follows,
    Here,
    Hint,
    Invited,
    Leaves,
    Listed,
    Missing,
    Paired,
    Present,
    Said,
    Sought,
    Watching,
)

MAX_BYTES = 64 * 1024
MAX_HINTS = 50
"""The number of hints one message carries at most: the receiver handles them in one turn of its loop."""

_TAG_BYTES = 16
_LINE_BYTES = 512
"""Room for the line's fields besides the hints."""

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
    "invited": Invited,
    "here": Here,
    "sought": Sought,
    "doing": Doing,
    "follows": Follows,
    "leaves": Leaves,
}
_KIND_OF = {hint_type: kind for kind, hint_type in _KINDS.items()}
_CONTENT = {"record", "listing", "line"}  # the fields that hold bytes; no hint has two

_Name = Annotated[str, Field(max_length=200)]


class _HintFields(TypedDict):
    kind: _Name
    size: NotRequired[Annotated[int, Field(ge=0)]]
    room: NotRequired[_Name]
    version: NotRequired[Annotated[int, Field(ge=1)]]
    player: NotRequired[_Name]
    node: NotRequired[_Name]
    to: NotRequired[_Name]
    count: NotRequired[Annotated[int, Field(ge=0)]]
    asks: NotRequired[bool]
    reads: NotRequired[bool]


class _Head(TypedDict):
    by: _Name
    at: int
    hints: list[_HintFields]


_HEAD = TypeAdapter(_Head)


class Rejected(Exception):
    """A message that a node should not believe; the text says why, in a word or two."""


class Signer:
    """Signs and verifies with a key derived from ``secret``: 32 random bytes that all nodes share."""

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, b"noughts bus 1", "sha256")

    def sign(self, topic: str, hints: Iterable[Hint], by: str, at: int) -> Iterator[bytes]:
        """``hints`` as the node ``by`` sends them to ``topic`` at ``at``, ms since the epoch: in order, in messages of
        at most MAX_HINTS hints and, unless a single hint is longer, MAX_BYTES bytes.
        """
        lines: list[bytes] = []
        contents: list[bytes] = []
        size = _LINE_BYTES
        for hint in hints:
            line, content = _encoded(hint)
            more = len(line) + 1 + len(content)
            if lines and (len(lines) == MAX_HINTS or size + more > MAX_BYTES):
                yield self._message(topic, lines, contents, by, at)
                lines, contents, size = [], [], _LINE_BYTES
            lines.append(line)
            contents.append(content)
            size += more
        if lines:
            yield self._message(topic, lines, contents, by, at)

    def sign_empty(self, topic: str, by: str, at: int) -> bytes:
        """A message without hints."""
        return self._message(topic, [], [], by, at)

    def sign_raw(self, topic: str, head: dict[str, object], content: bytes = b"") -> bytes:
        """A message of any form, sensible or not."""
        return self._signed(topic, to_json(head) + b"\n" + content)

    def verify(self, topic: str, signed: bytes) -> tuple[list[Hint], str, int]:
        """The hints in ``signed``, who sent them, and when; without those of a kind that only a later version knows.

        Raises :class:`Rejected`.
        """
        if len(signed) > MAX_BYTES:
            raise Rejected("too long")
        tag, body = signed[:_TAG_BYTES], signed[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(topic, body)):
            raise Rejected("forged")
        line, _, content = body.partition(b"\n")
        try:
            head = _HEAD.validate_json(line, strict=True)
            return list(_decoded(head["hints"], content)), head["by"], head["at"]
        except (ValidationError, KeyError):
            raise Rejected("malformed") from None

    def _message(self, topic: str, lines: list[bytes], contents: list[bytes], by: str, at: int) -> bytes:
        body = b'{"by":%b,"at":%d,"hints":[%b]}\n%b' % (to_json(by), at, b",".join(lines), b"".join(contents))
        return self._signed(topic, body)

    def _signed(self, topic: str, body: bytes) -> bytes:
        return self._tag(topic, body) + body

    def _tag(self, topic: str, body: bytes) -> bytes:
        return hmac.digest(self._key, topic.encode() + b"\n" + body, "sha256")[:_TAG_BYTES]


def _encoded(hint: Hint) -> tuple[bytes, bytes]:
    """The fields of ``hint`` as JSON, and its own bytes."""
    fields: dict[str, object] = {"kind": _KIND_OF[type(hint)]}
    content = b""
    for name in type(hint).__match_args__:
        if name in _CONTENT:
            content = getattr(hint, name)
            fields["size"] = len(content)
        else:
            fields[name] = getattr(hint, name)
    return to_json(fields), content


def _decoded(hints: list[_HintFields], content: bytes) -> Iterator[Hint]:
    start = 0
    for known in hints:
        fields: dict[str, Any] = {**known}
        end = start + fields.get("size", 0)
        hint_type = _KINDS.get(fields["kind"])
        if hint_type is not None:
            names = hint_type.__match_args__
            yield hint_type(*[content[start:end] if name in _CONTENT else fields[name] for name in names])
        start = end
