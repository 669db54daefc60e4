"""The queries about rooms that both databases understand; SQLite's side translates the parameters."""

# ruff: noqa: S608  # the statements are put together from constants
LAST = "(SELECT max(version) FROM records WHERE records.room = rooms.number)"
"""The last version of a room."""

READ = """
SELECT record FROM records WHERE room = (SELECT number FROM rooms WHERE room = $1) AND version > $2 ORDER BY version
"""
HEADS = f"SELECT room, {LAST} FROM rooms WHERE room = ANY($1)"
DUE = "SELECT room FROM rooms WHERE due_at <= $1 ORDER BY due_at LIMIT $2"
CLOSE_AT = -1
"""The ``due_at`` of a room that the operator wants closed, before that of any other."""

REQUEST_CLOSE = f"""
UPDATE rooms SET due_at = {CLOSE_AT}, verdict = NULL WHERE (opened_by = $1 OR room = $1) AND status <> 'over'
RETURNING listing
"""
REQUEST_END = f"""
UPDATE rooms SET due_at = {CLOSE_AT}, verdict = $2 WHERE room = $1 AND status = 'playing' RETURNING room
"""
TO_CLOSE = f"SELECT room, verdict FROM rooms WHERE due_at <= {CLOSE_AT} ORDER BY due_at LIMIT $1"
ATTENDED = "SELECT room FROM rooms WHERE attended AND status <> 'over'"
LISTINGS = "SELECT room, listing FROM rooms WHERE room = ANY($1)"
PUBLIC = f"SELECT room, {LAST} FROM rooms WHERE public AND status <> 'over' ORDER BY changed DESC LIMIT $1"
UNFINISHED = "SELECT listing FROM rooms WHERE status <> 'over' ORDER BY changed DESC LIMIT $1"
OPEN_ROOMS = "SELECT count(*) FROM rooms WHERE opened_by = $1 AND status <> 'over'"
STILL_OPEN = "SELECT room FROM rooms WHERE room = ANY($1) AND status <> 'over'"
REMAINS = """
SELECT opened_by, game, listing, (SELECT min(version) FROM records WHERE records.room = rooms.number)
FROM rooms WHERE room = $1
"""
OPEN_SLEEPERS = "SELECT count(*) FROM rooms WHERE opened_by = $1 AND status <> 'over' AND sleeps"
OPENER = "SELECT opener FROM rooms WHERE room = $1"
TURNS = """
(
    SELECT *, row_number() OVER (PARTITION BY opener, stranger ORDER BY players_turn, {order}) AS address_turn FROM (
        SELECT number, room, changed, opener, CASE WHEN opener IS NULL THEN opened_by END AS stranger,
            row_number() OVER (PARTITION BY opener, opened_by ORDER BY {order}) AS players_turn
        FROM {rooms}
    ) AS players
) AS rooms ORDER BY address_turn, {order} LIMIT $1
"""
"""The first rooms in the order of their turns: first the addresses take turns, then the players of each. Without an
address, each player counts as one. Of a player's rooms the first in ``order`` comes first."""

UNLEASED = "SELECT {columns}, address_turn FROM" + TURNS.format(
    order="changed",
    rooms="(SELECT * FROM rooms WHERE thinking AND NOT sleeps AND status <> 'over' AND ({free}) "
    "ORDER BY changed LIMIT $2) AS oldest",
)
"""Rooms in which a computer is to move, in the order of their turns, chosen among the ``$2`` that wait longest."""
OUTAGES = "SELECT since, until FROM outages WHERE until > $1 ORDER BY until"
FORGET_OUTAGES = "DELETE FROM outages WHERE until <= (SELECT until FROM outages ORDER BY until DESC LIMIT 1 OFFSET {})"
POSTPONE = f"""
UPDATE rooms SET due_at = $3 WHERE room = $1 AND due_at BETWEEN 0 AND $3 AND status <> 'over' AND {LAST} = $2
"""

GREATEST_INTEGER = 2**63 - 1
"""The greatest parameter that a database takes."""
