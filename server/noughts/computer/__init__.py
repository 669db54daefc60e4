"""Computer seats, analyses for those who ask, and the searches for both, off the event loop."""

from noughts.computer.analyser import Analyser
from noughts.computer.draws import DrawAnswers
from noughts.computer.searches import Searcher, Searches, Study, Task
from noughts.computer.seats import ComputerSeats
from noughts.computer.threads import loading

__all__ = ["Analyser", "ComputerSeats", "DrawAnswers", "Searcher", "Searches", "Study", "Task", "loading"]
