"""Immutable values that are cheap to build."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """A dataclass with slots, compared and hashed by its fields, that type checkers take for a frozen one.

    Nobody may assign to a field, but only type checkers enforce it: a frozen dataclass sets each field through a
    function call when it is built, which takes several times as long.
    """
    return dataclass(slots=True, unsafe_hash="__hash__" not in vars(cls))(cls)
