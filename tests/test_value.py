"""Values: compared, hashed and copied by their fields, and nobody may assign to them."""

from __future__ import annotations

import copy
import pickle
from dataclasses import field, replace

import pytest

from noughts.value import value


@value
class Point:
    x: int
    y: int = 0
    label: str = field(default="", compare=False)


@value
class Named:
    name: str
    age: int

    def __hash__(self) -> int:
        return hash(self.name)


def test_values_are_compared_and_hashed_by_their_fields() -> None:
    assert Point(1, 2) == Point(1, 2, "here") != Point(2, 1)
    assert len({Point(1, 2), Point(1, 2, "here"), Point(2, 1)}) == 2
    assert repr(Point(1)) == "Point(x=1, y=0, label='')"


def test_a_value_can_have_a_hash_of_its_own() -> None:
    assert hash(Named("ann", 1)) == hash(Named("ann", 2)) == hash("ann")
    assert Named("ann", 1) != Named("ann", 2)


def test_copies_are_equal() -> None:
    point = Point(1, 2, "here")
    for again in (copy.copy(point), copy.deepcopy(point), pickle.loads(pickle.dumps(point))):
        assert (again, again.label) == (point, "here")
    assert replace(point, x=3) == Point(3, 2)


def test_a_value_has_no_other_attributes() -> None:
    with pytest.raises(AttributeError):
        Point(1).z = 2  # type: ignore[attr-defined]


def test_type_checkers_refuse_assignments() -> None:
    """mypy fails for an ignored error that does not occur."""
    point = Point(1)
    point.x = 2  # type: ignore[misc]
