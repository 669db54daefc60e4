"""Questions of somebody who solves a puzzle, as a search answers them: a move, a hint, the proof. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from noughts.engine import Engine, Interrupt
from noughts.puzzles.oracle import EngineOracle, Oracle, SearchOracle, Undecided, is_solved_by_kernel
from noughts.puzzles.play import after, answered, hinted, is_kept, judge, left, refutation
from noughts.puzzles.puzzle import Puzzle, solved
from noughts.puzzles.wording import because, hint_of, led_to
from noughts.value import value

KERNEL_NODES, SEARCH_NODES = 20_000_000, 100_000
"""The positions that the proofs for one answer may take, with a kernel and without."""


class Kind(StrEnum):
    """The kind of a question. TRY: is ``move`` right, and what follows. HINT: ``number`` 1 names a few moves, 2 the
    right one. PROOF: what the other first moves lead to.
    """

    TRY = "try"
    HINT = "hint"
    PROOF = "proof"


@value
class Question:
    """A question about ``puzzle`` after ``moves``. ``trusted``: they are known to be right, and need no proof."""

    puzzle: Puzzle
    kind: Kind
    moves: tuple[str, ...] = ()
    move: str = ""
    number: int = 1
    trusted: bool = False

    @property
    def on_line(self) -> bool:
        """True if the puzzle's own line answers it, so that no proof is needed."""
        line = self.puzzle.line
        known = (*self.moves, self.move) if self.kind is Kind.TRY else self.moves
        return self.kind is not Kind.PROOF and line[: len(known)] == known and len(self.moves) < len(line)


@value
class Reply:
    """The answer. ``text`` is in words.

    TRY: ``kept`` is True if the move is right, False if it is wrong, None if that was not decided; ``moves`` follow
    a right one until the side that solves has a choice again, or refute a wrong one; ``solved``: it has none, since its
    goal is reached.
    HINT: ``moves`` are those that it names. PROOF: ``told`` has the first moves and what each leads to, in words; those
    that could not be proved are left out.
    """

    text: str = ""
    kept: bool | None = None
    moves: tuple[str, ...] = ()
    solved: bool = False
    told: tuple[tuple[str, str], ...] = ()


class NotThere(ValueError):
    """The moves of a question do not lead to a position of its puzzle in which the goal is kept."""


def reply_to(question: Question, engine: Engine | None, stop: Interrupt) -> Reply:
    """The answer to ``question``, for whose game ``engine`` searches; None where no proof is needed.

    ``stop`` ends the proofs. Raises :class:`NotThere`.
    """
    puzzle, moves = question.puzzle, question.moves
    oracle = _oracle(puzzle, engine, stop)
    if not question.trusted and puzzle.line[: len(moves)] != moves:
        _check(oracle, puzzle, moves)
    position = after(puzzle, moves)
    if position.to_move is not puzzle.side or solved(puzzle, position):
        raise NotThere("it is not your move there")
    if question.kind is Kind.TRY:
        return _tried(oracle, question)
    if question.kind is Kind.PROOF:
        return _proof(oracle, puzzle)
    try:
        named = hinted(oracle, puzzle, moves, question.number)
    except Undecided:
        return Reply("A proof would take too long here.")
    return Reply(hint_of(puzzle, position, named), moves=named)


def _oracle(puzzle: Puzzle, engine: Engine | None, stop: Interrupt) -> EngineOracle | SearchOracle:
    if engine is not None and is_solved_by_kernel(puzzle.game):
        return EngineOracle(engine, KERNEL_NODES, stop)
    return SearchOracle(puzzle.game, SEARCH_NODES if engine is not None else 0, stop)


def _check(oracle: Oracle, puzzle: Puzzle, moves: tuple[str, ...]) -> None:
    """Raise :class:`NotThere` unless each of ``moves`` of the side that solves keeps its goal. Any defence will do."""
    position = puzzle.position
    for number, move in enumerate(moves):
        if move not in position.legal_moves or solved(puzzle, position):
            raise NotThere(f"move {number + 1} cannot be played")
        if position.to_move is puzzle.side and judge(oracle, puzzle, moves[:number], move).kept is not True:
            raise NotThere(f"move {number + 1} is not right")
        position = position.play(move)


def _tried(oracle: Oracle, question: Question) -> Reply:
    puzzle, moves, move = question.puzzle, question.moves, question.move
    if move not in after(puzzle, moves).legal_moves:
        raise NotThere(f"'{move:.20}' cannot be played there")
    reply = told_of(oracle, puzzle, moves, move)
    if not reply.kept:
        return reply
    following = answered(oracle, puzzle, (*moves, move))
    return replace(reply, moves=following, solved=solved(puzzle, after(puzzle, (*moves, move, *following))))


def told_of(oracle: Oracle, puzzle: Puzzle, moves: tuple[str, ...], move: str) -> Reply:
    """The answer to a try of a legal ``move`` after ``moves``, without what follows a right one."""
    verdict = judge(oracle, puzzle, moves, move)
    if verdict.kept is None:
        return Reply("A proof of that move would take too long. Try another.")
    if verdict.kept:
        return Reply("Right." if verdict.outlook is None else "That is right, too.", True)
    line = (*moves, move)
    refuted = refutation(oracle, puzzle, line, verdict.outlook)
    return Reply(because(puzzle, line, refuted, verdict.outlook), False, refuted)


def _proof(oracle: Oracle, puzzle: Puzzle) -> Reply:
    """The consequences of all first moves but the right one."""
    told, within = [], left(puzzle, 0)
    for move in puzzle.position.legal_moves:
        if move == puzzle.line[0]:
            continue
        try:
            outlook = oracle.outlook(puzzle.position, move, within)
        except Undecided:
            continue
        assert not is_kept(puzzle, outlook), "only one first move is right"
        told.append((move, led_to(puzzle, outlook, within)))
    return Reply(told=tuple(told))
