"""The claims on computers' moves in a journal that one server has to itself: they end with it."""

from __future__ import annotations

from collections.abc import Callable


class Leases:
    """Who has a claim on which version of a room, and until when by ``now``, in ms."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._claims: dict[str, tuple[int, str, int]] = {}  # the latest at the end

    def __len__(self) -> int:
        """At most so many rooms are claimed."""
        return len(self._claims)

    def held(self, room: str, version: int) -> bool:
        """Whether somebody has a claim on ``room`` at ``version``."""
        claimed, _, until = self._claims.get(room, (0, "", 0))
        return claimed == version and until > self._now()

    def take(self, room: str, version: int, by: str, for_ms: int) -> bool:
        """Claim ``room`` at ``version`` for ``by``, unless somebody else has it; whether that was granted."""
        claimed, holder, _ = self._claims.get(room, (0, "", 0))
        if claimed > version or (holder != by and self.held(room, version)):
            return False
        self._claims.pop(room, None)
        self._drop_ended()
        self._claims[room] = (version, by, self._now() + for_ms)
        return True

    def _drop_ended(self) -> None:
        """Keep those of moves long made from piling up."""
        while self._claims:
            oldest = next(iter(self._claims))
            if self._claims[oldest][2] > self._now():
                break
            del self._claims[oldest]
