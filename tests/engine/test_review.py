"""Marks against values found by an independent method, and against published positions of Connect Four."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from engine.dots_and_boxes import GAME as DOTS_AND_BOXES
from noughts.engine import (
    Analysis,
    Bound,
    FinishedGame,
    Interrupt,
    Limits,
    Mark,
    MoveValue,
    ReviewedMove,
    Textbook,
    decisive,
    plain_engine_of,
    review_move,
    review_resignation,
)
from noughts.engine.review import Prospect
from noughts.games import GAMES, Game, Position, Side
from walks import exact_value, move_value

TICTACTOE, CONNECT4, GOMOKU = GAMES["tictactoe"], GAMES["connect4"], GAMES["gomoku"]

Analyse = Callable[[Position], Analysis]


def finished(game: Game, moves: list[str], winner: Side | None) -> tuple[FinishedGame, list[Position]]:
    positions = [game.start]
    for move in moves:
        positions.append(positions[-1].play(move))
    sides = tuple(position.to_move or Side.FIRST for position in positions[:-1])
    return FinishedGame(game, tuple(moves), sides, positions[-1].to_move, winner), positions


def reviewed(game: Game, moves: list[str], analyse: Analyse, winner: Side | None) -> list[ReviewedMove]:
    played, positions = finished(game, moves, winner)
    analyses = [analyse(position) if position.legal_moves else None for position in positions]
    found = []
    for ply, analysis in enumerate(analyses[:-1]):
        assert analysis is not None
        found.append(review_move(played, ply, analysis, analyses[ply + 1]))
    return found


@cache
def perfect(game: Game) -> Analyse:
    """Every position is analysed once: random games have the same beginnings."""
    engine = plain_engine_of(game)
    return cache(lambda position: engine.analyse(position, Limits(), Interrupt()))


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


def test_every_mark_in_random_games_of_tic_tac_toe_is_that_of_the_solved_values() -> None:
    rng, analyse, seen = random.Random(7), perfect(TICTACTOE), set()
    for _ in range(12):
        position, moves = TICTACTOE.start, []
        while position.legal_moves:
            moves.append(rng.choice(position.legal_moves))
            position = position.play(moves[-1])
        assert position.outcome is not None
        winner = position.outcome.winner
        review = reviewed(TICTACTOE, moves, analyse, winner)
        position, mistakes = TICTACTOE.start, []
        for found in review:
            best, value = exact_value(position), move_value(position, found.move)
            expected = Mark.KEPT
            if sign(value) < sign(best):
                expected = Mark.WIN_THROWN_AWAY if best > 0 else Mark.DRAW_THROWN_AWAY
                mistakes.append((found, sign(best)))
            elif best > 0 and value < best:
                expected = Mark.FASTER_WIN_MISSED
            assert found.mark is expected, (moves, found)
            assert (found.better is None) == (expected is Mark.KEPT)
            if found.better is not None:
                assert move_value(position, found.better[0]) == best
                assert found.better[1].line[0] == found.better[0]
            seen.add(found.mark)
            position = position.play(found.move)
        first = decisive(review, winner)
        lasting = [mistake for mistake, had in mistakes if lasts(mistake, had, review, winner)]
        assert first == (lasting[-1] if lasting else None), moves
    assert seen == {Mark.KEPT, Mark.FASTER_WIN_MISSED, Mark.WIN_THROWN_AWAY, Mark.DRAW_THROWN_AWAY}


def lasts(mistake: ReviewedMove, had: int, review: list[ReviewedMove], winner: Side | None) -> bool:
    """True if the side never again could get what it had, by the values found independently."""
    position = TICTACTOE.start
    for found in review:
        value = sign(exact_value(position)) * (1 if found.side is mistake.side else -1)
        if found.ply > mistake.ply and value >= had:
            return False
        position = position.play(found.move)
    return (0 if winner is None else 1 if winner is mistake.side else -1) < had


def test_the_blunder_in_a_known_game_of_tic_tac_toe() -> None:
    """After X in the corner only the centre draws: O plays 2, X takes the centre and then has two threats with 7."""
    review = reviewed(TICTACTOE, list("1259734"), perfect(TICTACTOE), Side.FIRST)
    assert [found.mark for found in review] == [Mark.KEPT, Mark.DRAW_THROWN_AWAY, *[Mark.KEPT] * 5]
    blunder = decisive(review, Side.FIRST)
    assert blunder is not None
    assert (blunder.ply, blunder.move, blunder.better and blunder.better[0]) == (1, "2", "5")


def test_connect_four_is_won_in_the_middle_column_alone() -> None:
    """Red wins from d1, draws from c1 and e1, and loses elsewhere (Allis 1988, Allen 1988)."""
    for first, mark in {"4": Mark.KEPT, "3": Mark.WIN_THROWN_AWAY, "7": Mark.WIN_THROWN_AWAY}.items():
        review = reviewed(CONNECT4, [first, "1"], opening_table(), None)
        assert review[0].mark is mark, first
        assert review[0].better is None or review[0].better[0] == "4"
    assert reviewed(CONNECT4, ["3", "1"], opening_table(), None)[1].mark is Mark.DRAW_THROWN_AWAY
    resigned = reviewed(CONNECT4, ["3", "3"], opening_table(), Side.SECOND)
    lost_by = decisive(resigned, Side.SECOND)
    assert lost_by is resigned[0]
    assert decisive(resigned, Side.FIRST) is None, "a win that was thrown away and came back decided nothing"


def test_resigning_throws_away_what_the_position_was_worth() -> None:
    rng, analyse, seen = random.Random(3), perfect(TICTACTOE), set()
    for _ in range(20):
        position, moves = TICTACTOE.start, []
        for _ in range(rng.randint(1, 6)):
            if position.legal_moves:
                moves.append(rng.choice(position.legal_moves))
                position = position.play(moves[-1])
        if position.to_move is None:
            continue
        for side in Side:
            game = replace(finished(TICTACTOE, moves, side.other)[0], resigned=side)
            review = reviewed(TICTACTOE, moves, analyse, side.other)
            had = sign(exact_value(position)) * (1 if position.to_move is side else -1)
            resignation = review_resignation(game, review)
            assert (None if resignation is None else (resignation.side, resignation.mark)) == {
                1: (side, Mark.WIN_THROWN_AWAY),
                0: (side, Mark.DRAW_THROWN_AWAY),
                -1: None,
            }[had], (moves, side)
            seen.add(had)
            if had == 1:
                assert decisive(review, side.other) is None, "whatever was lost before had come back"
            assert review_resignation(replace(game, resigned=None), review) is None
    assert seen == {1, 0, -1}


def test_by_estimates_a_resignation_is_a_probable_mistake_at_most() -> None:
    game, _ = finished(GOMOKU, ["h8"], Side.FIRST)
    for expected, mark in ((0.7, Mark.PROBABLE_MISTAKE), (0.9, None), (None, None)):  # of the side that moved
        after = Prospect(expected=expected)
        review = [
            ReviewedMove(0, Side.FIRST, "h8", Mark.NO_MISTAKE_SEEN, after, after, MoveValue(0, False, None, ("h8",)))
        ]
        resignation = review_resignation(replace(game, resigned=Side.SECOND), review)
        assert (resignation and resignation.mark) == mark
    assert review_resignation(replace(game, moves=(), sides=(), resigned=Side.SECOND), []) is None


def test_of_mistakes_that_are_only_probable_the_largest_decided() -> None:
    """First had 0.9, then 0.65, then 0.1 of the result by estimates. What is proved goes before them."""

    def mistake(ply: int, mark: Mark, before: Prospect, after: Prospect) -> ReviewedMove:
        return ReviewedMove(ply, Side.FIRST, "h8", mark, before, after, MoveValue(0, False, None, ("h8",)))

    worth = [Prospect(expected=expected) for expected in (0.9, 0.65, 0.1)]
    probable = [mistake(2 * ply, Mark.PROBABLE_MISTAKE, *worth[ply : ply + 2]) for ply in (0, 1)]
    assert decisive(probable, Side.SECOND) is probable[1]
    proof = mistake(4, Mark.DRAW_THROWN_AWAY, Prospect(0, 0, 0.5), Prospect(-1, -1, 0.0))
    assert decisive([probable[0], proof], Side.SECOND) is proof


def opening_table() -> Analyse:
    """The first three plies of Connect Four, solved."""
    return perfect(CONNECT4)


def test_a_side_that_moves_twice_in_a_row_is_judged_by_its_own_prospects() -> None:
    rng, game = random.Random(3), DOTS_AND_BOXES
    position, moves = game.start, []
    while position.legal_moves:
        moves.append(rng.choice(position.legal_moves))
        position = position.play(moves[-1])
    assert position.outcome is not None
    played, positions = finished(game, moves, position.outcome.winner)
    analyse = perfect(game)
    analyses = {ply: analyse(positions[ply]) for ply in range(4, len(moves))}
    for ply, analysis in analyses.items():
        found = review_move(played, ply, analysis, analyses.get(ply + 1))
        lost = sign(analysis.moves[moves[ply]].value) < sign(analysis.value)
        assert (found.mark in (Mark.WIN_THROWN_AWAY, Mark.DRAW_THROWN_AWAY)) == lost


def value(number: int, *, exact: bool = False, bound: Bound | None = None) -> MoveValue:
    return MoveValue(number, exact, 3 if exact else None, ("a1",), bound=bound)


def analysis(number: int, best: str, *, exact: bool = False, **moves: MoveValue) -> Analysis:
    return Analysis(number, exact, moves, (best,), 1, 1)


UNIT = GOMOKU.heuristic.unit if GOMOKU.heuristic is not None else 0
WIN, DRAW, LOSS = value(9, exact=True), value(0, exact=True), value(-9, exact=True)
EVEN, BAD = value(0), value(-UNIT)


@pytest.mark.parametrize(
    ("moves", "after", "mark"),
    [
        # Estimates before and after the move agree that it costs more than the swing, or they do not.
        ({"a1": EVEN, "b1": BAD}, analysis(UNIT, "a1", a1=value(UNIT)), Mark.PROBABLE_MISTAKE),
        ({"a1": EVEN, "b1": BAD}, analysis(0, "a1", a1=EVEN), Mark.NO_MISTAKE_SEEN),
        ({"a1": EVEN, "b1": EVEN}, analysis(UNIT, "a1", a1=value(UNIT)), Mark.NO_MISTAKE_SEEN),
        ({"a1": EVEN, "b1": BAD}, None, Mark.NO_MISTAKE_SEEN),
        # A proved loss against an estimate is no proof that something was thrown away.
        ({"a1": EVEN, "b1": LOSS}, None, Mark.PROBABLE_MISTAKE),
        ({"a1": EVEN, "b1": EVEN}, analysis(9, "a1", exact=True, a1=WIN), Mark.PROBABLE_MISTAKE),
        ({"a1": BAD, "b1": LOSS}, None, Mark.NO_MISTAKE_SEEN),
        ({"a1": LOSS, "b1": LOSS}, None, Mark.KEPT),
        # What is proved after the move counts as if it had been found before.
        ({"a1": WIN, "b1": EVEN}, analysis(-9, "a1", exact=True, a1=LOSS), Mark.KEPT),
        ({"a1": WIN, "b1": EVEN}, analysis(0, "a1", exact=True, a1=DRAW), Mark.WIN_THROWN_AWAY),
        ({"a1": DRAW, "b1": EVEN}, analysis(9, "a1", exact=True, a1=WIN), Mark.DRAW_THROWN_AWAY),
        ({"a1": DRAW, "b1": EVEN}, None, Mark.NO_MISTAKE_SEEN),
        # Bounds prove what they prove, and nothing else.
        ({"a1": WIN, "b1": value(0, bound=Bound.UPPER)}, None, Mark.WIN_THROWN_AWAY),
        ({"a1": WIN, "b1": value(5, bound=Bound.UPPER)}, None, Mark.NO_MISTAKE_SEEN),
        ({"a1": DRAW, "b1": value(0, bound=Bound.LOWER)}, None, Mark.KEPT),
        ({"a1": WIN, "b1": value(1, bound=Bound.LOWER)}, None, Mark.KEPT),
        ({"a1": DRAW, "b1": value(0, bound=Bound.UPPER)}, None, Mark.NO_MISTAKE_SEEN),
    ],
)
def test_nothing_is_claimed_that_is_not_proved(moves: dict[str, MoveValue], after: Analysis | None, mark: Mark) -> None:
    best = max(moves, key=lambda move: moves[move].value)
    exact = moves[best] == WIN or all(each.exact for each in moves.values())
    before = analysis(moves[best].value, best, exact=exact, **moves)
    game = FinishedGame(GOMOKU, ("b1",), (Side.FIRST,), Side.SECOND, None)
    found = review_move(game, 0, before, after)
    assert found.mark is mark
    assert (found.better is not None) == (mark not in (Mark.KEPT, Mark.NO_MISTAKE_SEEN))


def test_a_better_move_is_named_only_if_it_is_proved_to_be_better() -> None:
    game = FinishedGame(CONNECT4, ("b1",), (Side.FIRST,), Side.SECOND, None)
    # The position is proved to be won, and b1 to draw at most, but which move wins is not known.
    at_most = value(3, bound=Bound.UPPER)
    before = analysis(3, "a1", exact=True, a1=at_most, b1=value(0, bound=Bound.UPPER), c1=at_most)
    found = review_move(game, 0, before, None)
    assert (found.mark, found.better) == (Mark.WIN_THROWN_AWAY, None)
    known = replace(before, moves={**before.moves, "c1": WIN})
    found = review_move(game, 0, known, None)
    assert (found.mark, found.better) == (Mark.WIN_THROWN_AWAY, ("c1", WIN))


def test_without_a_heuristic_only_proofs_count() -> None:
    before = analysis(0, "a", a=value(0), b=value(0))
    game = FinishedGame(DOTS_AND_BOXES, ("b",), (Side.FIRST,), Side.SECOND, None)
    assert DOTS_AND_BOXES.heuristic is None
    assert review_move(game, 0, before, analysis(0, "a", a=value(0))).mark is Mark.NO_MISTAKE_SEEN


def test_a_short_search_claims_nothing_that_a_full_one_denies() -> None:
    rng, engine = random.Random(5), Textbook(TICTACTOE)
    for _ in range(6):
        position, moves = TICTACTOE.start, []
        while position.legal_moves:
            moves.append(rng.choice(position.legal_moves))
            position = position.play(moves[-1])
        assert position.outcome is not None
        winner = position.outcome.winner
        short = reviewed(
            TICTACTOE, moves, lambda position: engine.analyse(position, Limits(depth=2), Interrupt()), winner
        )
        position = TICTACTOE.start
        for found in short:
            best, got = exact_value(position), move_value(position, found.move)
            match found.mark:
                case Mark.KEPT:
                    assert sign(got) == sign(best)
                case Mark.WIN_THROWN_AWAY:
                    assert best > 0 >= got
                case Mark.DRAW_THROWN_AWAY:
                    assert best >= 0 > got
                case Mark.FASTER_WIN_MISSED:
                    assert best > got > 0
            position = position.play(found.move)
