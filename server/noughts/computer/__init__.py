"""Computer seats, answers to draw offers, analyses, reviews, and the searches for them off the event loop."""

from noughts.computer.analyser import Analyser
from noughts.computer.computer import Analyse, Computer, Review, Trace, computer_of
from noughts.computer.draws import DrawAnswers
from noughts.computer.reviewer import Reviewer
from noughts.computer.searches import Searches
from noughts.computer.seats import ComputerSeats
from noughts.computer.threads import loading

__all__ = [
    "Analyse",
    "Analyser",
    "Computer",
    "ComputerSeats",
    "DrawAnswers",
    "Review",
    "Reviewer",
    "Searches",
    "Trace",
    "computer_of",
    "loading",
]
