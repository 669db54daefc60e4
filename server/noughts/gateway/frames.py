"""Frames of WebSockets: how they are made and cut, and how many a client may send. Pure."""

from __future__ import annotations

TURN_FRAMES = 32
"""How many frames of one connection are taken in one turn of the event loop."""

PAUSE_S = 0.25
"""How long nothing is taken from a client that has spent its frames."""

FLOOD_S, FLOOD_WINDOW_S = 5.0, 30.0
"""A connection that was paused for so long within such a time is closed."""

_number = int.from_bytes  # looked up once: it is called twice for each message


def framed(message: bytes) -> bytes:
    """A text frame of a server, which is the same for every client."""
    size = len(message)
    if size < 126:
        return b"\x81%c%b" % (size, message)
    if size < 65536:
        return b"\x81\x7e%b%b" % (size.to_bytes(2, "big"), message)
    return b"\x81\x7f%b%b" % (size.to_bytes(8, "big"), message)


def unmasked(data: bytes, mask: bytes) -> bytes:
    """The content of a client's frame, whose bytes are combined with the four of ``mask`` in turn."""
    size = len(data)
    return (_number(data, "little") ^ _number((mask * (size // 4 + 1))[:size], "little")).to_bytes(size, "little")


class FrameBudget:
    """The frames of one client, which are taken in turns of :data:`TURN_FRAMES`. Times are in seconds.

    A turn is earned back in ``turn_s``, and turns worth ``burst_s`` may be taken at once. All of them are there again
    at ``full_at``.
    """

    __slots__ = ("_flood_began", "_paused_s", "full_at")

    def __init__(self, now: float) -> None:
        self.full_at = now
        self._flood_began = self._paused_s = 0.0

    def is_spent(self, now: float, turn_s: float, burst_s: float) -> bool:
        """Whether no turn is left."""
        return max(self.full_at, now) + turn_s > now + burst_s + 1e-6  # sums are not exact

    def spend(self, now: float, turn_s: float) -> None:
        """Take a turn."""
        self.full_at = max(self.full_at, now) + turn_s

    def pause(self, now: float) -> bool:
        """Note that nothing is taken for :data:`PAUSE_S`. Whether that has happened so often that it is a flood."""
        if now >= self._flood_began + FLOOD_WINDOW_S:
            self._flood_began, self._paused_s = now, 0.0
        paused_s = self._paused_s
        self._paused_s += PAUSE_S
        return paused_s > FLOOD_S
