"""The queries about rooms that both databases understand; SQLite's side translates the parameters."""

# ruff: noqa: S608  # the statements are put together from constants
LAST = "(SELECT max(version) FROM records WHERE records.room = rooms.number)"
"""The last version of a room."""

READ = """
SELECT record FROM records WHERE room = (SELECT number FROM rooms WHERE room = $1) AND version > $2 ORDER BY version
"""
HEADS = f"SELECT room, {LAST} FROM rooms WHERE room = ANY($1)"
DUE = "SELECT room FROM rooms WHERE due_at <= $1 ORDER BY due_at LIMIT $2"
ATTENDED = "SELECT room FROM rooms WHERE attended AND status <> 'over'"
LOBBY = "SELECT listing FROM rooms WHERE public AND status <> 'over' ORDER BY changed DESC LIMIT $1"
LOBBY_OF_GAME = """
SELECT listing FROM rooms WHERE game = $2 AND public AND status <> 'over' ORDER BY changed DESC LIMIT $1
"""
PUBLIC = f"SELECT room, {LAST} FROM rooms WHERE public AND status <> 'over'"
OPEN_ROOMS = "SELECT count(*) FROM rooms WHERE opened_by = $1 AND status <> 'over'"
OUTAGES = "SELECT since, until FROM outages WHERE until > $1 ORDER BY until"

GREATEST_INTEGER = 2**63 - 1
"""The greatest parameter that a database takes."""
