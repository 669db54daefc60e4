"""Compares two versions of the protocol's JSON Schema from the view of a client that was written for the first. Pure.

docs/protocol.md, "What may change", has the rules in words. What the client could send must still be accepted: a
request may accept more, not less. What it receives must still be what it knows: a message may gain fields, and the
server may send more types of messages, but the fields that it knows stay, and their values do not widen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

OPEN = frozenset({"code", "mark", "reason", "unrated_because"})
"""The fields of messages whose words may become more."""

DECLINED = frozenset({"state.legal_moves", "welcome.games"})
"""The fields of messages that are absent only if the client's own ``hello`` says that it does without them."""

_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems")


def breaks(published: Json, current: Json) -> list[str]:
    """The changes that a client for ``published`` would not survive if the server spoke ``current``; [] if nothing."""
    found = []
    for union, view in (
        ("AnyRequest", View(published["$defs"], current["$defs"], requests=True)),
        ("Message", View(published["$defs"], current["$defs"], requests=False)),
    ):
        now = dict(_types(view.new, union))
        for kind, old in _types(view.old, union):
            if kind in now:
                found += list(view.compare(old, now[kind], kind))
            else:
                found.append(f"{kind}: {'no such request' if view.requests else 'no such message'} any more")
    return found


@dataclass(frozen=True)
class View:
    """The definitions of both versions, for what a client sends (``requests``) or for what it receives."""

    old: Json
    new: Json
    requests: bool

    def compare(self, old: Json, new: Json, where: str) -> Iterator[str]:
        """The breaks between two schemas of the same value, whose place is ``where``."""
        olds, news = list(_sides(old, self.old)), list(_sides(new, self.new))
        if self.requests and "default" in old and old["default"] != new.get("default"):
            yield f"{where}: another default"
        if not self.requests:
            kinds = [_kind(side) for side in news]
            yield from (f"{where}: no {_kind(side)} any more" for side in olds if _kind(side) not in (None, *kinds))
        narrow, wide = (olds, news) if self.requests else (news, olds)
        for side in narrow:
            faults = [list(self._pair(side, other, where)) for other in wide if _same_kind(side, other)]
            if [] not in faults and not (self._new_kind(side) and not faults):
                yield from min(faults, key=len, default=[f"{where}: {self._verb} {_named(side)}"])

    @property
    def _verb(self) -> str:
        return "no longer accepts" if self.requests else "may now be"

    def _new_kind(self, side: Json) -> bool:
        """True if a client ignores it: an event of a kind that it does not know."""
        return not self.requests and _kind(side) is not None

    def _pair(self, narrow: Json, wide: Json, where: str) -> Iterator[str]:
        """The reason why a value of ``narrow`` need not be one of ``wide``."""
        old, new = (narrow, wide) if self.requests else (wide, narrow)
        if (words := _words(wide)) is not None and not (not self.requests and where.rpartition(".")[2] in OPEN):
            more = None if (those := _words(narrow)) is None else sorted(those - words)
            if more is None:
                yield f"{where}: {self._verb} any {_named(narrow)}"
            elif more:
                yield f"{where}: {self._verb} {', '.join(more)}"
        for limits, beyond in ((_LOWER, float.__lt__), (_UPPER, float.__gt__)):
            for limit in limits:
                if limit in wide and (limit not in narrow or beyond(float(narrow[limit]), float(wide[limit]))):
                    yield f"{where}: {limit} {self._verb_of_limit}"
        if "pattern" in wide and wide["pattern"] != narrow.get("pattern"):
            yield f"{where}: another pattern"
        if narrow.get("type") == "object":
            yield from self._fields(old, new, where)
        if "items" in old or "items" in new:
            yield from self.compare(old.get("items", {}), new.get("items", {}), f"{where}[]")

    @property
    def _verb_of_limit(self) -> str:
        return "is narrower" if self.requests else "is wider"

    def _fields(self, old: Json, new: Json, where: str) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        required, required_now = set(old.get("required", ())), set(new.get("required", ()))
        for name, field in before.items():
            if name not in after:
                yield f"{where}.{name}: gone"
            elif not self.requests and name in required - required_now and not _may_be_declined(where, name):
                yield f"{where}.{name}: may now be absent"
            else:
                yield from self.compare(field, after[name], f"{where}.{name}")
        if self.requests:
            yield from (f"{where}.{name}: now required" for name in sorted(required_now - required))
        more, more_now = old.get("additionalProperties"), new.get("additionalProperties")
        if isinstance(more, dict) and isinstance(more_now, dict):  # a mapping; requests have none
            yield from self.compare(more, more_now, f"{where}{{}}")


def _may_be_declined(where: str, name: str) -> bool:
    return f"{where.rpartition('.')[2]}.{name}" in DECLINED


def _types(definitions: Json, union: str) -> Iterator[tuple[str, Json]]:
    for side in definitions[union]["oneOf"]:
        definition = definitions[side["$ref"].rpartition("/")[2]]
        for kind in sorted(_words(definition["properties"]["type"]) or ()):
            yield kind, {**definition, "properties": {**definition["properties"], "type": {"const": kind}}}


def _sides(schema: Json, definitions: Json) -> Iterator[Json]:
    """The alternatives of a schema, without references."""
    if "$ref" in schema:
        yield from _sides(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    elif alternatives := schema.get("anyOf") or schema.get("oneOf"):
        words: set[str] = set()
        for side in (each for one in alternatives for each in _sides(one, definitions)):
            if side.get("type") == "string" and _words(side) is not None:
                words |= _words(side) or set()
            else:
                yield side
        if words:
            yield {"type": "string", "enum": sorted(words)}
    else:
        yield schema


def _words(schema: Json) -> set[str] | None:
    """The only values of a schema; None if it has no such list."""
    if "const" in schema:
        return {str(schema["const"])}
    return {str(each) for each in schema["enum"]} if "enum" in schema else None


def _same_kind(narrow: Json, wide: Json) -> bool:
    """True if ``narrow`` is to be compared with this alternative: by its type and, if it has one, its ``kind``."""
    one, other = narrow.get("type"), wide.get("type")
    if one != other:
        return other is None or (one == "integer" and other == "number")
    return _kind(narrow) == _kind(wide)


def _kind(schema: Json) -> object:
    """The ``kind`` that tells an event from the others."""
    return schema.get("properties", {}).get("kind", {}).get("const")


def _named(schema: Json) -> str:
    return str(schema.get("title") or schema.get("type") or "anything")
