"""Proofs of what each move keeps: the win, the draw, or nothing. Pure; does no I/O.

An oracle answers for one game. Where the game has a kernel that solves positions it is the game's engine, of which only
exact values and bounds count. For other games it is a search for the answer to one question, does this side force a win
within so many plies: alpha-beta whose values are yes and no, with iterative deepening, the history heuristic and a
transposition table, as in Marsland, *A Review of Game-Tree Pruning* (1986). In games in which earlier positions can
decide, only wins within so many plies are proved, from positions without a history, with a table for each short search.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from noughts.engine import Engine, Interrupt, Limits, usable_engine_of
from noughts.engine.engines import is_small_mnk
from noughts.engine.review import prospect_of
from noughts.games import Game, Position, Side
from noughts.games.dots import BOARDS, DotsPosition
from noughts.games.kalah import KalahPosition
from noughts.value import value

KERNEL_NODES, SEARCH_NODES = 20_000_000, 200_000
"""The positions that one answer may take, with a kernel and without, unless somebody gives another number."""

TABLE_SIZE = 500_000
"""The positions remembered for each side: some 150 MB."""

WITHOUT_REPETITION = 7
"""In so many plies no position comes up for the third time.

Equal positions that a search reaches in equally many plies then have the same future: they are equally quiet, or a move
that cannot be undone led to both."""

POLLED = 64
"""After so many positions a search looks whether it is to stop."""

NEVER = 10**6
"""More plies than any game lasts."""


SOLVING = ("connect4", "reversi", "ultimate")
"""The games whose kernels solve positions; other kernels find good moves."""


BY_OWN_MOVE = ("breakthrough", "chess", "draughts", "gomoku", "hex", "morris", "tictactoe", "ultimate")
"""The games in which a side wins only by a move of its own: a last move of the other side need not be searched."""


class Undecided(Exception):
    """The proof would take more nodes than allowed, or the game knows no such proof."""


@value
class Outlook:
    """The proved result of a move for the side that plays it: 1 a win, 0 a draw, -1 a loss.

    ``plies`` is how soon the winner wins, this move included, while the other side holds out as long as it can; None
    for a draw, and if it is not known. If wins within a number of plies were asked for, 0 stands for no such win.
    """

    result: int
    plies: int | None = None


class Oracle(Protocol):
    """Proves what moves lead to in one game. It remembers, so use one in one thread at a time."""

    @property
    def game(self) -> Game:
        """The game."""

    def outlooks(self, position: Position, within: int | None = None) -> dict[str, Outlook]:
        """The outlook of each legal move, in board order; empty when the game is over.

        With ``within``, of wins within so many plies from ``position``. Raises :class:`Undecided`.
        """

    def outlook(self, position: Position, move: str, within: int | None = None) -> Outlook:
        """The outlook of one legal move, which may be proved sooner than all. Raises :class:`Undecided`."""

    def only_move(self, position: Position) -> tuple[str, int] | None:
        """The one move that keeps the win or the draw, and the result that it keeps: 1 or 0.

        None if several moves keep it, or if all lose. Raises :class:`Undecided`.
        """


def winner_of(position: Position) -> Side | None:
    """The side that has won, also where the game goes on, but the side has more than half of what counts; else None."""
    outcome = position.outcome
    if outcome is not None:
        return outcome.winner
    if isinstance(position, KalahPosition):
        first, second, all_there_is = position.seeds[position.pits], position.seeds[-1], sum(position.seeds)
    elif isinstance(position, DotsPosition):
        first, second = position.first.bit_count(), position.second.bit_count()
        all_there_is = len(BOARDS[position.size].boxes)
    else:
        return None
    return Side.FIRST if 2 * first > all_there_is else Side.SECOND if 2 * second > all_there_is else None


def only_keeper(outlooks: dict[str, Outlook]) -> tuple[str, int] | None:
    """The one move with the best result and that result, None if it is a loss or several moves have it."""
    best = max((outlook.result for outlook in outlooks.values()), default=-1)
    keepers = [move for move, outlook in outlooks.items() if outlook.result == best]
    return (keepers[0], best) if best >= 0 and len(keepers) == 1 else None


def is_solved_by_kernel(game: Game) -> bool:
    """True if there is a kernel that solves positions of ``game``."""
    return is_small_mnk(game) or (game.key in SOLVING and not game.setup)


def solver_of(game: Game) -> Engine | None:
    """A new engine for ``game`` with a kernel that solves positions; None if there is none, or numba does not work."""
    if not is_solved_by_kernel(game):
        return None
    engine, why_plain = usable_engine_of(game)
    return engine if why_plain is None else None


def oracle_of(game: Game, nodes: int | None = None) -> EngineOracle | SearchOracle:
    """A new oracle for ``game``, each of whose answers may take so many ``nodes``."""
    solver = solver_of(game)
    if solver is None:
        return SearchOracle(game, nodes or SEARCH_NODES)
    return EngineOracle(solver, nodes or KERNEL_NODES)


class EngineOracle:
    """The :class:`Oracle` of a game with a kernel that solves positions. ``stop`` ends its proofs early."""

    def __init__(self, engine: Engine, nodes: int, stop: Interrupt | None = None) -> None:
        self.game = engine.game
        self._limits = Limits(nodes=nodes)
        self._engine = engine
        self._stop = stop or Interrupt()

    def outlooks(self, position: Position, within: int | None = None) -> dict[str, Outlook]:
        """See :class:`Oracle`."""
        analysis = self._engine.analyse(position, self._limits, self._stop)
        found = {}
        for name, move in analysis.moves.items():
            prospect = prospect_of(self.game, move)
            if not prospect.proved:
                raise Undecided
            plies = move.distance if move.exact and prospect.low else None
            found[name] = Outlook(prospect.low, plies)
            if within is not None:
                if prospect.low > 0 and plies is None:
                    raise Undecided
                soon = prospect.low > 0 and plies is not None and plies <= within
                found[name] = Outlook(1, plies) if soon else Outlook(0)
        return found

    def outlook(self, position: Position, move: str, within: int | None = None) -> Outlook:
        """See :class:`Oracle`."""
        return self.outlooks(position, within)[move]

    def only_move(self, position: Position) -> tuple[str, int] | None:
        """See :class:`Oracle`."""
        return only_keeper(self.outlooks(position))


class SearchOracle:
    """The :class:`Oracle` of any other game. ``stop`` ends its proofs early."""

    def __init__(self, game: Game, nodes: int, stop: Interrupt | None = None) -> None:
        self.game = game
        self._most = nodes
        self._stop = stop or Interrupt()
        self._nodes = 0
        # For each side and position, with its ply in games with ``repeats``: the side forces a win within the first
        # number of plies, and none within the second.
        self._tables: dict[Side, dict[object, tuple[int, int]]] = {side: {} for side in Side}
        self._horizon = NEVER  # the ply up to which the table serves
        self._cut = False  # whether the search stopped at its horizon anywhere
        self._cutoffs: dict[tuple[Side, str], int] = {}
        self._by_own_move = game.key in BY_OWN_MOVE

    def outlooks(self, position: Position, within: int | None = None) -> dict[str, Outlook]:
        """See :class:`Oracle`."""
        position = self._root(position)
        side = position.to_move
        if side is None:
            return {}
        after = {move: position.play(move) for move in position.legal_moves}
        if within is None:
            return {move: self._outlook(child, side) for move, child in after.items()}
        return {move: self._win_after(child, side, within) for move, child in after.items()}

    def outlook(self, position: Position, move: str, within: int | None = None) -> Outlook:
        """See :class:`Oracle`."""
        position = self._root(position)
        side = position.to_move
        assert side is not None
        after = position.play(move)
        return self._outlook(after, side) if within is None else self._win_after(after, side, within)

    def only_move(self, position: Position) -> tuple[str, int] | None:
        """See :class:`Oracle`."""
        position = self._root(position)
        side, found = position.to_move, dict[str, Outlook]()
        if side is None:
            return None
        for move in self._ordered(position):
            child = position.play(move)
            found[move] = self._by_count(child, side) if self.game.margin else self._outlook(child, side)
            if sum(outlook.result > 0 for outlook in found.values()) == 2:
                return None
        return only_keeper(found)

    def fastest(self, position: Position, most: int) -> tuple[str, int] | None:
        """The one move that wins as soon as possible, and the plies to that win.

        None if several moves do, or if none wins within ``most`` plies. Raises :class:`Undecided`.
        """
        position = self._root(position)
        side = position.to_move
        if side is None:
            return None
        after = {move: position.play(move) for move in position.legal_moves}
        for plies in range(1, most + 1):
            winners = []
            for move, child in after.items():
                if self._wins(child, side, plies - 1):
                    winners.append(move)
                    if len(winners) == 2:
                        return None
            if winners:
                return winners[0], plies
        return None

    def _root(self, position: Position) -> Position:
        """Begin a search from ``position``, of which only the text counts where earlier positions could decide."""
        self._nodes = 0
        if not self.game.repeats:
            return position
        for table in self._tables.values():
            table.clear()
        position = self.game.parse(position.text)
        self._horizon = position.ply + WITHOUT_REPETITION
        return position

    def _win_after(self, position: Position, side: Side, within: int) -> Outlook:
        """The outlook of ``side``, which has moved to ``position``, on a win within so many plies."""
        soonest = next((plies for plies in range(within) if self._wins(position, side, plies)), None)
        return Outlook(0) if soonest is None else Outlook(1, soonest + 1)

    def _by_count(self, position: Position, side: Side) -> Outlook:
        """The same without the plies: where a count decides, a win seldom comes before the end."""
        return Outlook(1 if self._wins(position, side, NEVER) else -1 if self._wins(position, side.other, NEVER) else 0)

    def _outlook(self, position: Position, side: Side) -> Outlook:
        """The outlook of ``side``, which has moved to ``position``.

        A win of one side is looked for a ply deeper only after one of the other: most positions are won for one of
        them, and that a side never wins would take the whole tree.
        """
        if self.game.repeats:
            raise Undecided
        for plies in range(NEVER):
            cut = False
            for winner, result in ((side, 1), (side.other, -1)):
                self._cut = False
                if self._wins(position, winner, plies):
                    return Outlook(result, plies + 1)
                cut = cut or self._cut
            if not cut:
                break
        return Outlook(0)

    def _wins(self, position: Position, side: Side, plies: int) -> bool:
        """True if ``side`` forces a win within ``plies``. A side that may claim a draw does not lose."""
        self._nodes += 1
        if self._nodes > self._most or (self._nodes % POLLED == 0 and self._stop()):
            raise Undecided
        winner = winner_of(position)
        if not plies and winner is None and self.game.repeats:  # whether the game is over does not matter
            self._cut = True
            return False
        mover = position.to_move
        if winner is not None or mover is None:
            return winner is side
        mine = mover is side
        if not plies or (plies == 1 and not mine and self._by_own_move):
            self._cut = True
            return False
        if self.game.claim is not None and not mine and self.game.claim(position) is not None:
            return False
        table, key = self._tables[side], (position, position.ply) if self.game.repeats else position
        yes, no = table.get(key, (NEVER + 1, -1))
        if yes <= plies:
            return True
        if no >= plies:
            self._cut = self._cut or no < NEVER
            return False
        before, self._cut = self._cut, False
        won = not mine
        for move in self._ordered(position):
            if self._wins(position.play(move), side, plies - 1) is mine:
                won = mine
                self._cutoffs[mover, move] = self._cutoffs.get((mover, move), 0) + (1 << min(plies, 20))
                break
        if position.ply + plies <= self._horizon:
            if len(table) >= TABLE_SIZE:
                table.clear()
            table[key] = (plies, no) if won else (yes, plies if self._cut else NEVER)
        self._cut = self._cut or before
        return won

    def _ordered(self, position: Position) -> Iterable[str]:
        """The legal moves, those first that have decided other positions."""
        cutoffs, side = self._cutoffs, position.to_move
        assert side is not None
        return sorted(position.legal_moves, key=lambda move: -cutoffs.get((side, move), 0))
