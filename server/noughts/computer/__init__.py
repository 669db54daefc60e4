"""Computer seats, analyses for those who ask, and the searches for both, off the event loop."""

from noughts.computer.analyst import Analyst
from noughts.computer.draws import Draws
from noughts.computer.searcher import Searcher, Searches, Study, Task
from noughts.computer.seats import Computers
from noughts.computer.threads import loading

__all__ = ["Analyst", "Computers", "Draws", "Searcher", "Searches", "Study", "Task", "loading"]
