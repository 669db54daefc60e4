"""The waits of the server: one value, so that a test can pass another instead of patching modules.

What an operator may want to change is in :mod:`noughts.config` instead.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Waits and intervals; names end in ``_s`` for seconds and ``_ms`` for milliseconds."""

    # host

    journal_retries_s: tuple[float, ...] = (0.05, 0.1, 0.2, 0.4, *[0.8] * 11)
    """The waits between attempts to reach a journal that does not answer."""
    journal_give_up_s: float = 10.0
    """The time a command keeps trying to reach the journal."""
    journal_steady_s: float = 2.0
    """The time for which the journal must have answered before the log says that it is back."""
    room_recheck_s: float = 1.0
    """The delay before a room is read again after a write whose outcome is unknown."""
    alarm_min_s: float = 0.05
    """The shortest wait before a room's clock is checked."""
    end_retry_s: float = 0.2
    """The wait before an end that could not be stored is decided again."""
    beat_s: float = 1.0
    """The interval at which a node writes its heartbeat."""
    beat_gap_s: float = 2.5
    """After how long without a heartbeat of any node the servers count as down."""
    sweep_s: float = 1.0
    """The interval at which the index is searched for rooms whose time is up."""
    poll_s: float = 1.0
    """The interval at which the journal is asked for events that the bus may have lost."""
    poll_without_bus_s: float = 0.2
    """The same, while there is no bus."""
    poll_followed_s: float = 0.03
    """The time for which rooms are gathered that the bus has begun to follow: what came before may be lost."""
    forget_seeks_s: float = 60.0
    """The interval at which lapsed seeks are deleted."""
    forget_guests_s: float = 3600.0
    """The interval at which guests who never took a seat are deleted."""
    strip_s: float = 60.0
    """The interval at which the records of rooms that were aborted before their first move are deleted."""

    # computer

    lease_s: float = 2.5
    """The time a node's lease of a search lasts unless renewed; the rooms of a dead node wait this long."""
    renew_lease_s: float = 0.8
    """The interval at which the lease is renewed while the search goes on."""
    unleased_s: float = 1.0
    """The interval at which a node with a free worker looks for rooms in which no node searches."""
    search_retry_s: float = 1.0
    """The wait before a failed search starts again; it doubles each time."""
    search_retry_max_s: float = 60.0
    """The longest such wait."""
    draw_answer_s: float = 10.0
    """The time the computer considers a draw offer before it declines."""
    estimate_kept_s: float = 60.0
    """The time an analysis that is not exact is reused: a later search may get farther."""
    worker_stop_s: float = 1.0
    """The time a worker process may take to drop a search, which takes it milliseconds, before it is killed."""
    worker_start_s: float = 60.0
    """The time a worker process may take to start and begin a search, which takes it far longer on a busy machine."""
    worker_late_s: float = 10.0
    """The time past a search's own that a worker process may take to answer before it counts as hung."""
    farm_begin_s: tuple[float, float, float] = (0.3, 1.0, 5.0)
    """The time in which a worker of the farm must begin a search for a move, an analysis and a review: others may give
    it work, too. Afterwards the search is done here."""
    farm_late_s: float = 2.0
    """The time past a search's own in which the farm must answer."""
    farm_pause_s: float = 5.0
    """The time for which a farm that has not begun or answered in time gets no searches; it doubles each time."""
    farm_pause_max_s: float = 60.0
    """The longest such time."""
    farm_look_s: float = 1.0
    """The interval at which it is looked whether workers of the farm have come or gone."""
    farm_retry_s: float = 5.0
    """The wait before the next attempt to reach the farm."""

    # gateway

    keepalive_s: float = 20.0
    """The interval at which each client is sent a ping. One that sends nothing until the next is cut off."""
    ping_s: float = 1.0
    """The least time between two pings that measure a client's round trip."""
    pong_s: float = 5.0
    """A later pong is ignored."""
    slow_reader_s: float = 30.0
    """The time for which a reader may be slow before it is cut off."""
    presence_answer_s: float = 1.0
    """The time that other nodes have to say that they have a player."""
    players_return_s: float = 30.0
    """The time to wait for players who come back all at once, as after a restart, while they still do."""
    broker_silence_s: float = 9.0
    """The time for which a link to the broker may be dead before that is noticed."""
    lead_s: float = 1.0
    """The interval at which a node asks whether it leads."""
    lobby_list_s: float = 1.0
    """The time clients are sent the same list of rooms."""
    lobby_changes_s: float = 1.0
    """The least time between two messages of changes in the lobby."""
    lobby_finished_s: float = 60.0
    """The time a room is listed after its end."""
    spectators_s: float = 1.0
    """The least time between two messages with a room's number of spectators."""
    spectators_repeat_s: float = 10.0
    """The interval at which a node tells the others its numbers again."""
    tournaments_s: float = 1.0
    """The interval at which it is looked what is due in tournaments."""
    round_break_s: float = 3.0
    """The time between two rounds of a tournament, and between two games of a bot on a ladder."""
    standings_s: float = 0.8
    """The least time between two messages with the standings of a tournament."""
    classes_s: float = 1.0
    """The interval at which it is looked what has changed in the classes that somebody watches."""
    webhooks_s: float = 5.0
    """The interval at which a node looks for calls of webhooks that are due and that it has not been woken for."""
    registry_s: float = 1.0
    """The interval at which the journal is asked which players have changed."""
    seek_batch_s: float = 0.02
    """The time for which seeks are batched that arrive together."""
    seek_round_s: float = 1.0
    """The interval at which windows that have widened are noticed, and seeks that other nodes have paired, if the hint
    is lost."""
    seek_renew_s: float = 5.0
    """The interval at which this node's seeks are renewed."""
    seek_offer_s: float = 10.0
    """The delay after which a seeker hears at which levels the computer would play."""
    analysis_queue_s: float = 10.0
    """The time a request for an analysis waits for its turn."""

    # mqtt
    device_s: float = 300.0
    """The time an MQTT client watches a room after its last command there."""
    device_sweep_s: float = 5.0
    """The interval at which it is checked which MQTT clients have been silent for so long."""
    mqtt_keepalive_s: int = 4
    """A broker that does not answer counts as lost after about twice this."""
    mqtt_answer_s: float = 3.0
    """The time a broker may take to accept a connection or the first subscriptions."""
    mqtt_retry_s: float = 0.1
    """The first wait before the next attempt to connect."""
    mqtt_retry_max_s: float = 2.0
    """The longest wait before the next attempt to connect."""
    presence_interval_s: float = 10.0
    """The interval at which a node repeats that it is up."""
    presence_expiry_s: int = 30
    """The time a node counts as up without repeating it."""
    presence_check_s: float = 0.5
    """The interval at which a node looks for others that are gone."""
    presence_cleared_s: float = 1.0
    """The time after which a node counts as gone when the broker clears its presence."""
    presence_return_s: float = 4.0
    """The time in which nodes must be back after the broker; longer than ``mqtt_retry_max_s``."""
    retained_quiet_s: float = 0.3
    """The time for which the broker must be quiet before all that it retains counts as known. What it sends later is
    only written again."""
    retained_doubt_s: float = 1.0
    """The time a value may take to come back from the broker."""
    view_publish_s: float = 0.2
    """The least time between two rounds in which the view publishes what has changed."""
    view_gather_s: float = 0.1
    """The time for which a node gathers the events of its rooms for the node that publishes the view."""
    view_interval_s: float = 1.0
    """The interval at which the view is compared with the journal, and the lobby published."""
    view_linger_s: float = 60.0
    """The time a finished room is shown after its last event."""
    standings_linger_s: float = 3600.0
    """The time the standings of a tournament are shown after its end."""

    # journal

    rating_s: float = 3.0
    """The interval, about, at which a node rates the games that other nodes have ended and left unrated."""
