"""Computer seats, and the search that they ask for in an executor."""

from noughts.computer.searcher import ProcessSearcher, Searcher
from noughts.computer.seats import Computers

__all__ = ["Computers", "ProcessSearcher", "Searcher"]
