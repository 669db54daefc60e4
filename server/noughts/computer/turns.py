"""Turns of searches: the next one, and how long it may run. Pure; does no I/O."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

CROWDED = 0.6
"""While others wait, a search is answered within this part of its level's time, the wait included."""

LEAST_S = 0.02
"""An unrated search gets at least this, however many wait."""


class Rotation(Generic[T]):
    """Waiting items in groups that take turns: by the first key, then by the second, and so on; then first come, first
    served. A group that comes back waits for one turn of each group that is there."""

    def __init__(self) -> None:
        self._groups: OrderedDict[Hashable, Rotation[T]] = OrderedDict()
        self._items: OrderedDict[T, None] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        """The number of items that wait."""
        return self._count

    @property
    def groups(self) -> int:
        """The number of groups that wait."""
        return len(self._groups)

    def of(self, key: Hashable) -> int:
        """The number of items of the group ``key`` that wait."""
        group = self._groups.get(key)
        return 0 if group is None else len(group)

    def add(self, item: T, *keys: Hashable) -> None:
        """Put ``item`` behind those of its group. Items are different, and all have the same number of keys."""
        self._count += 1
        if keys:
            self._groups.setdefault(keys[0], Rotation()).add(item, *keys[1:])
        else:
            self._items[item] = None

    def remove(self, item: T, *keys: Hashable) -> None:
        """Take ``item`` out, which was added with these keys. Raises KeyError if it does not wait."""
        if keys:
            group = self._groups[keys[0]]
            group.remove(item, *keys[1:])
            if not group:
                del self._groups[keys[0]]
        else:
            del self._items[item]
        self._count -= 1

    def pop(self) -> T:
        """Take out the item whose turn it is. Raises KeyError if none waits."""
        if self._groups:
            key, group = self._groups.popitem(last=False)
            item = group.pop()
            if group:
                self._groups[key] = group  # behind the others
        else:
            item, _ = self._items.popitem(last=False)
        self._count -= 1
        return item


def share_s(level_s: float, least_s: float, *, waited_s: float, workers: int, groups: int, tables: int) -> float:
    """The time a search may run at a level with ``level_s`` for a move, of which it has waited for ``waited_s``.

    ``workers`` search at a time. ``groups`` want to search, among them its own, of which ``tables`` do: groups share
    the workers equally, whatever their size. A search has its whole time if it has not waited and no other waits. It
    always gets ``least_s``, or ``level_s`` if that is less.
    """
    fair_s = level_s - waited_s / CROWDED
    if groups > 1 or tables > 1:
        fair_s *= min(1.0, CROWDED * workers / (max(groups, 1) * max(tables, 1)))
    return min(level_s, max(least_s, fair_s))
