"""How long the server waits for what: one value, so that a test can pass another instead of patching modules.

What an operator may want to change is in :mod:`noughts.config` instead.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Waits and intervals; names end in ``_s`` for seconds and ``_ms`` for milliseconds."""

    # host

    # computer

    # gateway

    # mqtt

    # journal
