"""The textbook engine: iterative deepening alpha-beta for any game. Pure; does no I/O.

Alpha-beta as in Knuth and Moore, *An Analysis of Alpha-Beta Pruning* (1975), with the additions of Russell and Norvig,
*Artificial Intelligence: A Modern Approach*, and Marsland, *A Review of Game-Tree Pruning* (1986): iterative deepening,
the best move of the iteration before tried first, and a transposition table. In games whose heuristic names noisy moves
it is a chess engine's search, as in Marsland's review too: quiescence, principal variation search, killer moves, the
history heuristic and, with repetitions, late-move reductions. The tests compare it with the plain searches of
:mod:`noughts.engine.minimax`.

What is exact:

- A search proves what holds whatever lies beyond its horizon. Quiescence lies beyond it and proves nothing; nor does a
  draw that somebody may claim.
- With ``Game.repeats`` a search proves nothing at all: the table joins equal positions with different histories, a
  repetition within the search counts as a draw, and reductions overlook moves. Exact are moves that end the game, and
  forced wins and losses that :mod:`noughts.engine.proof` finds again without any of these, with their distances.
"""

from __future__ import annotations

from typing import NamedTuple

from noughts.engine.analysis import Analysis, Interrupt, Limits, MoveValue
from noughts.engine.proof import forced_win
from noughts.games import Game, Outcome, Position, Side

# Scores are for the side to move. A proved win scores DECIDED plus its value, a proved loss the negative of that, and
# estimates lie between them, so that they never outrank a proved win.
DECIDED = 10**9
INFINITY = 10**12

NODES_PER_POLL = 32
"""A poll costs little, and a node of Gomoku takes up to 0.1 ms."""

TABLE_SIZE = 50_000
"""The positions remembered in one iteration: some 20 MB."""

FAR_DEPTH = 2
"""In plies: how deep moves are searched that the game does not call candidates."""

QUIET_PLIES = 8
"""The greatest number of plies of noisy moves with which a search goes on."""

KILLERS = 2
"""The number of killer moves remembered for each ply."""

REDUCED_AFTER = 4
"""The number of moves searched at full depth before quiet ones are searched a ply less, if that suffices."""

REDUCED_DEPTH = 3
"""In plies before the horizon: no moves are searched less where fewer are left."""

_Line = tuple[str, "_Line"] | None
"""A line as its first move and the line after it."""


class _Found(NamedTuple):
    """The knowledge of a position, or of a move.

    ``score`` is its value, or a bound if it is outside the window. ``proven`` says that it holds whatever lies beyond
    the horizon. ``line`` is the principal variation.
    """

    score: int
    proven: bool
    line: _Line


_DRAW = _Found(0, False, None)
"""A draw that somebody may claim, or that repetitions may bring."""


class _Known(NamedTuple):
    """An entry of the transposition table; ``at_least`` and ``at_most`` say what kind of bound the score is."""

    left: int
    found: _Found
    at_least: bool
    at_most: bool


class _Halt(Exception):
    """The search was stopped, or has reached its limit of nodes."""


class _TooLong(Exception):
    """A proof would take more nodes than the search."""


class Textbook:
    """Searches any game. It keeps nothing from one search to the next."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def analyse(self, position: Position, limits: Limits, stop: Interrupt) -> Analysis:
        """See :class:`~noughts.engine.analysis.Engine`.

        A proved win or loss is exact as soon as it is found: with ``Game.margin`` once everything that could have a
        greater margin is searched, otherwise at once, because a win within the horizon is sooner than any beyond it.
        With ``Game.repeats`` it is exact when it is proved again, see above; without a proof it is an estimate.
        Raises ValueError if the game lasts longer than ``Game.win`` allows.
        """
        return _Search(self.game, position, limits, stop).run()


class _Search:
    def __init__(self, game: Game, root: Position, limits: Limits, stop: Interrupt) -> None:
        self.game = game
        self.root = root
        self.limits = limits
        self.stop = stop
        self.nodes = 0
        self.depth = 0  # of the last completed iteration
        self.horizon = 0  # of the current iteration, in plies from the root
        self.beyond = False  # whether any position at the horizon was not finished
        self.table: dict[Position, _Known] = {}
        self.before: dict[Position, _Known] = {}  # of the iteration before, to order moves
        # A finished game is valued as if the sides had alternated.
        self.side = root.to_move or (Side.SECOND if root.ply % 2 else Side.FIRST)
        self.soonest = game.margin is None or game.sooner
        heuristic = game.heuristic
        self.evaluate = heuristic.evaluate if heuristic else None
        self.candidates = heuristic.candidates if heuristic else None
        self.noisy = heuristic.noisy if heuristic else None
        self.expand = self._expand if self.noisy is None else self._expand_selectively
        self.claim = game.claim
        self.repeats = game.repeats
        self.path = {root}  # with repetitions: the positions from the root to where the search is
        self.killers: dict[int, tuple[str, ...]] = {}  # by plies from the root: quiet moves that caused cutoffs last
        self.history: dict[tuple[Side, str], int] = {}  # how much each quiet move has cut off
        self.proved: dict[str, _Found] = {}  # with repetitions: the moves that are proved
        self.soonest_proved = False  # with repetitions: whether no other move can win sooner than the best
        self.found: dict[str, _Found] = {}  # for each move, by the last iteration, then by the current one
        self.depths: dict[str, int] = {}  # for each candidate, the iteration that found it

    def run(self) -> Analysis:
        outcome = self.root.outcome
        if outcome is not None:
            score = self._end(self.root, outcome, self.side, 0).score
            return Analysis(_worth(score), True, {}, (), 1, 0)
        near = list(self.candidates(self.root) if self.candidates else self.root.legal_moves)
        far = [move for move in self.root.legal_moves if move not in near] if self.candidates else []
        best = near[:1]
        try:
            while not self._enough(near, best):
                self.horizon = self.depth + 1
                self.beyond = False
                self.before, self.table = self.table, {}
                now: dict[str, _Found] = {}
                try:
                    self._iterate(near, now)
                    if self.limits.every_move:
                        self._glance(far, now)
                    self.depth = self.horizon
                finally:
                    # A stopped iteration counts if it has at least searched the move that was best before.
                    if now:
                        self.found |= now
                        self.depths |= {move: self.horizon for move in near if move in now}
                        best = self._best({move: now[move] for move in near if move in now})
                if self.repeats:
                    best = self._prove(near, best)
                near.sort(key=lambda move: -self.found[move].score)
        except _Halt:
            pass
        return self._answer(best)

    def _enough(self, near: list[str], best: list[str]) -> bool:
        """True if a deeper search would find no more, or is not allowed."""
        if not self.depth:
            return False
        if self.depth == self.limits.depth or not self.beyond:
            return True
        if not self.limits.every_move and self.soonest and self.found[best[0]].score > DECIDED:
            return self.soonest_proved if self.repeats else not self.noisy or self.found[best[0]].proven
        return all(self.found[move].proven for move in near)

    def _iterate(self, moves: list[str], now: dict[str, _Found]) -> None:
        """Search all ``moves`` to the horizon."""
        best = -INFINITY
        for move in moves:
            if move in self.proved:
                now[move] = self.proved[move]
                best = max(best, now[move].score)
                continue
            if best > -INFINITY and not self.limits.every_move:
                found = self._after(move, best - 1, best)
                if found.score < best:
                    now[move] = found
                    continue
            found = self._after(move, -INFINITY, INFINITY)
            now[move] = found
            best = max(best, found.score)

    def _glance(self, moves: list[str], now: dict[str, _Found]) -> None:
        """Search ``moves``, which are not candidates, to a small depth.

        Is any of them as good as the worst candidate? If all candidates lose, does any of them not lose?
        """
        if self.horizon > FAR_DEPTH:
            return
        scores = [found.score for found in now.values()]
        least = min((score for score in scores if score > -DECIDED), default=max(scores) + 1)
        for move in moves:
            score, _, line = self._after(move, least - 1, least)
            now[move] = _Found(score if least <= -DECIDED else min(score, least), False, line)

    def _after(self, move: str, alpha: int, beta: int) -> _Found:
        """Search a move of the root."""
        after = self.root.play(move)
        if after.to_move is self.side:
            score, proven, line = self._search(after, self.side, self.horizon - 1, alpha, beta)
        else:
            score, proven, line = self._search(after, self.side.other, self.horizon - 1, -beta, -alpha)
            score = -score
        if self.repeats:
            proven = after.outcome is not None
        return _Found(score, proven, (move, line))

    def _search(self, position: Position, side: Side, left: int, alpha: int, beta: int) -> _Found:
        """The value for ``side`` of ``position``, ``left`` plies before the horizon.

        ``side`` is to move unless the game is over.

        A score of at most ``alpha`` is an upper bound, one of at least ``beta`` a lower bound (Fishburn's fail-soft).
        """
        if not self.nodes % NODES_PER_POLL:
            self._poll()
        self.nodes += 1
        plies = self.horizon - left
        outcome = position.outcome
        if outcome is not None:
            return self._end(position, outcome, side, plies)
        if self.repeats and position in self.path:
            return _DRAW
        claims = self.claim is not None and self.claim(position) is not None
        if claims:
            alpha = max(alpha, 0)
            if alpha >= beta:
                return _DRAW
        if not left:
            found = self._estimate(position) if self.noisy is None else self._quiesce(position, side, 0, alpha, beta)
            return _DRAW if claims and found.score <= 0 else found
        if self.game.margin is None:
            beta = min(beta, DECIDED + self.game.win - plies - 1)  # nothing is better than winning at once
            if alpha >= beta:
                return _Found(beta, True, None)
        known = None if claims else self.table.get(position)
        if known is not None and known.left == left:
            score = known.found.score
            if (known.at_least and (score >= beta or known.at_most)) or (known.at_most and score <= alpha):
                return known.found
        if self.repeats:
            self.path.add(position)
        found, at_least, at_most = self.expand(position, side, left, alpha, beta)
        if self.repeats:
            self.path.discard(position)
        if claims:
            return _DRAW if found.score <= 0 else found
        if len(self.table) >= TABLE_SIZE:
            self.table.clear()
        self.table[position] = _Known(left, found, at_least, at_most)
        return found

    def _expand(self, position: Position, side: Side, left: int, alpha: int, beta: int) -> tuple[_Found, bool, bool]:
        """Search the moves of ``position``. Returns the result, and whether its score is a lower and an upper bound."""
        best, best_proven, line = -INFINITY, False, None
        all_proven = True
        other = side.other
        moves = self.candidates(position) if self.candidates else position.legal_moves
        for move in self._ordered(position, moves):
            after = position.play(move)
            if after.to_move is side:  # it moves again
                score, proven, rest = self._search(after, side, left - 1, max(alpha, best), beta)
            else:
                score, proven, rest = self._search(after, other, left - 1, -beta, -max(alpha, best))
                score = -score
            if score > best:
                best, best_proven, line = score, proven, (move, rest)
                if best >= beta:
                    return _Found(best, proven, line), True, False
            all_proven = all_proven and proven
        if all_proven and self.candidates:
            all_proven = len(moves) == len(position.legal_moves)
        if best > DECIDED and self.soonest:
            # Wins beyond the horizon come later.
            all_proven = best_proven
        return _Found(best, all_proven, line), best > alpha, True

    def _ordered(self, position: Position, moves: tuple[str, ...]) -> tuple[str, ...]:
        """``moves``, beginning with the best one of the iteration before."""
        known = self.before.get(position)
        if known is None or known.found.line is None:
            return moves
        first = known.found.line[0]
        if self.repeats and first not in moves:  # it was legal after another history
            return moves
        return (first, *[move for move in moves if move != first])

    def _expand_selectively(
        self, position: Position, side: Side, left: int, alpha: int, beta: int
    ) -> tuple[_Found, bool, bool]:
        """The same in a game with noisy moves, by principal variation search.

        The moves after the first are only to show that they are no better. With repetitions, where nothing is proved,
        late quiet moves are to show it a ply less deep.
        """
        assert self.noisy is not None
        best, best_proven, line = -INFINITY, False, None
        all_proven = True
        noisy = self.noisy(position)
        moves = self.candidates(position) if self.candidates else position.legal_moves
        reducible = self.repeats and left >= REDUCED_DEPTH and len(noisy) < len(position.legal_moves)
        for index, move in enumerate(self._ordered_selectively(position, side, left, moves, noisy)):
            after = position.play(move)
            low = max(alpha, best)
            high = low + 1 if index else beta
            less = reducible and index >= REDUCED_AFTER and move not in noisy
            score, proven, rest = self._reply(after, side, left - 2 if less else left - 1, low, high)
            if score > low and (less or score < beta) and (less or high < beta):
                score, proven, rest = self._reply(after, side, left - 1, low, beta)
            if score > best:
                best, best_proven, line = score, proven, (move, rest)
                if best >= beta:
                    if move not in noisy:
                        self._note_cutoff(side, left, move)
                    return _Found(best, proven, line), True, False
            all_proven = all_proven and proven
        if all_proven and self.candidates:
            all_proven = len(moves) == len(position.legal_moves)
        if best > DECIDED and self.soonest:
            all_proven = best_proven
        return _Found(best, all_proven, line), best > alpha, True

    def _reply(self, after: Position, side: Side, left: int, alpha: int, beta: int) -> _Found:
        """The value for ``side`` of the position after its move."""
        if after.to_move is side:
            return self._search(after, side, left, alpha, beta)
        score, proven, line = self._search(after, side.other, left, -beta, -alpha)
        return _Found(-score, proven, line)

    def _ordered_selectively(
        self, position: Position, side: Side, left: int, moves: tuple[str, ...], noisy: tuple[str, ...]
    ) -> list[str]:
        """``moves``: the best one known, then noisy ones, then quiet ones that have caused the most cutoffs."""
        known = self.table.get(position) or self.before.get(position)
        first = () if known is None or known.found.line is None else (known.found.line[0],)
        quiet = sorted(moves, key=lambda move: -self.history.get((side, move), 0))
        allowed = set(moves)
        every = dict.fromkeys((*first, *noisy, *self.killers.get(self.horizon - left, ()), *quiet))
        return [move for move in every if move in allowed]

    def _note_cutoff(self, side: Side, left: int, move: str) -> None:
        """A quiet move caused a cutoff: try it early elsewhere."""
        plies = self.horizon - left
        self.killers[plies] = (move, *(other for other in self.killers.get(plies, ()) if other != move))[:KILLERS]
        self.history[side, move] = self.history.get((side, move), 0) + left * left

    def _quiesce(self, position: Position, side: Side, plies: int, alpha: int, beta: int) -> _Found:
        """The value of an unfinished position ``plies`` beyond the horizon, by noisy moves. It is not proven.

        ``side``, which is to move, may be content with the estimate, unless all legal moves are noisy.
        """
        assert self.noisy is not None
        best = self._estimate(position)
        if plies == QUIET_PLIES or not (noisy := self.noisy(position)):
            return best
        if len(noisy) == len(position.legal_moves):
            best = _Found(-INFINITY, False, None)
        for move in noisy:
            low = max(alpha, best.score)
            if low >= beta:
                break
            after = position.play(move)
            self._count()
            outcome = after.outcome
            if outcome is not None:
                score, _, line = self._end(after, outcome, side, self.horizon + plies + 1)
            elif after.to_move is side:
                score, _, line = self._quiesce(after, side, plies + 1, low, beta)
            else:
                score, _, line = self._quiesce(after, side.other, plies + 1, -beta, -low)
                score = -score
            if score > best.score:
                best = _Found(score, False, (move, line))
        return best

    def _prove(self, near: list[str], best: list[str]) -> list[str]:
        """Prove the wins and losses among ``near``, if that takes no more nodes than the search. Returns the best.

        The soonest win is enough if only the best moves are asked for.
        """
        if self.game.margin is not None:
            return best
        most = 2 * self.nodes
        top = self.found[best[0]].score

        def visit() -> None:
            self._count()
            if self.nodes > most:
                raise _TooLong

        try:
            if top > DECIDED and not self.soonest_proved:
                line = forced_win(self.game, self.root, self.side, self._distance(top), visit)
                if line:
                    self._settle(self.side, line)
                    self.soonest_proved = True
            if self.limits.every_move or top < -DECIDED:
                for move in near:
                    found = self.found[move]
                    if found.proven or abs(found.score) < DECIDED:
                        continue
                    winner = self.side if found.score > 0 else self.side.other
                    after = self.root.play(move)
                    line = forced_win(self.game, after, winner, self._distance(found.score) - 1, visit)
                    if line is not None:
                        self._settle(winner, (move, *line))
        except _TooLong:
            pass
        return self._best({move: self.found[move] for move in near})

    def _distance(self, score: int) -> int:
        """In how many plies from the root the game ends by a win or loss."""
        return self.game.win + DECIDED - abs(score)

    def _settle(self, winner: Side, line: tuple[str, ...]) -> None:
        """The first move of ``line`` is proved to let ``winner`` win by it."""
        score = DECIDED + self.game.win - len(line)
        rest: _Line = None
        for move in reversed(line):
            rest = (move, rest)
        self.found[line[0]] = self.proved[line[0]] = _Found(score if winner is self.side else -score, True, rest)

    def _end(self, position: Position, outcome: Outcome, side: Side, plies: int) -> _Found:
        """The value of a finished game for ``side``."""
        if outcome.winner is None:
            return _Found(0, True, None)
        if self.game.margin is not None:
            worth = abs(self.game.margin(position))
        elif plies < self.game.win:
            worth = self.game.win - plies
        else:
            raise ValueError(f"a game is won {plies} plies from the root: the game's win must be greater")
        return _Found(DECIDED + worth if outcome.winner is side else -DECIDED - worth, True, None)

    def _estimate(self, position: Position) -> _Found:
        self.beyond = True
        value = self.evaluate(position) if self.evaluate else 0
        return _Found(max(1 - DECIDED, min(value, DECIDED - 1)), False, None)

    def _count(self) -> None:
        """Count a node, and now and then poll."""
        if not self.nodes % NODES_PER_POLL:
            self._poll()
        self.nodes += 1

    def _poll(self) -> None:
        if self.stop() or (self.limits.nodes is not None and self.nodes >= self.limits.nodes):
            raise _Halt

    def _best(self, near: dict[str, _Found]) -> list[str]:
        """The best of the moves ``near``, which are not all moves if the iteration was stopped."""
        # Estimates of different depths do not compare well; without a heuristic there are none. If all moves searched
        # deeper lose, there is no choice.
        found = near if self.evaluate and max(each.score for each in near.values()) > -DECIDED else self.found
        score = max(each.score for each in found.values())
        return [move for move in found if found[move].score == score]

    def _answer(self, best: list[str]) -> Analysis:
        if not self.found:  # stopped before the first move
            self.found[best[0]] = _Found(0, False, (best[0], None))
        top = self.found[best[0]]
        won = top.proven and self.soonest and top.score > DECIDED and (self.soonest_proved or not self.repeats)
        moves = {}
        for move in self.root.legal_moves:
            found = self.found.get(move, _Found(INFINITY, False, (move, None)))
            if move not in best and not found.proven and not self.limits.every_move and won:
                found = found._replace(score=top.score - 1)  # it can at best win later
            elif move not in best and found.score > top.score:
                found = found._replace(score=top.score, proven=False)
            exact = found.proven and (self.limits.every_move or move in best)
            line = _names(found.line)
            if self.repeats and not exact:
                line = self._playable(line)
            looked = self.depths.get(move, 0) if self.limits.every_move or move in best else 0
            moves[move] = MoveValue(_worth(found.score), exact, len(line) if exact else None, line, looked)
        complete = all(move in self.found and self.found[move].proven for move in moves)
        exact = top.proven and (complete or won)
        ordered = tuple(move for move in moves if move in best)
        claim = self.claim is not None and self.claim(self.root) is not None
        value = _worth(top.score)
        if claim and value < 0:
            value, exact = 0, False
        return Analysis(value, exact, moves, ordered, self.nodes + 1, self.depth, claim=claim)

    def _playable(self, line: tuple[str, ...]) -> tuple[str, ...]:
        """``line`` as far as it is legal: the table may have its end from a position with another history."""
        position = self.root
        for plies, move in enumerate(line):
            if move not in position.legal_moves:
                return line[:plies]
            position = position.play(move)
        return line


def _worth(score: int) -> int:
    """A score as a value: without the offset that makes a proved win outrank estimates."""
    return score - DECIDED if score > DECIDED else score + DECIDED if score < -DECIDED else score


def _names(line: _Line) -> tuple[str, ...]:
    names = []
    while line is not None:
        move, line = line
        names.append(move)
    return tuple(names)
