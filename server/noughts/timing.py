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
    ping_s: float = 1.0  # the least time between two pings that measure a client's round trip
    pong_s: float = 5.0  # a later pong is ignored
    slow_reader_poll_s: float = 0.1  # how often a slow reader is looked at
    slow_reader_s: float = 30.0  # how long a reader may be slow before it is cut off
    presence_answer_s: float = 1.0  # how long other nodes have to say that they have a player
    broker_silence_s: float = 9.0  # how long a link to the broker may be dead before that is noticed
    lead_s: float = 1.0  # how often a node asks whether it leads
    lobby_changes_s: float = 1.0  # the least time between two messages of changes in the lobby
    lobby_finished_s: float = 60.0  # how long a room is listed after its end
    spectators_s: float = 1.0  # the least time between two messages with a room's number of spectators
    spectators_repeat_s: float = 10.0  # how often a node tells the others its numbers again
    registry_s: float = 1.0  # how often the journal is asked which players have changed
    seek_batch_s: float = 0.02  # how long to batch seeks that arrive together
    seek_round_s: float = 1.0  # how often all seeks are looked at: windows widen, and hints are lost
    seek_renew_s: float = 5.0  # how often this node's seeks are renewed
    seek_offer_s: float = 10.0  # when a seeker hears at which levels the computer would play
    analysis_queue_s: float = 10.0  # how long a request for an analysis waits for its turn

    # mqtt
    device_s: float = 300.0  # how long an MQTT client watches a room after its last command there
    device_sweep_s: float = 5.0  # how often it is checked which MQTT clients have been silent for so long

    # journal
