"""Immutable values that are cheap to build."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """A dataclass with slots, compared and hashed by its fields, that type checkers take for a frozen one.

    Nobody may assign to a field, but only type checkers enforce it: a frozen dataclass sets each field through a
    function call when it is built, which takes several times as long.
    """
    return dataclass(slots=True, unsafe_hash="__hash__" not in vars(cls))(cls)


def changed(before: T, **changes: Any) -> T:
    """``dataclasses.replace`` for values of two fields or more, in half the time."""
    cls: Callable[..., T] = type(before)
    places, values = _arguments(cls)
    arguments = list(values(before))
    for name, changed_to in changes.items():
        arguments[places[name]] = changed_to
    return cls(*arguments)


@cache
def _arguments(cls: Any) -> tuple[dict[str, int], attrgetter[Any]]:
    """The place of each field among the constructor's arguments, and a function that returns their values."""
    names = [each.name for each in fields(cls) if each.init]
    return {name: place for place, name in enumerate(names)}, attrgetter(*names)
