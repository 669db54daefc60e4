"""Four in a row on a board of 5 by 5."""

from noughts.games.mnk import mnk

FOUR = mnk("four", "Four in a row on 5x5", 5, 5, 4)
