"""``noughts verify``: a proof that a bot never loses, or the shortest game that it loses and where it went wrong."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

from noughts.engine import (
    FinishedGame,
    Interrupt,
    Limits,
    ReviewedMove,
    decisive,
    levels_of,
    odds,
    review_move,
    usable_engine_of,
)
from noughts.engine.levels import LEVELS
from noughts.explain.drawing import counted, plies
from noughts.explain.solve import within
from noughts.games import Game, Position, Side
from noughts.games.board import board, faces
from noughts.games.catalogue import name_of
from noughts.games.sentences import level_of, no_such_level
from noughts.grading.proof import Ask, Bounds, Explored, Moves, Twice, explore
from noughts.protocol.words import MARKS
from noughts_client.bots.game_bot import HINT_S, GameBot
from noughts_client.failure import BotFailed, Failure
from noughts_client.state import BotState

Start = Callable[[], Awaitable[GameBot]]
"""Starts a bot for one game. Raises :class:`~noughts_client.failure.BotFailed`."""


class NoSuchLevel(ValueError):
    """The text says which levels there are."""


class ProgramPlayer:
    """A bot that is a program. One process is asked all the time; :meth:`afresh` starts another one.

    ``tell`` is called with a sentence while an answer is waited for.
    """

    def __init__(self, game: Game, start: Start, patience_s: float, tell: Callable[[str], None]) -> None:
        self._game = game
        self._start = start
        self._patience_s = patience_s
        self._tell = tell
        self.hurried = False
        self._waited_for: set[str] = set()
        self._bot: GameBot | None = None

    async def ask(self, moves: Moves, position: Position) -> Moves:
        """See :data:`~noughts.grading.proof.Ask`. Raises :class:`~noughts_client.failure.BotFailed`."""
        names = ("Bot", "Other") if position.to_move is Side.FIRST else ("Other", "Bot")
        state = BotState.after(self._game, moves, names=names)
        hint = asyncio.get_running_loop().call_later(HINT_S, self._hint, state)
        try:
            if self._bot is None:
                self._bot = await self._start()
            move, _ = await self._bot.choose(state, patience_s=self._patience_s)
        finally:
            hint.cancel()
        return (move,)

    def _hint(self, state: BotState) -> None:
        if state.side in self._waited_for:
            return
        self._waited_for.add(state.side)
        name = self._game.style(Side(state.side)).name
        played = f"after {' '.join(state['moves'])}" if state["moves"] else "at the start"
        self._tell(f"As {name}, {played}: no answer yet. It has {self._patience_s:g} s for each.")

    async def afresh(self) -> None:
        """End the process: the next question starts another one."""
        bot, self._bot = self._bot, None
        if bot is not None:
            await bot.close()


class LevelPlayer:
    """A level of the computer: it may play several moves in a position, and all of them count.

    ``hurried`` says that a search ran out of the level's time, so that it may play otherwise another time. Raises
    :class:`NoSuchLevel`.
    """

    def __init__(self, game: Game, level: str) -> None:
        known = level_of(level, levels_of(game))
        if known is None:
            raise NoSuchLevel(no_such_level(game.title, level, levels_of(game)))
        self._engine, _ = usable_engine_of(game)
        self._level = LEVELS[known]
        self.hurried = False

    async def ask(self, moves: Moves, position: Position) -> Moves:  # noqa: ARG002 - see Ask
        """See :data:`~noughts.grading.proof.Ask`."""
        return await asyncio.to_thread(self._moves, position)

    async def afresh(self) -> None:
        """Nothing to do: it keeps nothing."""

    def _moves(self, position: Position) -> Moves:
        if len(position.legal_moves) == 1:
            return position.legal_moves
        stop = Interrupt()
        timer = threading.Timer(self._level.seconds, stop.set)
        timer.start()
        try:
            return tuple(odds(self._engine, position, self._level, stop))
        finally:
            self.hurried = self.hurried or stop()
            timer.cancel()


Verdict = Literal["proved", "loss", "failed", "undecided"]

VERDICTS = {"proved": "proved", "loss": "it loses", "failed": "it fails", "undecided": "not decided"}

REVIEW_S = 2
"""The time that each position of a lost game is searched, to find where it went wrong."""


class Player(Protocol):
    """A player that can be asked, and asked anew in a game of its own; ``hurried`` as in :class:`LevelPlayer`."""

    hurried: bool

    async def ask(self, moves: Moves, position: Position) -> Moves: ...

    async def afresh(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Verified:
    """The findings on a player on one side.

    ``explored`` is None if it failed before everything was tried. ``lost`` has the moves of a game that it loses or in
    which it fails, ``mistake`` the move that threw the result of a lost game away, None if no move did. ``why`` says
    why nothing is decided.
    """

    side: Side
    verdict: Verdict
    explored: Explored | None = None
    lost: Moves = ()
    mistake: ReviewedMove | None = None
    failure: Failure | None = None
    why: str = ""

    @property
    def never_started(self) -> bool:
        """True if the program failed before it was asked anything: that is the same on the other side."""
        return self.verdict == "failed" and self.failure is not None and self.failure.kind == "start"


async def verify(game: Game, side: Side, player: Player, bounds: Bounds, found: Explored | None = None) -> Verified:
    """Verify ``player`` on ``side``. ``found`` is filled on the way."""
    explored = Explored(side) if found is None else found
    last: list[Moves] = [()]
    until = asyncio.get_running_loop().time() + bounds.seconds

    async def ask(moves: Moves, position: Position) -> Moves:
        last[0] = moves
        async with asyncio.timeout_at(until):
            return await player.ask(moves, position)

    try:
        await explore(game, side, ask, bounds, found=explored)
    except TimeoutError:
        explored.stopped = "time"
    except BotFailed as error:
        if error.failure.kind == "start" and not explored.asked:
            return Verified(side, "failed", None, last[0], failure=error.failure)
        await player.afresh()
        return await _failed(game, side, player, ask, last[0], failure=error.failure)
    finally:
        await player.afresh()
    if explored.loss is not None:
        return await _lost(game, side, player, ask, explored)
    if explored.differs is not None:
        return Verified(side, "undecided", explored, why=_differing(explored.differs))
    if player.hurried:
        return Verified(
            side, "undecided", explored, why="A search ran out of time, and may find another move next time."
        )
    if explored.stopped is not None:
        return Verified(side, "undecided", explored, why=_stopped(explored, bounds))
    return Verified(side, "proved", explored)


def _stopped(explored: Explored, bounds: Bounds) -> str:
    seconds = f"{bounds.seconds:.3g} s"
    if not explored.asked:
        return f"Not proved: it had not answered at all after {seconds}."
    limit = counted(explored.asked, "position", "positions") if explored.stopped == "positions" else seconds
    return f"Not proved: stopped after {limit}, without a loss so far."


async def _lost(game: Game, side: Side, player: Player, ask: Ask, explored: Explored) -> Verified:
    """The verdict on a loss, which is played again in a game of its own."""
    assert explored.loss is not None
    try:
        elsewhere = await _departs(game, side, ask, explored.loss)
    except TimeoutError:
        elsewhere = f"It lost after {_named(explored.loss)}, but the time was up before that was played again."
    except BotFailed as error:
        return Verified(side, "failed", None, explored.loss, failure=error.failure)
    finally:
        await player.afresh()
    if elsewhere is not None:
        return Verified(side, "undecided", explored, why=elsewhere)
    return Verified(side, "loss", explored, explored.loss, went_wrong(game, explored.loss))


async def _failed(game: Game, side: Side, player: Player, ask: Ask, moves: Moves, *, failure: Failure) -> Verified:
    """The verdict on a failure. It counts only if it happens in a game of its own, too."""
    why = f"{failure.message} But it did not do that in a game of its own with the same moves."
    try:
        why = await _departs(game, side, ask, moves, ask_at_end=True) or why
    except TimeoutError:
        why = f"{failure.message} But the time was up before it was asked again."
    except BotFailed as error:
        return Verified(side, "failed", None, moves, failure=error.failure)
    finally:
        await player.afresh()
    return Verified(side, "undecided", None, moves, failure=failure, why=why)


async def _departs(game: Game, side: Side, ask: Ask, moves: Moves, *, ask_at_end: bool = False) -> str | None:
    """Play a game with ``moves``. A sentence on where the player plays otherwise, None if it does not."""
    position = game.start
    for number in range(len(moves) + ask_at_end):
        if position.to_move is side:
            answers = await ask(moves[:number], position)
            if number < len(moves) and moves[number] not in answers:
                return _differing(Twice(moves[:number], ((moves[number],), answers), moves[:number]))
        if number < len(moves):
            position = position.play(moves[number])
    return None


def _differing(twice: Twice) -> str:
    """The reason why two answers that differ leave everything open."""
    before, now = ("/".join(answer) for answer in twice.answers)
    if twice.moves == twice.other_moves:
        return (
            f"After {_named(twice.moves)} it played {before}, and another time {now}. "
            "It answered differently when asked again: a bot that plays by chance cannot be proved."
        )
    return (
        f"After {_named(twice.moves)} it played {before}, and in the same position after {_named(twice.other_moves)} "
        f"it played {now}: its moves do not depend on the position alone."
    )


def _named(moves: Moves) -> str:
    return f"the move{'s' * (len(moves) != 1)} {' '.join(moves)}" if moves else "no moves"


def went_wrong(game: Game, moves: Moves) -> ReviewedMove | None:
    """The move of the loser that decided a finished game, None if none did or if the engine does not know."""
    positions = [game.start]
    for move in moves:
        positions.append(positions[-1].play(move))
    outcome = positions[-1].outcome
    assert outcome is not None
    sides = tuple(one.to_move for one in positions[:-1] if one.to_move is not None)
    finished = FinishedGame(game, moves, sides, None, outcome.winner)
    engine, _ = usable_engine_of(game)

    def analysed(position: Position) -> Any:
        def search(stop: Interrupt) -> Any:
            return engine.analyse(position, Limits(), stop)

        return within(REVIEW_S, search)[0]

    analyses = [analysed(one) for one in positions[:-1]]
    reviewed = [
        review_move(finished, ply, analyses[ply], analyses[ply + 1] if ply + 1 < len(moves) else None)
        for ply in range(len(moves))
    ]
    return decisive(reviewed, outcome.winner)


def so_far(game: Game, results: Sequence[Verified], last: Explored) -> str:
    """The findings after an interruption in one line: ``last`` is what was found on the side after ``results``."""
    known = [f"as {game.style(each.side).name} {VERDICTS[each.verdict]}" for each in results]
    if last.loss is not None:
        what = f"it loses in {plies(len(last.loss))}"
    else:
        what = f"not proved, but no loss after {counted(last.asked, 'position', 'positions')}"
    return "; ".join([*known, f"as {game.style(last.side).name} {what}"])


def status(results: Sequence[Verified]) -> int:
    """The exit status: 0 if everything is proved, 1 after a loss or a failure, 3 if something is undecided."""
    verdicts = {each.verdict for each in results}
    return 1 if verdicts & {"loss", "failed"} else 3 if "undecided" in verdicts else 0


def as_object(game: Game, name: str, results: Sequence[Verified]) -> dict[str, Any]:
    """The object that ``--json`` prints; docs/grading.md describes it."""
    return {"game": name_of(game), "bot": name, "sides": [_side_object(each) for each in results]}


def _side_object(result: Verified) -> dict[str, Any]:
    fields: dict[str, Any] = {"side": result.side, "verdict": result.verdict}
    if (explored := result.explored) is not None:
        fields |= {name: getattr(explored, name) for name in ("lines", "won", "drawn", "asked", "again")}
    if result.lost:
        fields["moves"] = list(result.lost)
    if (mistake := result.mistake) is not None:
        better = None if mistake.better is None else mistake.better[0]
        fields["mistake"] = {"ply": mistake.ply, "move": mistake.move, "mark": mistake.mark, "better": better}
    if result.failure is not None:
        fields["failure"] = asdict(result.failure)
    return fields | ({"why": result.why} if result.why else {})


def in_words(game: Game, result: Verified) -> list[str]:
    """The findings on one side, in lines."""
    who = f"As {game.style(result.side).name}, which moves {result.side}"
    match result.verdict:
        case "proved":
            return [f"{who}: proved, it never loses at {game.title}.", *_counts(result)]
        case "loss":
            head = f"{who}: it loses at {game.title} in {plies(len(result.lost))}."
            return [head, "", *_moves(game, result), "", *_board(game, result.lost), "", _mistake(game, result)]
        case "failed":
            message, *told = failure_in_words(result)
            return [f"{who}: it fails at {game.title} after {_named(result.lost)}. {message}", *told]
        case "undecided":
            return [f"{who}: not decided. {result.why}", *_counts(result)]


def failure_in_words(result: Verified) -> list[str]:
    """The player's failure, and below it the traceback or the end of its stderr."""
    assert result.failure is not None
    told = (result.failure.traceback or result.failure.stderr).rstrip()
    return [result.failure.message, *(f"  {line}" for line in told.splitlines())]


def _counts(result: Verified) -> list[str]:
    explored = result.explored
    if explored is None:
        return []
    lines = counted(explored.lines, "line", "lines")
    won = f"  {lines} of play: {explored.won:,} won, {explored.drawn:,} drawn, none lost."
    again = f", in {explored.again:,} of them twice" if explored.again else ""
    return [
        *([won] if result.verdict == "proved" else []),
        f"  It was asked in {counted(explored.asked, 'position', 'positions')}{again}.",
    ]


def _moves(game: Game, result: Verified) -> list[str]:
    """The moves, one a line, and a word beside the one that decided the game."""
    lines = []
    position = game.start
    for ply, move in enumerate(result.lost):
        assert position.to_move is not None
        mark = ""
        if result.mistake is not None and ply == result.mistake.ply:
            mark = f"  {_thrown(result.mistake)}"
        lines.append(f"  {ply + 1:>2}. {game.style(position.to_move).name} {move}{mark}")
        position = position.play(move)
    return lines


def _thrown(mistake: ReviewedMove) -> str:
    better = "" if mistake.better is None else f"; {' '.join(mistake.better[1].line)} was better"
    return f"{MARKS[mistake.mark]}{better}"


def _board(game: Game, moves: Moves) -> list[str]:
    position = game.start
    for move in moves:
        position = position.play(move)
    return [f"  {line}".rstrip() for line in board(game, faces(game, position))]


def _mistake(game: Game, result: Verified) -> str:
    mistake = result.mistake
    if mistake is None:
        return "No move of it is known to have decided this."
    return f"Move {mistake.ply + 1}, {game.style(mistake.side).name} {mistake.move}: {MARKS[mistake.mark]}."
