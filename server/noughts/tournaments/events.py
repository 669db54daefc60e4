"""The terms, commands and events of tournaments. Pure; does no I/O.

Commands are imperative, events are facts in the past tense, numbered by their place in the journal; ``at`` is the
journal's time in ms since the epoch and never decreases within a tournament. Points are counted in halves: a win is 2,
a draw 1, as an arena scores them too.
"""

from __future__ import annotations

from typing import Literal

from noughts.rooms import Player, TimeControl
from noughts.value import value

Format = Literal["round_robin", "swiss", "arena", "gauntlet", "ladder"]
Kinds = Literal["all", "people", "bots"]

WIN, DRAW, LOSS = 2, 1, 0
"""The points of a game, in halves."""


@value
class Result:
    """The halves of a point that each side gets. ``played`` is false for a forfeit, where not both sides came."""

    first: int
    second: int
    played: bool = True


FIRST_WINS, SECOND_WINS, DRAWN = Result(WIN, LOSS), Result(LOSS, WIN), Result(DRAW, DRAW)
FIRST_BY_FORFEIT, SECOND_BY_FORFEIT = Result(WIN, LOSS, played=False), Result(LOSS, WIN, played=False)
NOBODY = Result(LOSS, LOSS, played=False)
"""Neither side gets anything: both stayed away, or the game was closed without a result."""


@value
class Terms:
    """The game, the format, and who may enter. They never change.

    ``rounds``: of Swiss, 1 or more; of a round robin and a gauntlet, the number of times that two meet, 1 or 2; 0 for
    an arena, which goes on for ``minutes`` instead. ``game`` is the name of one, as it is set up.
    ``kinds`` of players may enter, only ``registered`` ones if that is set; ``most`` in all. ``private``: only those
    who have the link find it. ``opponents`` of a gauntlet are the ids of those whom everybody else meets; levels of
    the computer among them need not enter. ``starts_at``, ms since the epoch, is None for a tournament that its
    organiser starts. ``first_move_ms``: whoever takes longer for the first move of a game has not come to it, and
    forfeits it. ``budget`` of a ladder is the number of games a day for each bot, and for each address that bots come
    from; 0 elsewhere.
    """

    name: str
    format: Format
    game: str
    clock: TimeControl
    rounds: int = 0
    minutes: int = 0
    rated: bool = False
    kinds: Kinds = "all"
    registered: bool = False
    private: bool = False
    opponents: tuple[str, ...] = ()
    starts_at: int | None = None
    first_move_ms: int = 60_000
    most: int = 256
    budget: int = 0


@value
class Pairing:
    """A game to be played in ``room``, by the ids of its players. One with a ``result`` is not played any more:
    somebody has withdrawn from it."""

    room: str
    first: str
    second: str
    result: Result | None = None


# Commands


@value
class Open:
    """Open the tournament with the id ``tournament`` for entries."""

    tournament: str
    by: Player
    terms: Terms


@value
class Enter:
    """Take part. ``origin`` stands for the address that the player comes from, and is empty if that is not known."""

    player: Player
    origin: str = ""


@value
class Withdraw:
    """Take part no more. ``by`` is the player, or the organiser."""

    player: str
    by: str


@value
class Start:
    """Begin. ``by`` is None at the time that was set. ``lots`` are the ids of the entrants in an order drawn by lot."""

    by: str | None
    lots: tuple[str, ...]


@value
class Pair:
    """Have these games begin, as the next ``round``; see :func:`~noughts.tournaments.rounds.next_round`.

    ``byes`` are the ids of those who have no opponent and get the points of a win.
    """

    round: int
    games: tuple[Pairing, ...]
    byes: tuple[str, ...] = ()


@value
class Report:
    """A game is over. It may be told again and again."""

    room: str
    result: Result


@value
class Adjudicate:
    """Decide a game, whether it is over or not."""

    by: str
    room: str
    result: Result


@value
class Pause:
    """Begin no more games until ``Resume``."""

    by: str


@value
class Resume:
    """Go on."""

    by: str


@value
class Finish:
    """End the tournament; ``by`` is None if it is over by itself."""

    by: str | None


@value
class Condense:
    """Store all that counts of a ladder as one event, if it has had many since the last time."""


Command = Open | Enter | Withdraw | Start | Pair | Report | Adjudicate | Pause | Resume | Finish | Condense


# Events


@value
class Opened:
    """A tournament was opened for entries."""

    at: int
    tournament: str
    by: Player
    terms: Terms
    kind: Literal["opened"] = "opened"


@value
class Entered:
    """A player takes part, or goes on to: from another address, or after a ladder has ceased to pair it."""

    at: int
    player: Player
    origin: str = ""
    kind: Literal["entered"] = "entered"


@value
class Withdrawn:
    """A player takes part no more, of its own will or because the organiser, ``by``, removed it."""

    at: int
    player: str
    by: str
    kind: Literal["withdrawn"] = "withdrawn"


@value
class Started:
    """Entries are over, or from now on late. ``order`` are the ids of the entrants by their pairing numbers."""

    at: int
    order: tuple[str, ...]
    kind: Literal["started"] = "started"


@value
class Paired:
    """The games of a round begin."""

    at: int
    round: int
    games: tuple[Pairing, ...]
    byes: tuple[str, ...] = ()
    kind: Literal["paired"] = "paired"


@value
class Scored:
    """The result of a game is known."""

    at: int
    room: str
    result: Result
    kind: Literal["scored"] = "scored"


@value
class Adjudicated:
    """The organiser, ``by``, decided a game."""

    at: int
    by: str
    room: str
    result: Result
    kind: Literal["adjudicated"] = "adjudicated"


@value
class Paused:
    """No more games begin for now."""

    at: int
    by: str
    kind: Literal["paused"] = "paused"


@value
class Resumed:
    """Games begin again."""

    at: int
    by: str
    kind: Literal["resumed"] = "resumed"


@value
class Finished:
    """The standings are final. ``by`` is None for a tournament that was over by itself."""

    at: int
    by: str | None
    kind: Literal["finished"] = "finished"


Event = Opened | Entered | Withdrawn | Started | Paired | Scored | Adjudicated | Paused | Resumed | Finished
