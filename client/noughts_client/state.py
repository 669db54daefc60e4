"""What a bot is asked about: the public state of a game, and its position. Does no I/O."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Self

from noughts.games import GAMES, IllegalMove, MalformedMove, Position

if TYPE_CHECKING:  # importing the protocol takes five times as long as all the rest that a bot's process needs
    from noughts.protocol.messages import FischerInfo, PerMoveInfo, SideName

Answer = str | tuple[str, str]
"""A legal move, or that move and a note."""


class NoPosition(LookupError):
    """The game is not installed on this machine, or has other rules here than on the server."""


_ELSEWHERE = {
    **dict.fromkeys(("board", "grid", "cells", "field"), "rows"),
    **dict.fromkeys(("legal", "possible_moves", "actions"), "legal_moves"),
    **dict.fromkeys(("me", "player", "my_side", "colour", "color"), "side"),
    **dict.fromkeys(("piece", "mark", "my_symbol"), "symbol"),
    **dict.fromkeys(("time", "time_left", "time_ms"), "deadline"),
    **dict.fromkeys(("history", "last_move"), "moves"),
    "current_player": "to_move",
    "players": "seats",
}
"""What people look for, and the name that it has in a state."""


class NoSuchField(KeyError):
    """A state has no such key. The text says what it has."""

    __str__ = Exception.__str__  # KeyError's quotes it


class BotState(dict[str, Any]):
    """The public state of a game, for the side that is to move.

    The keys are those of the protocol's ``State``: ``legal_moves``, ``rows``, ``moves``, ``turn``, ``ply``,
    ``to_move``, ``seats``, ``clock`` and so on. Besides there are:

    - ``game``, the key of the game, and ``room``, the id of the room, empty outside of one;
    - ``side``, the bot's side, and ``symbol``, the character that is the bot's in ``rows``;
    - ``deadline``, the ``time.monotonic()`` by which the move must have reached the server, and ``control``, the room's
      time control as the protocol writes it; both None without a clock;
    - :attr:`position`, ready to search.
    """

    def __init__(
        self,
        state: Mapping[str, Any],
        *,
        game: str,
        side: SideName,
        symbol: str,
        room: str = "",
        deadline: float | None = None,
        control: FischerInfo | PerMoveInfo | None = None,
        package: str = "",
        before: BotState | None = None,
    ) -> None:
        """``package`` is the one that the game comes from, if it is known and not Noughts.

        ``before`` is an earlier state of the same room: its position is played on from, instead of from the start.
        """
        super().__init__(deepcopy(dict(state)))  # the bot may change what it is given
        self._told = state
        self.game = game
        self.room = room
        self.side = side
        self.symbol = symbol
        self.deadline = deadline
        self.control = control
        self._package = package
        self._reached: tuple[tuple[str, ...], Position] | None = None if before is None else before._reached

    @classmethod
    def from_line(
        cls, fields: Mapping[str, Any], *, received_at: float | None = None, before: BotState | None = None
    ) -> Self:
        """The state in a turn of the JSON lines protocol, where the move has ``time_ms`` from ``received_at`` on.

        ``received_at`` is a ``time.monotonic()``, by default now. Raises KeyError if a field is missing.
        """
        state = dict(fields)
        game, side, symbol, room = (state.pop(key) for key in ("game", "side", "symbol", "room"))
        deadline = None
        if (time_ms := state.pop("time_ms")) is not None:
            deadline = (time.monotonic() if received_at is None else received_at) + time_ms / 1000
        return cls(state, game=game, side=side, symbol=symbol, room=room, deadline=deadline, before=before)

    def __getattr__(self, name: str) -> Any:
        if hasattr(type(self), name):  # a property that has raised AttributeError: raise it again
            return object.__getattribute__(self, name)
        raise AttributeError(self._hint(f".{name}", name))

    def __missing__(self, name: object) -> Any:
        raise NoSuchField(self._hint(f"[{name!r}]", str(name)))

    def _hint(self, tried: str, name: str) -> str:
        """What to write instead of ``tried``, or all that there is."""
        names = [each for each in (*vars(self), "position") if not each.startswith("_")]
        written = {each: f"state.{each}" for each in names} | {each: f'state["{each}"]' for each in self}
        for close in (name, _ELSEWHERE.get(name), *get_close_matches(name, written, n=1)):
            if close in written:
                return f"There is no state{tried}. Write {written[close]}."
        return f"There is no state{tried}. The keys of a state are {', '.join(self)}; it also has .{', .'.join(names)}."

    @property
    def told(self) -> Mapping[str, Any]:
        """The public state as it came, whatever the bot has changed in its own."""
        return self._told

    @property
    def position(self) -> Position:
        """The position, an immutable value of :mod:`noughts.games`: ``state.position.play(move)`` is the next one.

        The first use in a game plays all its moves; later states play on from there. Raises :class:`NoPosition` if
        the game is not installed on this machine, or has other rules here than on the server.
        """
        moves = tuple(self._told["moves"])
        if self._reached is None or self._reached[0] != moves:
            position = self._after(moves)
            if list(position.rows) != list(self._told["rows"]):
                raise self._other_rules()
            self._reached = moves, position
        return self._reached[1]

    def _after(self, moves: Sequence[str]) -> Position:
        """The position after ``moves``, from the one that was reached before unless some moves were taken back."""
        if self.game not in GAMES:
            package = f"the package {self._package}" if self._package else "the package that it comes from"
            raise NoPosition(
                f"The game {self.game!r} is not installed on this machine. Install {package} with pip to use"
                " state.position; everything else in the state works without it."
            )
        position = GAMES[self.game].start
        if self._reached is not None and tuple(moves[: len(self._reached[0])]) == self._reached[0]:
            position, moves = self._reached[1], moves[len(self._reached[0]) :]
        try:
            for move in moves:
                position = position.play(move)
        except (IllegalMove, MalformedMove) as error:
            raise self._other_rules() from error
        return position

    def _other_rules(self) -> NoPosition:
        return NoPosition(
            f"The game {self.game!r} has other rules on this machine than on the server. Install the server's version"
            f" of {self._package or 'the package that it comes from'} with pip."
        )


Bot = Callable[[BotState], Answer | Awaitable[Answer]]
"""A whole bot: from the state of a game in which it is to move to a legal move, or to that move and a note."""
