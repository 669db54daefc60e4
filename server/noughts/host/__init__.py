"""One command at a time per room: decide, store, evolve, tell."""

from noughts.host.host import Host
from noughts.host.live import REPLAYED
from noughts.host.seating import with_ratings
from noughts.host.upkeep import keep_up, sweep
from noughts.host.values import Done, Failed, Happening, Listener, Reply

__all__ = ["REPLAYED", "Done", "Failed", "Happening", "Host", "Listener", "Reply", "keep_up", "sweep", "with_ratings"]
