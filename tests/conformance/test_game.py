"""Checks of games: those of Noughts pass, and each check finds games that are wrong in what it is about."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import pytest

from noughts.cli.check import RANDOM_GAMES
from noughts.conformance.game import CHECKS, check_game, compared
from noughts.conformance.outside import OUTSIDE
from noughts.conformance.report import Check, as_text
from noughts.games import (
    GAMES,
    Board,
    Game,
    Heuristic,
    IllegalMove,
    InvalidPosition,
    MalformedMove,
    Option,
    Outcome,
    Piece,
    Reason,
    Side,
    Style,
)
from support.small_game import CELLS, Hashed, Stones, estimate, margin, reader, small_game, worths

PAGE = Path(__file__).parents[2] / "docs" / "games.md"
WITHIN = replace(OUTSIDE, compare=compared)
"""Without another process, which takes long to start."""


def checked(game: Game, games: int = 3) -> dict[str, Check]:
    return {check.name: check for check in check_game(game, games, 1, WITHIN)}


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_games_of_noughts_pass(game: Game) -> None:
    assert [check for check in check_game(game, 1, 1, WITHIN) if check.fault] == []


def test_a_game_is_checked_for_what_it_has() -> None:
    plain = checked(small_game())
    assert [check for check in plain.values() if check.fault] == []
    assert [name for name in CHECKS if name not in plain] == [
        "score, counts and held have their forms",
        "notation and read name each move",
        "draws are claimed for a known reason",
        "margin and score agree with the winner",
        "the heuristic is for the side to move",
        "its options can be set up",
    ]
    full = small_game(
        score=worths,
        counts=lambda _: ((0,) * 6,),
        held=lambda *_: (("x", 1),),
        notation=lambda _, move: move[0],
        read=lambda _, text: f"{text}1" if text in ("a", "b", "c", "d", "e", "f") else text,
        claim=lambda position: "dull" if position.ply > 3 else None,
        endings=(("dull", "by boredom"),),
        margin=margin,
        heuristic=Heuristic(estimate, 3, noisy=lambda position: position.legal_moves[:1]),
        options=OPTIONS,
        variant=varied,
    )
    whole = checked(full)
    assert [*whole] == [*CHECKS]
    assert [check for check in whole.values() if check.fault] == []


def varied(chosen: Any) -> Game:
    """The usual game. It has no other beginning."""
    if chosen["begin"]:
        raise InvalidPosition("no such beginning")
    return small_game()


OPTIONS = (Option("goal", "Goal", "more", ("more",)), Option("begin", "Begin", ""))
FULL = small_game(options=OPTIONS, variant=varied)


class Refuses(Stones):
    def play(self, move: str) -> Self:
        if self.ply == 2 and move == self.legal_moves[-1]:
            raise IllegalMove("no")
        return super().play(move)


class Crashes(Stones):
    def play(self, move: str) -> Self:
        if self.ply == 4 and move in self.legal_moves:
            raise ZeroDivisionError("oh")
        return super().play(move)


class Forgets(Stones):
    def play(self, move: str) -> Any:
        super().play(move)


class Lists(Stones):
    @property
    def legal_moves(self) -> Any:
        return [*super().legal_moves]


class Twice(Stones):
    @property
    def legal_moves(self) -> tuple[str, ...]:
        return super().legal_moves[:1] * 2


class Strings(Stones):
    @property
    def to_move(self) -> Any:
        return None if super().to_move is None else str(super().to_move)


class Words(Stones):
    @property
    def outcome(self) -> Any:
        return None if super().outcome is None else "draw"


class Undecided(Stones):
    @property
    def outcome(self) -> Any:
        return None


class Nobody(Stones):
    @property
    def to_move(self) -> Any:
        return None


class Goes(Stones):
    """The game goes on after its end."""

    @property
    def to_move(self) -> Side:
        return super().to_move or Side.FIRST


class Plays(Stones):
    """It is over before the row is empty."""

    @property
    def outcome(self) -> Outcome | None:
        return Outcome(None, Reason.DRAW) if self.ply >= 4 else None

    @property
    def to_move(self) -> Side | None:
        return None if self.ply >= 4 else super().to_move


class Still(Stones):
    @property
    def ply(self) -> int:
        return 0 if "x" in self.row else super().ply


@dataclass(frozen=True)
class Circle(Stones):
    """A move puts a stone back when all but two are taken."""

    moves: int = 0

    def play(self, move: str) -> Self:
        after = replace(super().play(move), moves=self.moves + 1)
        return replace(after, row="." * 6) if after.ply > 3 else after


class Lines(Stones):
    @property
    def text(self) -> str:
        return f"{self.row}\n"


@dataclass(frozen=True)
class Deep(Stones):
    """Its text lacks ``depth``, which decides about the moves."""

    depth: int = 0

    def play(self, move: str) -> Self:
        return replace(super().play(move), depth=self.depth + 1)

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return super().legal_moves[: 1 if self.depth else 2]


@dataclass(frozen=True)
class Deeper(Deep):
    """Its text lacks ``depth``, which decides about nothing else."""

    legal_moves = Stones.legal_moves


class Itself(Stones):
    """As of a class without __eq__."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


class Odd(Stones):
    """Equal positions have different hashes."""

    __eq__ = Stones.__eq__

    def __hash__(self) -> int:
        return id(self)


class Changes(Stones):
    def play(self, move: str) -> Self:
        after = super().play(move)
        object.__setattr__(self, "row", after.row)
        return after


class Same(Stones):
    """All positions are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same)

    def __hash__(self) -> int:
        return 1


class Fresh(Stones):
    """Equal only to what is read, not to what is played again."""

    __hash__ = Stones.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other or (self.row == getattr(other, "row", None) and (self.ply == 0) is True)


class Broad(Stones):
    @property
    def rows(self) -> tuple[str, ...]:
        return (f"{self.row} ",)


class Strange(Stones):
    @property
    def rows(self) -> tuple[str, ...]:
        return (self.row.replace("o", "z"),)


class Named(Stones):
    """The name of a move ends in what is no cell."""

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return tuple(f"{move}g9" for move in super().legal_moves)

    def play(self, move: str) -> Self:
        return super().play(move.removesuffix("g9") if isinstance(move, str) else move)


class Before(Named):
    """The name of a move begins with what is no cell."""

    @property
    def legal_moves(self) -> tuple[str, ...]:
        return tuple(f"N{move}" for move in Stones.legal_moves.fget(self))  # type: ignore[attr-defined]

    def play(self, move: str) -> Self:
        return super().play(move.removeprefix("N"))


class Alike(Stones):
    """Two moves have the same cells."""

    @property
    def legal_moves(self) -> tuple[str, ...]:
        moves = super().legal_moves
        return (f"{moves[0]}b1", f"{moves[0]}-b1") if moves else ()

    def play(self, move: str) -> Self:
        return super().play(move[:2]) if move in self.legal_moves else super().play("")


class Lax(Stones):
    def play(self, move: str) -> Self:
        return super().play(move.strip())


class Keys(Stones):
    def play(self, move: str) -> Self:
        return super().play(CELLS[CELLS.index(move)])


def refusing(error: Callable[[str], Exception]) -> type[Stones]:
    """Positions that refuse moves with ``error``."""

    class Refusing(Stones):
        def play(self, move: str) -> Self:
            if move not in self.legal_moves:
                raise error(move)
            return super().play(move)

    return Refusing


def ending(outcome: Outcome) -> type[Stones]:
    """Positions that end with ``outcome``."""

    class Ending(Stones):
        @property
        def outcome(self) -> Outcome | None:
            return None if "." in self.row else outcome

    return Ending


class Silent(Stones):
    def __str__(self) -> str:
        raise ZeroDivisionError("no picture")


def bad(text: str) -> Any:
    """Reads positions, but any other text is a mistake of another kind."""
    return Stones(text) if len(text) == len(CELLS) else Stones("." * int(text))


def loose(text: str) -> Any:
    return Stones(text) if len(text) == len(CELLS) and set(text) <= set(".xo") else Stones()


def loud(text: str) -> Any:
    try:
        return reader()(text)
    except InvalidPosition as error:
        raise InvalidPosition("Wrong!") from error


def forgetful(text: str) -> Any:
    """Does not know positions in the middle of a game."""
    if text.count(".") == 3:
        raise InvalidPosition("too hard")
    return reader()(text)


def estimating(evaluate: Callable[[Any], Any] = estimate, **more: Any) -> Game:
    return small_game(heuristic=Heuristic(evaluate, 3, **more))


def optional(variant: Callable[[Any], Game], *, choices: tuple[Any, ...] = ("a", "b")) -> Game:
    """A game with an option."""
    return small_game(options=(Option("kind", "Kind", choices[0] if choices else "", choices),), variant=variant)


def silent(chosen: Any) -> Game:
    if chosen["kind"]:
        raise ValueError
    return small_game()


ITSELF, PLAYED, AGREES = "it describes itself", "every legal move can be played", [*CHECKS][2]
ENDS, READ, TEXTS, VALUES, ELSEWHERE, ROWS, COUNTS, MOVES, WRONG, OUTCOMES, NAMES, CLAIMS, MARGINS, HEURISTIC, SETS = [
    *CHECKS
][3:18]
DRAWN = "clients can draw it"

BROKEN: list[tuple[str, Game, str]] = [
    (ITSELF, small_game(layout=(CELLS, CELLS[:5])), "the rows of the layout must have the same length, 1 or more"),
    (ITSELF, small_game(cells=(CELLS, CELLS)), "cells must have as many rows and columns as the layout"),
    (ITSELF, small_game(layout=(("a1",) * 6,)), "two cells have the name 'a1'"),
    (ITSELF, small_game(board=Board("stars")), "board.shape is 'stars'"),  # type: ignore[arg-type]
    (ITSELF, small_game(board=Board("points", lines=(("a1", "z9"),))), "board.lines has 'z9', which is not a cell"),
    (ITSELF, small_game(board=Board("pits")), "a board of pits needs counts"),
    (ITSELF, small_game(board=Board("edges")), "in row 0, column 0, counted from 0, is a dot and must have no name"),
    (ITSELF, small_game(seam=99), "seam is 99"),
    (ITSELF, small_game(example="a1 c1"), "the example's move 'c1' is not legal after 1 moves"),
    (ITSELF, small_game(example="a1 b1 c1 d1 e1 f1"), "the example must end while the game"),
    (ITSELF, small_game(title=""), "the game and both sides need a name"),
    (ITSELF, small_game(second=Style("X", "o")), "the two sides must have different names and symbols"),
    (ITSELF, small_game(pieces=(Piece("ab", None, "stone", "s"),)), "the symbol 'ab' must be one character"),
    (ITSELF, small_game(pieces=(Piece("a", None, "stone", "s"),) * 2), "two pieces have the same symbol"),
    (ITSELF, small_game(pieces=(Piece("a", None, "", "s"),)), "the piece 'a' needs a name"),
    (ITSELF, small_game(rules=("",)), "rules must be paragraphs of text, not ''"),
    (ITSELF, small_game(endings=(("line", "by a full row"),)), "the ending 'line' must be in small letters"),
    (ITSELF, small_game(endings=(("dull", "By it."),)), "the words of the ending 'dull' must go on after 'won'"),
    (ITSELF, small_game(start=Stones("x.....")), "the side that begins must be `first`"),
    (ITSELF, replace(FULL, variant=None), "it has options, and no variant that sets them up"),
    (ITSELF, replace(FULL, options=FULL.options * 2), "two options have the same key"),
    (ITSELF, small_game(options=(Option("a", "A", 1, (2, 3)),)), "it has options, and no variant"),
    (ITSELF, replace(FULL, options=(Option("a", "A", 1, (2, 3)),)), "the default of the option 'a', 1, is not one"),
    (
        ITSELF,
        replace(FULL, options=(Option("a", "A", 1, (1, "1")),)),
        "two choices of the option 'a' are written alike",
    ),
    (PLAYED, small_game(Refuses), "play refuses the legal move"),
    (PLAYED, small_game(Crashes), "play raised ZeroDivisionError: oh"),
    (PLAYED, small_game(Forgets), "returned None, which is not a position: no text"),
    (AGREES, small_game(Lists), "legal_moves must be a tuple of strings"),
    (AGREES, small_game(Twice), "legal_moves has 'a1' twice"),
    (AGREES, small_game(Strings), "to_move is 'first'; it must be a Side or None"),
    (AGREES, small_game(Words), "outcome is 'draw'; it must be an Outcome or None"),
    (AGREES, small_game(Undecided), "no move is legal, but there is no outcome"),
    (AGREES, small_game(Nobody), "to_move is None, but there is no outcome"),
    (AGREES, small_game(Goes), "there is an outcome, but first is to move"),
    (AGREES, small_game(Plays), "is legal; nothing is when the game is over"),
    (AGREES, small_game(Still), "ply is 0 after 1 moves"),
    (ENDS, small_game(win=4), "a random game was not over after 4 plies, which is `win`"),
    (ENDS, small_game(Circle, win=10_000), "a random game was not over after 3000 plies; no rule seems to end it"),
    (READ, small_game(Lines), "text must be one line of characters that can be shown"),
    (READ, small_game(parse=forgetful), "parse refuses the text of this position: too hard"),
    (READ, small_game(Deep), "when it is read from its text"),
    (READ, small_game(Deeper), "the position is not equal to the one that parse reads from its text"),
    (READ, small_game(Itself), "positions are equal only to themselves"),
    (READ, small_game(Odd), "is equal, but has another hash"),
    (TEXTS, small_game(parse=bad), "parse('') raised ValueError: "),
    (TEXTS, small_game(parse=loose), "parse('') returned a position; it must raise InvalidPosition"),
    (
        TEXTS,
        small_game(parse=loud),
        "parse('') raised InvalidPosition with the text 'Wrong!'; it must begin with a small",
    ),
    (VALUES, small_game(Changes), "play changed the position itself: text was"),
    (VALUES, small_game(Fresh), "twice from the same position gives unequal positions"),
    (VALUES, small_game(Same), "this position is equal to another that came up, whose rows are different"),
    (ELSEWHERE, small_game(Hashed), "the unpickled position has another hash than an equal one"),
    (ELSEWHERE, small_game(ending(Outcome(None, Reason.DRAW))), "positions cannot be pickled: "),
    (ROWS, small_game(Broad), "rows must be a tuple with one character for each name in the layout"),
    (ROWS, small_game(Strange), "which is the symbol of no side and no piece"),
    (ROWS, small_game(layout=((*CELLS[:5], ""),)), "rows has '.' where the layout has no cell"),
    (COUNTS, small_game(score=margin), "score is 0; it must be two integers"),
    (COUNTS, small_game(counts=lambda _: ((1,),)), "counts must have one number for each name in the layout"),
    (COUNTS, small_game(counts=lambda _: ((-1,) * 6,)), "counts has -1; it must be an integer, 0 or more"),
    (COUNTS, small_game(held=lambda *_: (("z", 1),)), "held has 'z', which is the symbol of no side"),
    (COUNTS, small_game(held=lambda *_: (("x", "1"),)), "held has '1' of 'x'; it must be an integer"),
    (COUNTS, small_game(held=lambda *_: (("x", 1),) * 2), "held of first has a piece twice"),
    (MOVES, small_game(Named), "in the move 'a1g9', 'g9' after a1 is not a cell of the layout"),
    (MOVES, small_game(Before), "in the move 'Na1', its beginning is not a cell of the layout"),
    (MOVES, small_game(Alike), "on a board nobody can choose between 'a1b1' and 'a1-b1'"),
    (WRONG, small_game(Lax), "play('a1 ') plays a move that legal_moves does not have"),
    (WRONG, small_game(Keys), "; for a wrong move it must raise MalformedMove or IllegalMove"),
    (WRONG, small_game(refusing(MalformedMove)), "raised MalformedMove, but the move is legal in other positions"),
    (WRONG, small_game(refusing(IllegalMove)), "raised IllegalMove, but no game has such a move; raise MalformedMove"),
    (
        WRONG,
        small_game(refusing(lambda move: wrong(move, "Not that"))),
        "the text 'Not that'; it must begin with a small",
    ),
    (WRONG, small_game(refusing(lambda move: wrong(move, "no."))), "the text 'no.'; it must have no full stop"),
    (WRONG, small_game(refusing(lambda move: wrong(move, ""))), "no text; it must say why"),
    (WRONG, small_game(why_illegal=lambda *_: "No!"), "why_illegal returned, for "),
    (OUTCOMES, small_game(ending(Outcome("x", Reason.COUNT))), "the winner is 'x'"),  # type: ignore[arg-type]
    (OUTCOMES, small_game(ending(Outcome(None, Reason.TIME))), "the reason 'time' is neither line, count or draw nor"),
    (OUTCOMES, small_game(ending(Outcome(Side.FIRST, Reason.DRAW))), "the reason is draw, but there is a winner"),
    (OUTCOMES, small_game(ending(Outcome(None, Reason.DRAW, ("z9",)))), "have 'z9', which is not a cell"),
    (OUTCOMES, small_game(ending(Outcome(None, Reason.DRAW, ("b1", "a1")))), "are b1 a1; they must be in board order"),
    (NAMES, small_game(notation=lambda *_: ""), "is ''; it must be a text that can be shown"),
    (NAMES, small_game(notation=lambda *_: "take"), "have the same notation, 'take'"),
    (NAMES, small_game(notation=lambda _, move: f"!{move}", read=lambda _, text: text), "read returns '!"),
    (
        NAMES,
        small_game(read=lambda _, text: text if text in CELLS else "a1"),
        "read returns 'a1' for 'nonsense'",
    ),
    (CLAIMS, small_game(claim=lambda _: "dull"), "claim returns 'dull', which is not one of the game's endings"),
    (MARGINS, small_game(margin=lambda position: -margin(position)), "it is positive where first has won"),
    (MARGINS, small_game(margin=lambda _: 0.5), "margin is 0.5; it must be an integer"),
    (MARGINS, small_game(score=lambda position: worths(position)[::-1]), "the difference of the score is "),
    (HEURISTIC, small_game(heuristic=Heuristic(estimate, 0)), "unit must be greater than 0"),
    (HEURISTIC, small_game(heuristic=Heuristic(estimate, 1, slip=0)), "slip must be greater than 0, or None"),
    (HEURISTIC, estimating(lambda _: 0.5), "evaluate returned 0.5; it must be an integer"),
    (HEURISTIC, estimating(lambda _: 10**9), "an estimate must be smaller than 100,000,000"),
    (HEURISTIC, estimating(candidates=lambda _: ()), "candidates is empty"),
    (HEURISTIC, estimating(candidates=lambda _: ("z9",)), "candidates has 'z9', which is not legal"),
    (HEURISTIC, estimating(noisy=lambda position: position.legal_moves * 2), "noisy has a move twice"),
    (SETS, optional(lambda _: small_game(start=Stones("x....."))), "variant with all defaults gives another game"),
    (SETS, optional(lambda _: small_game(key="other")), "with kind=a the key is 'other'; it must stay 'stones'"),
    (
        SETS,
        optional(lambda chosen: small_game(Still if chosen["kind"] == "b" else Stones)),
        "with kind=b: to_move, outcome, legal_moves and ply agree: ply is 0 after 1 moves",
    ),
    (SETS, optional(lambda _: small_game(), choices=()), "variant takes kind='nonsense'; it must raise ValueError"),
    (SETS, optional(silent, choices=()), "variant refuses kind='nonsense' without a text"),
    (DRAWN, small_game(Silent), "__str__ raised ZeroDivisionError: no picture"),
]


def wrong(move: str, text: str) -> Exception:
    return IllegalMove(text) if move in CELLS else MalformedMove(text)


@pytest.mark.parametrize(("name", "game", "problem"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_game_is_found(name: str, game: Game, problem: str) -> None:
    outside = OUTSIDE if name == ELSEWHERE else WITHIN
    fault = {check.name: check for check in check_game(game, 3, 1, outside)}[name].fault
    assert fault is not None
    assert problem in fault.problem


def test_the_example_in_the_docs_passes_and_is_found_broken_as_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text(encoding="utf-8")
    coins = (PAGE.parents[1] / "examples/games/coins/noughts_coins.py").read_text(encoding="utf-8")
    module, printed = ModuleType("noughts_coins"), page.split("```console\n")[-1].split("\n")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    break_it = ("move not in self.legal_moves", 'self.row[COINS.index(move)] != "."')
    assert all(code in page for code in break_it)
    assert break_it[0] in coins
    for code, expected in ((coins, []), (coins.replace(*break_it), printed[4:8])):
        exec(code, vars(module))
        checks = check_game(module.COINS_IN_A_ROW, RANDOM_GAMES, 1, WITHIN)
        faults = [replace(check, name=f"coins: {check.name}") for check in checks if check.fault]
        assert [line for check in faults for line in as_text(check)] == expected


def test_a_fault_shows_the_position_and_the_moves_that_lead_to_it() -> None:
    fault = checked(small_game(Strange))[ROWS].fault
    assert fault is not None
    moves, board, text = fault.quotes
    assert moves.startswith("after ")
    assert (board, text) == (f"  {fault.quotes[2][5:].replace('o', 'z')}", f"text {text[5:]}")
    position = Stones()
    for move in moves.split()[1:]:
        position = position.play(move)
    assert position.text == text[5:]


def test_a_fault_shows_where_the_game_raised() -> None:
    fault = checked(small_game(Crashes))[PLAYED].fault
    assert fault is not None
    assert fault.quotes[-1].startswith(f"! {__file__}, line ")
    assert fault.quotes[-1].endswith('in play: raise ZeroDivisionError("oh")')


def test_an_estimate_that_is_always_for_the_first_side_is_found() -> None:
    def one_sided(position: Any) -> int:
        return margin(position)

    assert checked(estimating(), 40)[HEURISTIC].fault is None
    fault = checked(estimating(one_sided), 40)[HEURISTIC].fault
    assert fault is not None
    assert fault.problem.startswith("evaluate seems to say how first stands, whoever moves: ")


def test_the_same_seed_makes_the_same_games() -> None:
    def played(seed: int) -> list[Any]:
        drawn: list[Any] = []
        outside = replace(WITHIN, draw=lambda _, seen: drawn.append(seen.moves))
        list(check_game(small_game(), 3, seed, outside))
        return drawn

    assert played(1) == played(1) != played(2)


def test_a_slow_game_gets_a_warning() -> None:
    for step_ns, told in ((5_000, "play 5 µs (slowest 5), legal_moves 5 µs"), (2_000_000, "Warning: play and legal")):
        outside = replace(WITHIN, clock=partial(next, count(0, step_ns)))
        check = {each.name: each for each in check_game(small_game(), 1, 1, outside)}["it is fast"]
        assert check.fault is None
        assert told in check.note
