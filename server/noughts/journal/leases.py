"""The leases of computers' moves in a journal that only one server uses. They end with the process."""

from __future__ import annotations

from collections.abc import Callable

KEPT_MS = 60_000
"""The time a lease is remembered after its end."""


class Leases:
    """The leases of versions of rooms, each with its node and its end by ``now``, in ms."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._leases: dict[str, tuple[int, str, int]] = {}  # the latest at the end

    def __len__(self) -> int:
        """At most so many rooms are leased."""
        return len(self._leases)

    def held(self, room: str, version: int) -> bool:
        """True if somebody leases ``room`` at ``version``."""
        leased, _, until = self._leases.get(room, (0, "", 0))
        return leased == version and until > self._now()

    def until(self, room: str, version: int) -> int:
        """Until when ``room`` is or was leased at ``version`` or a later one; 0 if that is not known."""
        leased, _, until = self._leases.get(room, (0, "", 0))
        return until if leased >= version else 0

    def take(self, room: str, version: int, by: str, for_ms: int) -> bool:
        """Lease ``room`` at ``version`` to ``by`` unless somebody else has it; whether that succeeded."""
        leased, holder, _ = self._leases.get(room, (0, "", 0))
        if leased > version or (holder != by and self.held(room, version)):
            return False
        self._leases.pop(room, None)
        self._drop_ended()
        self._leases[room] = (version, by, self._now() + for_ms)
        return True

    def _drop_ended(self) -> None:
        """Do not let the leases of past moves pile up."""
        while self._leases:
            oldest = next(iter(self._leases))
            if self._leases[oldest][2] + KEPT_MS > self._now():
                break
            del self._leases[oldest]
