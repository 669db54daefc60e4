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
    mqtt_keepalive_s: int = 4
    """A broker that does not answer counts as lost after about twice this."""
    mqtt_answer_s: float = 3.0
    """How long a broker may take to accept a connection or the first subscriptions."""
    mqtt_retry_s: float = 0.1
    """The first wait before the next attempt to connect."""
    mqtt_retry_max_s: float = 2.0
    """The longest wait before the next attempt to connect."""
    presence_interval_s: float = 10.0
    """How often a node repeats that it is up."""
    presence_expiry_s: int = 30
    """How long a node counts as up without repeating it."""
    presence_check_s: float = 0.5
    """How often a node looks for others that are gone."""
    presence_cleared_s: float = 1.0
    """How soon a node counts as gone when the broker clears its presence."""
    presence_return_s: float = 4.0
    """How soon nodes must be back after the broker; longer than ``mqtt_retry_max_s``."""
    retained_quiet_s: float = 0.5
    """How long the broker must be quiet before all that it retains counts as known."""
    retained_doubt_s: float = 1.0
    """How long a value may take to come back from the broker."""
    view_interval_s: float = 1.0
    """How often the view is compared with the journal, and the lobby published."""
    view_linger_s: float = 60.0
    """How long a finished room is shown after its last event."""

    # journal
