"""The state that a bot is asked about, and what it may answer. Does no I/O.

A bot's process loads this module alone of the kit, so it must be quick to import.
"""

from __future__ import annotations

import inspect
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Self

from noughts.games import GAMES, Game, IllegalMove, MalformedMove, Position
from noughts.games.catalogue import BadSetup, set_up
from noughts.games.sentences import listed

if TYPE_CHECKING:  # importing the protocol takes five times as long as all the rest that a bot's process needs
    from noughts.protocol.room_messages import FischerInfo, PerMoveInfo, SideName

Answer = str | tuple[str, str]
"""A legal move or :data:`CLAIM_DRAW`, or one of them and a note."""

CLAIM_DRAW = "claim_draw"
"""The answer of a bot that claims a draw by the rules of its game, while its state has a key of this name."""


LINE_FIELDS = ("turn", "ply", "legal_moves", "rows", "moves", "to_move", "seats", "clock")
"""The fields of a room's state that a turn of the JSON lines protocol has, in their order."""

FURTHER_FIELDS = ("names", "score", "counts", "held", "lead", "claim_draw")
"""Those that come after them in games that have them."""


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
"""The name in a state of each thing that people look for under another."""


class NoSuchField(KeyError):
    """A state has no such key. The text says what it has."""

    __str__ = Exception.__str__  # KeyError's quotes it


class BotState(dict[str, Any]):
    """The public state of a game, for the side that is to move.

    The keys are those of the protocol's ``State``: ``legal_moves``, ``rows``, ``moves``, ``turn``, ``ply``,
    ``to_move``, ``seats``, ``clock`` and so on. Besides there are:

    - ``game``, the key of the game, and ``setup``, what was chosen of its options, without defaults;
    - ``room``, the id of the room, empty outside of one;
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
        setup: Mapping[str, str | int | float] | None = None,
        before: BotState | None = None,
    ) -> None:
        """``package`` is the one that the game comes from, if it is known and not Noughts.

        ``before`` is an earlier state of the same room: its position is played on from, instead of from the start.
        """
        super().__init__(deepcopy(dict(state)))  # the bot may change what it is given
        self._told = state
        self.game = game
        self.setup = dict(setup or {})
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
        setup = state.pop("setup", None)
        return cls(state, game=game, side=side, symbol=symbol, room=room, deadline=deadline, setup=setup, before=before)

    @classmethod
    def after(
        cls,
        game: Game,
        moves: Sequence[str],
        *,
        turn: int | None = None,
        room: str = "",
        names: tuple[str, str] = ("first", "second"),
        control: FischerInfo | PerMoveInfo | None = None,
        left_s: float | None = None,
        now: float | None = None,
    ) -> Self:
        """The state after ``moves`` of a game that no server knows, for the side that is to move.

        ``turn`` is the number of moves with those that were taken back, ``names`` are those of both players. Both have
        ``left_s`` on their clocks from ``now`` on, a ``time.monotonic()``; None is no clock. Raises what
        ``Position.play`` raises.
        """
        position, names_of_moves = game.start, list[str]()
        for move in moves:
            names_of_moves.append(game.name(position, move))
            position = position.play(move)
        side = position.to_move
        assert side is not None
        left_ms = None if left_s is None else round(left_s * 1000)
        state = {
            "status": "playing",
            "turn": len(moves) if turn is None else turn,
            "ply": position.ply,
            "to_move": side.value,
            "rows": list(position.rows),
            "legal_moves": list(position.legal_moves),
            "moves": list(moves),
            "seats": {
                each: {"id": f"p-{each}", "name": name, "kind": "bot", "online": True}
                for each, name in zip(("first", "second"), names, strict=True)
            },
            "clock": None
            if left_ms is None
            else {"first_ms": left_ms, "second_ms": left_ms, "running": side.value, "since": None},
            "offers": [],
            "outcome": None,
            "next": None,
            **game.counted(position),
            **({} if game.notation is None else {"names": names_of_moves}),
        }
        deadline = None if left_s is None else (time.monotonic() if now is None else now) + left_s
        return cls(
            state,
            game=game.key,
            setup=dict(game.setup),
            side=side.value,
            symbol=game.style(side).symbol,
            room=room,
            deadline=deadline,
            control=control,
        )

    def to_line(self, now: float | None = None) -> str:
        """The turn of the JSON lines protocol that asks for a move, which :meth:`from_line` reads.

        ``now`` is the ``time.monotonic()`` from which on the move has its time.
        """
        now = time.monotonic() if now is None else now
        time_ms = None if self.deadline is None else max(0, round((self.deadline - now) * 1000))
        fields = {"game": self.game, "room": self.room, "side": self.side, "symbol": self.symbol}
        fields |= {name: self[name] for name in LINE_FIELDS} | {"time_ms": time_ms}
        fields |= {name: self[name] for name in FURTHER_FIELDS if name in self}
        return json.dumps(fields | ({"setup": self.setup} if self.setup else {}), separators=(",", ":"))

    def __getattr__(self, name: str) -> Any:
        if hasattr(type(self), name):  # a property that has raised AttributeError: raise it again
            return object.__getattribute__(self, name)
        raise AttributeError(self._hint(f".{name}", name))

    def __missing__(self, name: object) -> Any:
        raise NoSuchField(self._hint(f"[{name!r}]", str(name)))

    def _hint(self, tried: str, name: str) -> str:
        """Advice on what to write instead of ``tried``, or all that there is."""
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
        try:
            position = set_up(self.game, self.setup.items()).start
        except BadSetup as error:
            raise self._other_rules() from error
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


NOTE_BYTES = 1024
"""The server's limit for a note, in UTF-8."""

SHOWN_ANSWER = 80
"""The number of characters of a wrong answer that are shown."""


class WrongAnswer(ValueError):
    """The answer is not a move. The text is a sentence without its subject: ``answered 5, which is not a string``."""


def fields(answer: object, legal_moves: Sequence[str]) -> dict[str, str]:
    """The fields of the ``play`` that a bot's answer stands for: ``move``, perhaps illegal, and ``note`` unless empty.

    Raises :class:`WrongAnswer`.
    """
    match answer:
        case str(move):
            return {"move": move}
        case (str(move), str(note)):
            note = note.encode(errors="replace")[:NOTE_BYTES].decode(errors="ignore")
            return {"move": move, "note": note} if note else {"move": move}
        case None:
            what = "is not a move: choose must return one in every case"
        case _ if str(answer) in legal_moves:
            what = f"is not a string: return {str(answer)!r}"
        case _:
            what = "is not a move, or a move and a note, as strings"
    raise WrongAnswer(wrong(answer, what, legal_moves))


def why_refused(move: str, told: Mapping[str, Any]) -> str:
    """The sentence on an answer that is neither a legal move nor a claim that the state allows; see :func:`wrong`.

    Empty for an answer that is one of these.
    """
    legal = told["legal_moves"]
    if move in legal or (move == CLAIM_DRAW and CLAIM_DRAW in told):
        return ""
    return wrong(move, "the rules do not allow now" if move == CLAIM_DRAW else "is not a legal move", legal)


def wrong(answer: object, what: str, legal_moves: Sequence[str]) -> str:
    """The sentence on a wrong answer, without its subject. ``what`` goes on after ``which``."""
    shown = repr(answer)
    shown = shown if len(shown) <= SHOWN_ANSWER else f"{shown[:SHOWN_ANSWER]}..."
    return f"answered {shown}, which {what}. Legal moves: {listed(legal_moves)}."


def where(state: BotState) -> str:
    """The room, side and turn, to follow what happened there."""
    return f"in room {state.room}, with {state.symbol!r} at turn {state.told['turn']}"


def board(state: BotState) -> str:
    """The rows, each in a line of its own, to follow a heading."""
    return "".join(f"\n  {row}" for row in state.told["rows"])


def why_no_bot(bot: object) -> str:
    """The reason why ``bot`` cannot be asked for a move, with its cure; empty if it can, or if that is not known."""
    needed = "A bot is a function choose(state)"
    if isinstance(bot, type):
        return f"{needed}, not the class {bot.__name__}: for its method, give {bot.__name__}().choose."
    if not callable(bot):
        if callable(getattr(bot, "choose", None)):
            return f"{needed}, not an object: give its method, as in {type(bot).__name__}().choose."
        return f"{needed}, not {bot!r:.40}: give choose itself, without calling it."
    try:
        signature = inspect.signature(bot)
    except (TypeError, ValueError):  # one in C may have none
        return ""
    try:
        signature.bind(None)
    except TypeError:
        name = getattr(bot, "__name__", type(bot).__name__)
        return f"{needed}, but {name}{signature} cannot be called with a state alone."
    return ""


def meant(name: str, defined: Mapping[str, object]) -> str:
    """Advice on a function ``name`` that is not among what a file has defined; empty if there is none."""
    functions = {each.casefold(): each for each, found in defined.items() if callable(found)}
    if close := get_close_matches(name.casefold(), functions, n=1):
        return f"Did you mean {functions[close[0]]}?"
    for each, found in defined.items():
        if isinstance(found, type) and callable(getattr(found, name, None)):
            return f"For the class {each}, write {name} = {each}().{name} below it."
    return ""


_loaded = ""
"""The name of a bot's file while it is loaded, else empty."""


@contextmanager
def loading(file: str) -> Iterator[None]:
    """Refuse to start a game meanwhile: a file that only defines a bot must not do it."""
    global _loaded  # noqa: PLW0603 - a process loads one file
    _loaded = file
    try:
        yield
    finally:
        _loaded = ""


class StartsGame(Exception):
    """A bot's file starts a game when it is loaded. The text says what to do."""


def refuse_to_start() -> None:
    """Raise :class:`StartsGame` while a bot's file is loaded."""
    if _loaded:
        raise StartsGame(f'{_loaded} starts a game when it is loaded; put run(...) under if __name__ == "__main__":')
