"""Checks of a game: whether it keeps to the contract of :mod:`noughts.games.base`. Pure; does no I/O.

The game is played at random, and each check goes through the positions that came up until it finds a fault.
"""

from __future__ import annotations

import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from statistics import median
from typing import Any

from noughts.conformance.description import wrong_in_description
from noughts.conformance.report import Check, Fault
from noughts.conformance.sample import PROPERTIES, SOME, Outside, Seen, Subject, names_in, played, quoted
from noughts.games import Game, Heuristic, IllegalMove, InvalidPosition, MalformedMove, Outcome, Position, Reason, Side
from noughts.games.paths import cells_of

SLOW_US = 1000
"""From how many microseconds on a function of a position is called slow."""

BY_THE_BOARD = (Reason.LINE, Reason.COUNT, Reason.DRAW)

NO_MOVES = ("", " ", "nonsense", "\0", "\u0661")
"""Names that are malformed in any game."""


def check_game(game: Game, games: int, seed: int, outside: Outside) -> Iterator[Check]:
    """The checks of ``game``, each as soon as it is done, in so many random games."""
    subject = played(game, games, seed, outside)
    for name, check in CHECKS.items():
        if _concerns(check, game):
            yield _done(name, check, subject)


def _concerns(check: Callable[[Subject], str | None], game: Game) -> bool:
    """True if the game has what the check is about."""
    parts: dict[Callable[[Subject], str | None], object] = {
        has_counts: game.score or game.counts or game.held,
        has_names: game.notation or game.read,
        claims_draws: game.claim,
        has_margins: game.margin or game.score,
        has_estimates: game.heuristic,
        can_be_set_up: game.options and game.variant and not game.setup,
    }
    return bool(parts.get(check, True))


def _done(name: str, check: Callable[[Subject], str | None], subject: Subject) -> Check:
    subject.at = Seen(subject.game.start)
    try:
        return Check(name, note=check(subject) or "")
    except Fault as fault:
        return Check(name, fault)
    except Exception as error:
        return Check(name, subject.raised(error))


def describes_itself(subject: Subject) -> None:
    """Its layout, board, pieces, options and endings can be used."""
    if problems := [*wrong_in_description(subject.game)]:
        raise Fault(problems[0], problems[1:])


def can_be_played(subject: Subject) -> None:
    """No legal move raises, and each leads to a position."""
    if subject.broken is not None:
        raise subject.broken
    for seen in subject.some():
        for move in seen.position.legal_moves:
            subject.after(move)


def agrees(subject: Subject) -> None:
    """``to_move``, ``outcome``, ``legal_moves`` and ``ply`` agree."""
    for seen in subject.all():
        position = seen.position
        for problem in _disagreements(position.to_move, position.outcome, position.legal_moves):
            raise subject.fault(problem)
        if position.ply != len(seen.moves):
            raise subject.fault(f"ply is {position.ply!r} after {len(seen.moves)} moves")


def _disagreements(to_move: object, outcome: object, legal: object) -> Iterator[str]:
    if not isinstance(legal, tuple) or not all(isinstance(move, str) for move in legal):
        yield "legal_moves must be a tuple of strings"
    elif len(set(legal)) < len(legal):
        yield f"legal_moves has {Counter(legal).most_common(1)[0][0]!r} twice"
    if to_move is not None and not isinstance(to_move, Side):
        yield f"to_move is {to_move!r}; it must be a Side or None"
    if outcome is not None and not isinstance(outcome, Outcome):
        yield f"outcome is {outcome!r}; it must be an Outcome or None"
    if outcome is None:
        if not legal:
            yield "no move is legal, but there is no outcome; a side that must pass has the single move 'pass'"
        if to_move is None:
            yield "to_move is None, but there is no outcome"
        return
    if to_move is not None:
        yield f"there is an outcome, but {to_move} is to move; to_move must be None when the game is over"
    if legal:
        yield f"there is an outcome, but {legal[0]!r} is legal; nothing is when the game is over"  # type: ignore[index]


def ends(subject: Subject) -> str | None:
    """A random game ends in time, and in fewer plies than ``win``."""
    if subject.endless is not None:
        subject.at = subject.endless
        plies = len(subject.at.moves)
        if plies >= subject.game.win:
            raise subject.fault(
                f"a random game was not over after {plies} plies, which is `win`; "
                "a game must always last fewer plies than `win`"
            )
        raise subject.fault(f"a random game was not over after {plies} plies; no rule seems to end it")
    longest = max(len(game[-1].moves) for game in subject.games)
    return f"at most {longest} plies in {_many(len(subject.games), 'random game')}"


def reads_back(subject: Subject) -> None:
    """Every position reads back from its text."""
    game = subject.game
    if type(game.start).__eq__ is object.__eq__:
        raise subject.fault("positions are equal only to themselves; make their class a dataclass, or give it __eq__")
    told: dict[str, Callable[[Any], object]] = {name: _property(name) for name in PROPERTIES[:-1]}
    told |= {name: give for name in ("score", "counts") if (give := getattr(game, name)) is not None}
    held = game.held
    if held is not None:
        told["held"] = lambda position: [held(position, side) for side in Side]
    for seen in subject.all():
        position = seen.position
        if not isinstance(position.text, str) or not position.text.isprintable():
            raise subject.fault("text must be one line of characters that can be shown")
        try:
            read = game.parse(position.text)
        except InvalidPosition as error:
            raise subject.fault(f"parse refuses the text of this position: {error}") from None
        # Earlier positions, which are not in the text, may have ended the game.
        forgotten = ("to_move", "legal_moves", "outcome") if game.repeats and read.outcome is None else ()
        for name, give in told.items():
            if name == "legal_moves" and game.repeats and {*position.legal_moves} <= {*read.legal_moves}:
                continue  # earlier positions may forbid moves
            if give(position) != give(read) and (name not in forgotten or position.outcome is None):
                ours, theirs = give(position), give(read)
                raise subject.fault(f"{name} is {ours!r:.200}, but {theirs!r:.200} when it is read from its text")
        if read != position:
            raise subject.fault(
                "the position is not equal to the one that parse reads from its text; what the text does not tell, "
                "such as ply, must not be compared"
            )
        if hash(read) != hash(position):
            raise subject.fault("the position that parse reads from the text is equal, but has another hash")


def refuses_bad_texts(subject: Subject) -> None:
    """A text that is not a position raises InvalidPosition."""
    start = subject.game.start.text
    for text in ("", " ", "nonsense", "\n", "/" * 500, f"{start} nonsense", f"nonsense{start}"):
        try:
            subject.game.parse(text)
        except InvalidPosition as error:
            if problem := _not_small(str(error), ()):
                raise subject.fault(f"parse({text!r:.80}) raised InvalidPosition with {problem}") from None
        except Exception as error:
            kind = type(error).__name__
            problem = f"parse({text!r:.80}) raised {kind}: {error}; for a bad text it must raise InvalidPosition"
            raise Fault(problem, subject.raised(error).quotes) from None
        else:
            raise subject.fault(f"parse({text!r:.80}) returned a position; it must raise InvalidPosition")


def are_values(subject: Subject) -> None:
    """Positions never change, and are equal exactly if they are the same."""
    for seen in subject.some():
        position = seen.position
        before = {name: getattr(position, name) for name in PROPERTIES} | {"hash": hash(position)}
        for move in position.legal_moves:
            position.play(move)
        now = {name: getattr(position, name) for name in PROPERTIES} | {"hash": hash(position)}
        if changed := [name for name in before if before[name] != now[name]]:
            name = changed[0]
            raise subject.fault(
                f"play changed the position itself: {name} was {before[name]!r:.200}, and is {now[name]!r:.200}"
            )
        if seen.before is not None:
            again = seen.before.play(seen.moves[-1])
            if again != position or hash(again) != hash(position):
                raise subject.fault(f"playing {seen.moves[-1]!r} twice from the same position gives unequal positions")
    known: dict[Any, Any] = {}
    for seen in subject.all():
        same = known.setdefault(seen.position, seen.position)
        for name in ("rows", "to_move", "legal_moves")[: 1 if subject.game.repeats else 3]:
            if getattr(same, name) != getattr(seen.position, name):
                raise subject.fault(f"this position is equal to another that came up, whose {name} are different")


def are_same_elsewhere(subject: Subject) -> None:
    """Positions that another process unpickles are equal to those that it makes."""
    seen = [each for each in subject.some() if each.before is not None]
    try:
        pickled = pickle.dumps([(each.before, each.moves[-1], each.position) for each in seen])
    except Exception as error:  # pickle raises AttributeError, TypeError and others
        raise Fault(f"positions cannot be pickled: {error}") from None
    for each, problem in zip(seen, subject.outside.compare(pickled), strict=True):
        if problem:
            raise Fault(f"in another process {problem}", quoted(each))


def compared(pickled: bytes) -> list[str]:
    """The fault of each pickled position when it is compared with one that is made here; empty if nothing is."""
    problems = []
    for before, move, after in pickle.loads(pickled):  # noqa: S301  # our own
        again = before.play(move)
        if again != after or again.legal_moves != after.legal_moves:
            problems.append("the unpickled position is not equal to the one that the same move makes there")
        elif hash(again) != hash(after):
            problems.append("the unpickled position has another hash than an equal one; do not store hashes of strings")
        else:
            problems.append("")
    return problems


def has_rows(subject: Subject) -> None:
    """``rows`` have the form of the layout, and only symbols that are declared."""
    game = subject.game
    grid = game.cells or game.layout
    symbols = _symbols(game) | {"."}
    for seen in subject.all():
        rows = seen.position.rows
        if not isinstance(rows, tuple) or [len(row) for row in rows] != [len(row) for row in grid]:
            raise subject.fault("rows must be a tuple with one character for each name in the layout")
        for names, row in zip(grid, rows, strict=True):
            for name, symbol in zip(names, row, strict=True):
                if not name and symbol != " ":
                    raise subject.fault(f"rows has {symbol!r} where the layout has no cell; write a blank there")
                if name and symbol not in symbols:
                    raise subject.fault(f"rows has {symbol!r} at {name}, which is the symbol of no side and no piece")


def has_counts(subject: Subject) -> None:
    """``score``, ``counts`` and ``held`` have their forms."""
    game = subject.game
    for seen in subject.some():
        if game.score is not None:
            score: object = game.score(seen.position)
            if not isinstance(score, tuple) or len(score) != 2 or not all(map(_is_int, score)):
                raise subject.fault(f"score is {score!r:.80}; it must be two integers")
        if game.counts is not None:
            counts = game.counts(seen.position)
            if [len(row) for row in counts] != [len(row) for row in game.layout]:
                raise subject.fault("counts must have one number for each name in the layout")
            if bad := [each for row in counts for each in row if not _is_int(each) or each < 0]:
                raise subject.fault(f"counts has {bad[0]!r}; it must be an integer, 0 or more")
        for side in Side if game.held is not None else ():
            assert game.held is not None
            held = game.held(seen.position, side)
            for symbol, count in held:
                if symbol not in _symbols(game):
                    raise subject.fault(f"held has {symbol!r}, which is the symbol of no side and no piece")
                if not _is_int(count) or count < 0:
                    raise subject.fault(f"held has {count!r} of {symbol!r}; it must be an integer, 0 or more")
            if len(dict(held)) < len(held):
                raise subject.fault(f"held of {side} has a piece twice")


def names_moves(subject: Subject) -> None:
    """The name of each legal move is the cells it goes through, perhaps with a suffix."""
    names = subject.names
    for seen in subject.all():
        ways: dict[object, str] = {}
        for move in seen.position.legal_moves:
            way, rest = ((move,), "") if move in names else cells_of(move, names)
            if rest[:1] in ("-", "x") or any(letter.isdigit() for letter in rest):
                where = f"{rest!r} after {way[-1]} is" if way else "its beginning is"
                raise subject.fault(f"in the move {move!r}, {where} not a cell of the layout")
            if (other := ways.setdefault((way, rest), move)) != move:
                raise subject.fault(
                    f"on a board nobody can choose between {other!r} and {move!r}: their cells are equal"
                )


def refuses_wrong_moves(subject: Subject) -> None:
    """Any other name raises MalformedMove or IllegalMove, with the start of a sentence."""
    everywhere = sorted({move for seen in subject.all() for move in seen.position.legal_moves})
    known = random.Random(0).sample(everywhere, min(SOME, len(everywhere)))
    for seen in subject.some(SOME // 2):
        legal = seen.position.legal_moves
        alike = [name for move in legal[:3] for name in (f"{move} ", f" {move}", f"{move}?", move.upper(), move * 2)]
        for move in dict.fromkeys([*known, *names_in(subject.game.layout), *NO_MOVES, *alike]):
            if move in legal:
                continue
            try:
                seen.position.play(move)
            except MalformedMove as error:
                if move in known:
                    kind = "MalformedMove, but the move is legal in other positions; raise IllegalMove"
                    raise subject.fault(f"play({move!r}) raised {kind}") from None
                _must_be_small(subject, move, error)
            except IllegalMove as error:
                if move in NO_MOVES:
                    kind = "IllegalMove, but no game has such a move; raise MalformedMove"
                    raise subject.fault(f"play({move!r}) raised {kind}") from None
                _must_be_small(subject, move, error)
                _must_explain(subject, move)
            except Exception as error:
                kind = f"{type(error).__name__}: {error}"
                problem = f"play({move!r}) raised {kind}; for a wrong move it must raise MalformedMove or IllegalMove"
                raise Fault(problem, subject.raised(error).quotes) from None
            else:
                raise subject.fault(f"play({move!r}) plays a move that legal_moves does not have")


def _must_be_small(subject: Subject, move: str, error: Exception) -> None:
    if problem := _not_small(str(error), (move, *subject.names, subject.game.first.name, subject.game.second.name)):
        raise subject.fault(f"play({move!r}) raised {type(error).__name__} with {problem}")


def _must_explain(subject: Subject, move: str) -> None:
    explain, moves = subject.game.why_illegal, subject.at.moves
    if explain is None:
        return
    why = explain(subject.at.position, move, moves[-1] if moves else None)
    names = (move, *subject.names, subject.game.first.name, subject.game.second.name)
    if why is not None and (problem := _not_small(why, names)):
        raise subject.fault(f"why_illegal returned, for {move!r}, {problem}")


def _not_small(text: str, proper: Iterable[str]) -> str:
    """The fault of a text that is the start of a sentence; empty if there is none."""
    if not text.strip():
        return "no text; it must say why"
    if text.endswith("."):
        return f"the text {text!r}; it must have no full stop, because clients add one"
    if text[0].isupper() and not any(name and text.startswith(name) for name in proper):
        return f"the text {text!r}; it must begin with a small letter, because clients make a sentence of it"
    return ""


def has_outcomes(subject: Subject) -> None:
    """The reason of every outcome is known, and its cells exist."""
    game = subject.game
    in_order = [name for row in game.cells or game.layout for name in row if name]
    reasons = {*BY_THE_BOARD, *(key for key, _ in game.endings)}
    for _, outcome in subject.ends():
        if outcome.winner is not None and not isinstance(outcome.winner, Side):
            raise subject.fault(f"the winner is {outcome.winner!r}; it must be a Side or None")
        if outcome.reason not in reasons:
            raise subject.fault(
                f"the reason {str(outcome.reason)!r} is neither line, count or draw nor one of the game's endings"
            )
        if outcome.reason == Reason.DRAW and outcome.winner is not None:
            raise subject.fault("the reason is draw, but there is a winner")
        if unknown := [cell for cell in outcome.cells if cell not in in_order]:
            raise subject.fault(f"the cells of the outcome have {unknown[0]!r}, which is not a cell")
        if list(outcome.cells) != [name for name in in_order if name in outcome.cells]:
            raise subject.fault(f"the cells of the outcome are {' '.join(outcome.cells)}; they must be in board order")


def has_names(subject: Subject) -> None:
    """The notation of each legal move is its own, and ``read`` gives the move back."""
    game = subject.game
    for seen in subject.all():
        moves: dict[str, str] = {}
        for move in seen.position.legal_moves:
            name = game.name(seen.position, move)
            if not name or not name.isprintable():
                raise subject.fault(f"the notation of {move!r} is {name!r}; it must be a text that can be shown")
            if (other := moves.setdefault(name, move)) != move:
                raise subject.fault(f"the moves {other!r} and {move!r} have the same notation, {name!r}")
            for typed in {name, move} if game.read is not None else ():
                assert game.read is not None
                if (read := game.read(seen.position, typed)) != move:
                    raise subject.fault(f"read returns {read!r} for {typed!r}, which is the move {move!r}")
        if game.read is not None and (read := game.read(seen.position, "nonsense")) != "nonsense":
            raise subject.fault(
                f"read returns {read!r} for 'nonsense'; it must return a text that means no move as it is"
            )


def claims_draws(subject: Subject) -> None:
    """The reason of a draw that can be claimed is known."""
    claim = subject.game.claim
    reasons = {*BY_THE_BOARD, *(key for key, _ in subject.game.endings)}
    assert claim is not None
    for seen in subject.all():
        if seen.position.to_move is not None and (reason := claim(seen.position)) not in (None, *reasons):
            raise subject.fault(f"claim returns {reason!r}, which is not one of the game's endings")


def has_margins(subject: Subject) -> None:
    """``margin``, and ``score`` where counts decide, agree with the winner."""
    game = subject.game
    for seen, outcome in subject.ends():
        leads: dict[str, int] = {}
        if game.margin is not None:
            leads["margin"] = game.margin(seen.position)
        if game.score is not None and outcome.reason == Reason.COUNT:
            first, second = game.score(seen.position)
            leads["the difference of the score"] = first - second
        for name, lead in leads.items():
            if not _is_int(lead):
                raise subject.fault(f"{name} is {lead!r}; it must be an integer")
            leader = Side.FIRST if lead > 0 else Side.SECOND if lead < 0 else None
            if leader is not outcome.winner:
                winner = "nobody" if outcome.winner is None else outcome.winner
                raise subject.fault(f"{name} is {lead}, but {winner} has won; it is positive where first has won")


def has_estimates(subject: Subject) -> None:
    """The heuristic evaluates for the side to move, and chooses among the legal moves."""
    heuristic = subject.game.heuristic
    assert heuristic is not None
    if heuristic.unit <= 0 or heuristic.opening < 0 or heuristic.spread < 0:
        raise Fault("unit must be greater than 0, and opening and spread 0 or more")
    if heuristic.slip is not None and heuristic.slip <= 0:
        raise Fault("slip must be greater than 0, or None")
    for seen in subject.some():
        if seen.position.outcome is not None:
            continue
        estimate = heuristic.evaluate(seen.position)
        if not _is_int(estimate):
            raise subject.fault(f"evaluate returned {estimate!r}; it must be an integer")
        if abs(estimate) >= MOST_ESTIMATED:
            raise subject.fault(f"evaluate returned {estimate}; an estimate must be smaller than {MOST_ESTIMATED:,}")
        for name, choose in (("candidates", heuristic.candidates), ("noisy", heuristic.noisy)):
            if choose is None:
                continue
            chosen = choose(seen.position)
            if wrong := [move for move in chosen if move not in seen.position.legal_moves]:
                raise subject.fault(f"{name} has {wrong[0]!r}, which is not legal")
            if len(set(chosen)) < len(chosen):
                raise subject.fault(f"{name} has a move twice")
            if name == "candidates" and not chosen:
                raise subject.fault("candidates is empty; it needs at least one move")
    _must_estimate_for_the_mover(subject, heuristic)


MOST_ESTIMATED = 10**8
"""A search gives proved wins and losses greater values than any estimate below this."""

DECIDED_AT_LEAST = 40
"""The number of estimates of each side that tell for whom they are."""


def _must_estimate_for_the_mover(subject: Subject, heuristic: Heuristic) -> None:
    """Raise a fault if the estimates are good ones for ``first``, whoever moves.

    Shortly before the end, those for the side to move agree with the result in most games, whichever side that is.
    """
    right: dict[Side, list[bool]] = {side: [] for side in Side}
    for game in subject.games:
        outcome = game[-1].position.outcome
        if outcome is None or outcome.winner is None:
            continue
        for seen in game[-7:-1]:
            side = seen.position.to_move
            if estimate := heuristic.evaluate(seen.position):
                right[side].append((estimate > 0) is (outcome.winner is side))
    if min(map(len, right.values())) < DECIDED_AT_LEAST:
        return
    first, second = (sum(right[side]) / len(right[side]) for side in Side)
    if max(first, second) > 0.7 and min(first, second) < 0.3:
        good, bad = ("first", "second") if first > second else ("second", "first")
        raise Fault(
            f"evaluate seems to say how {good} stands, whoever moves: shortly before the end it favoured the winner "
            f"in {max(first, second):.0%} of the positions with {good} to move, and in {min(first, second):.0%} with "
            f"{bad} to move; it must be for the side to move"
        )


def can_be_set_up(subject: Subject) -> str | None:
    """Each choice of an option gives a game that passes these checks; a wrong one is refused."""
    game, variant = subject.game, subject.game.variant
    assert variant is not None
    defaults = {option.key: option.default for option in game.options}
    usual = variant(defaults)
    if (usual.start, usual.layout) != (game.start, game.layout):
        raise Fault("variant with all defaults gives another game than the one that has the options")
    sets = [{**defaults, option.key: choice} for option in game.options for choice in option.choices]
    for chosen in sets:
        words = ", ".join(f"{key}={value}" for key, value in chosen.items())
        other = replace(variant(chosen), example="")  # which is of the usual game
        if other.key != game.key:
            raise Fault(f"with {words} the key is {other.key!r}; it must stay {game.key!r}")
        of_other = played(other, 1, 0, subject.outside)
        for name, check in CHECKS.items():
            if check in (can_be_set_up, are_same_elsewhere, is_fast) or not _concerns(check, other):
                continue
            if fault := _done(name, check, of_other).fault:
                raise Fault(f"with {words}: {name}: {fault.problem}", fault.quotes)
    for option in game.options:
        if not option.choices:
            _must_refuse(variant, {**defaults, option.key: "nonsense"}, option.key)
    return f"{len(sets)} choices" if sets else None


def _must_refuse(variant: Callable[[Any], Game], chosen: dict[str, Any], key: str) -> None:
    try:
        variant(chosen)
    except ValueError as error:
        if not str(error).strip():
            raise Fault(f"variant refuses {key}='nonsense' without a text; it must say what is wrong") from None
    else:
        raise Fault(f"variant takes {key}='nonsense'; it must raise ValueError for a text that it cannot use")


def can_be_drawn(subject: Subject) -> None:
    """Clients can draw every position."""
    for seen in subject.some():
        subject.outside.draw(subject.game, seen)


def is_fast(subject: Subject) -> str | None:
    """The cost of ``legal_moves``, ``play`` and ``outcome``, in µs of the processor. It warns, and never fails."""
    told, slow = [], []
    for name, times in subject.times_ns.items():
        usual, slowest = median(times) / 1000, max(times) / 1000
        told.append(f"{name} {usual:.0f} µs (slowest {slowest:.0f})")
        if usual > SLOW_US:
            slow.append(name)
    warning = f". Warning: {' and '.join(slow)} took more than 1 ms; a search needs thousands a second" if slow else ""
    return f"{', '.join(told)}{warning}"


CHECKS: dict[str, Callable[[Subject], str | None]] = {
    "it describes itself": describes_itself,
    "every legal move can be played": can_be_played,
    "to_move, outcome, legal_moves and ply agree": agrees,
    "it ends": ends,
    "positions read back from their text": reads_back,
    "bad texts are refused": refuses_bad_texts,
    "positions never change, and are equal if they are the same": are_values,
    "positions are the same in another process": are_same_elsewhere,
    "rows have the form of the layout": has_rows,
    "score, counts and held have their forms": has_counts,
    "moves are named by their cells": names_moves,
    "wrong moves are refused with the reason": refuses_wrong_moves,
    "outcomes have a known reason and cells": has_outcomes,
    "notation and read name each move": has_names,
    "draws are claimed for a known reason": claims_draws,
    "margin and score agree with the winner": has_margins,
    "the heuristic is for the side to move": has_estimates,
    "its options can be set up": can_be_set_up,
    "clients can draw it": can_be_drawn,
    "it is fast": is_fast,
}


def _symbols(game: Game) -> set[str]:
    return {game.first.symbol, game.second.symbol, *(piece.symbol for piece in game.pieces)}


def _property(name: str) -> Callable[[Position], object]:
    return lambda position: getattr(position, name)


def _is_int(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
