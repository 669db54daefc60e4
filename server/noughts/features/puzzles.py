"""Puzzles: solved against their proofs, with a rating for the solver, one a day, and sets for a class."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import lru_cache

from noughts.engine import Interrupt
from noughts.games import GAMES
from noughts.games.sentences import no_such_game
from noughts.gateway.client import Client
from noughts.gateway.costs import LIST_BYTES, LOAD_BYTES
from noughts.gateway.feature import Feature, Handling
from noughts.gateway.guests import store_again
from noughts.gateway.members import check_organiser
from noughts.gateway.replies import BAD_COMMAND, COMPUTER_BUSY, UNKNOWN_GAME, Error, Problem, answer, ok, player_info
from noughts.gateway.server import Server
from noughts.journal import PuzzleTry
from noughts.players.ids import new_id
from noughts.protocol import study_requests
from noughts.protocol.fields import Request
from noughts.protocol.study_messages import ListedPuzzle, OtherMove, PuzzleGame, PuzzleRating, PuzzleSolver
from noughts.puzzles import sets
from noughts.puzzles.puzzle import BadPuzzle, Puzzle
from noughts.puzzles.question import Kind, NotThere, Question, Reply, reply_to
from noughts.puzzles.solver import BEGINNER, rating_after
from noughts.puzzles.wording import task
from noughts.ratings import Rating

UNKNOWN_PUZZLE = Error("unknown_puzzle", "No puzzle has the id {id!r}.")
UNKNOWN_SET = Error("unknown_puzzle", "There is no such set of puzzles.")
ONE_QUESTION = Error("rate_limited", "One question about a puzzle at a time. Wait for the answer.")
TOO_MANY = Error("rate_limited", "Too many questions about puzzles. Wait before the next.")
TOO_MANY_SETS = Error("not_allowed", "You have {most} sets already. Delete one first.")

PER_S, AT_ONCE = 2.0, 30
SETS = 100
"""The most sets that a player can have."""

SOLVERS = 500
"""The most solvers of a set that its maker sees."""

KEPT = 10_000
"""The number of lines that are remembered as right, so that they need no second proof."""

STOPS = {
    "puzzles": f"a player who asks too much about puzzles: {PER_S:g} a second, {AT_ONCE} at once, one at a time",
    "puzzle_sets": f"a player with too many sets of puzzles: {SETS} at a time",
}


def feature(server: Server) -> Feature:
    """Puzzles and sets of them."""
    puzzles = Puzzles(server)
    return Feature(
        requests={
            study_requests.Puzzles: puzzles.tell_games,
            study_requests.ShowPuzzle: puzzles.show,
            study_requests.TryMove: puzzles.try_move,
            study_requests.AskHint: puzzles.hint,
            study_requests.ShowProof: puzzles.prove,
            study_requests.MakePuzzleSet: puzzles.make_set,
            study_requests.ShowPuzzleSet: puzzles.show_set,
        },
        on_client_gone=puzzles.drop,
    )


class Puzzles:
    """Carries out requests about puzzles. The scores are in the journal, guests' too."""

    def __init__(self, server: Server) -> None:
        self._settings = server.settings
        self._costs = server.costs
        self._reply = server.computer.reply
        self._queue_s = server.timing.analysis_queue_s
        self._journal = server.host.journal
        self._limit = server.limit("puzzles", PER_S, AT_ONCE, "refused a question about a puzzle")
        self._asking: dict[str, tuple[Client, asyncio.Task[object] | None]] = {}
        self._right: OrderedDict[tuple[str, tuple[str, ...]], None] = OrderedDict()

    # --- lists

    async def tell_games(self, client: Client, request: study_requests.Puzzles) -> None:
        """Answer with the games, and with the puzzles of one."""
        self._costs.check_reader(client)
        self._costs.charge_list(client)
        if request.game is not None and request.game not in sets.games():
            raise Problem(UNKNOWN_GAME, problem=no_such_game(request.game, dict.fromkeys(sets.games())))
        known = await asyncio.to_thread(_all)
        today = self._today()
        player = client.player.id
        tries = await self._journal.puzzles.of(player)
        games: list[PuzzleGame] = []
        for game, puzzles in known.items():
            if request.game not in (None, game):
                continue
            scored = [one for one in tries if one.game == game and one.score is not None]
            told: PuzzleGame = {
                "game": game,
                "count": len(puzzles),
                "today": _of_the_day(today)[game],
            }
            if scored:
                told |= {"tried": len(scored), "standing": _standing(_rating_of(scored[-1]))}
            games.append(told)
        own = await self._journal.puzzles.sets_of(player)
        fields: dict[str, object] = {
            "day": today.isoformat(),
            "beginner": _standing(BEGINNER),
            "games": games,
            "days": [date.fromordinal(EPOCH + day).isoformat() for day in await self._journal.puzzles.days(player)],
            "sets": [{"set": each.id, "title": each.title, "count": len(each.puzzles)} for each in own],
        }
        if request.game is not None:
            fields["puzzles"] = _listed(known[request.game].values(), tries)
        self._send(client, "puzzles", request, fields)

    async def show(self, client: Client, request: study_requests.ShowPuzzle) -> None:
        """Answer with a puzzle."""
        self._costs.check_reader(client)
        puzzle = await _find(request.puzzle)
        client.cost += LOAD_BYTES
        fields: dict[str, object] = {
            "puzzle": puzzle.id,
            "game": puzzle.game.key,
            **({"setup": dict(puzzle.game.setup)} if puzzle.game.setup else {}),
            "start": puzzle.position.text,
            "side": puzzle.side.value,
            "goal": puzzle.goal.value,
            "moves": puzzle.moves,
            "rating": puzzle.rating,
            "text": task(puzzle),
        }
        tried = await self._journal.puzzles.one(client.player.id, puzzle.game.key, puzzle.key)
        if tried is not None:
            fields |= (
                {"hinted": tried.hinted} if tried.score is None else {"score": tried.score, "hinted": tried.hinted}
            )
        self._send(client, "puzzle", request, fields)

    # --- solving

    def try_move(self, client: Client, request: study_requests.TryMove) -> Handling:
        """Answer whether a move is right, and with what follows it."""
        return self._begin(client, self._try(client, request))

    def hint(self, client: Client, request: study_requests.AskHint) -> Handling:
        """Answer with a hint."""
        return self._begin(client, self._hint(client, request))

    def prove(self, client: Client, request: study_requests.ShowProof) -> Handling:
        """Answer with the solution and why no other first move is right."""
        return self._begin(client, self._prove(client, request))

    def drop(self, client: Client) -> None:
        """The client is gone, so nobody waits for its answer."""
        for owner, answering in list(self._asking.values()):
            if owner is client and answering is not None:
                answering.cancel()

    def _begin(self, client: Client, answering: Handling) -> Handling:
        """Have ``answering`` run, one at a time for a player."""
        player = client.player.id
        try:
            self._costs.check_reader(client)
            if player in self._asking:
                client.monitor.limit("puzzles", client.who, "refused a question about a puzzle")
                raise Problem(ONE_QUESTION, retry_after_s=self._settings.analyse_s)
            self._limit.take(player, client.who, TOO_MANY)
        except Problem:
            assert answering is not None
            answering.close()
            raise
        self._asking[player] = client, None
        return self._run(client, answering)

    async def _run(self, client: Client, answering: Handling) -> None:
        player = client.player.id
        self._asking[player] = client, asyncio.current_task()
        try:
            assert answering is not None
            await answering
        except NotThere as error:
            raise Problem(BAD_COMMAND, problem=f"moves: {error}") from None
        finally:
            self._costs.settle(client)
            del self._asking[player]

    async def _try(self, client: Client, request: study_requests.TryMove) -> None:
        puzzle, moves = await _find(request.puzzle), tuple(request.moves)
        trusted = (puzzle.id, moves) in self._right
        reply = await self._answer(client, Question(puzzle, Kind.TRY, moves, request.move, trusted=trusted))
        score = 0.0 if reply.kept is False else 1.0 if reply.solved else None
        fields: dict[str, object] = {
            "puzzle": puzzle.id,
            "kept": reply.kept,
            "text": reply.text,
            "replies": list(reply.moves),
            "solved": reply.solved,
        }
        if score is not None:
            fields |= await self._scored(client, puzzle, score, request.set)
        if reply.kept:
            self._right[puzzle.id, (*moves, request.move, *reply.moves)] = None
            if len(self._right) > KEPT:
                self._right.popitem(last=False)
        self._send(client, "puzzle_move", request, fields)

    async def _hint(self, client: Client, request: study_requests.AskHint) -> None:
        puzzle, moves = await _find(request.puzzle), tuple(request.moves)
        trusted = (puzzle.id, moves) in self._right
        question = Question(puzzle, Kind.HINT, moves, number=request.number, trusted=trusted)
        reply = await self._answer(client, question)
        await self._make_sure_stored(client)
        await self._journal.puzzles.hint(client.player.id, puzzle.game.key, puzzle.key)
        self._send(
            client, "puzzle_hint", request, {"puzzle": puzzle.id, "moves": list(reply.moves), "text": reply.text}
        )

    async def _prove(self, client: Client, request: study_requests.ShowProof) -> None:
        puzzle = await _find(request.puzzle)
        reply = await self._answer(client, Question(puzzle, Kind.PROOF))
        fields = await self._scored(client, puzzle, 0.0, request.set)
        name = puzzle.game.name
        others: list[OtherMove] = [
            {"move": move, "name": name(puzzle.position, move), "text": text} for move, text in reply.told
        ]
        self._send(
            client,
            "puzzle_proof",
            request,
            {"puzzle": puzzle.id, "line": list(puzzle.line), "others": others, **fields},
        )

    async def _answer(self, client: Client, question: Question) -> Reply:
        client.cost += LOAD_BYTES * (1 + len(question.moves))
        if question.on_line:
            return reply_to(question, None, Interrupt())
        try:
            async with asyncio.timeout(self._queue_s + self._settings.analyse_s):
                return await self._reply(question, self._settings.analyse_s)
        except TimeoutError:
            raise Problem(COMPUTER_BUSY, retry_after_s=self._settings.analyse_s) from None

    async def _scored(self, client: Client, puzzle: Puzzle, score: float, of_set: str | None) -> dict[str, object]:
        """Store the score of the first try; what the answer says of it, nothing if there was one before."""
        await self._make_sure_stored(client)
        player, game, stored = client.player.id, puzzle.game.key, self._journal.puzzles
        if of_set is not None and client.player.known:
            await stored.join(of_set, player)
        tried, last = await stored.one(player, game, puzzle.key), await stored.last(player, game)
        if tried is not None and tried.score is not None:
            return {}
        if tried is not None and tried.hinted:
            score = min(score, 0.5)
        before = BEGINNER if last is None else _rating_of(last)
        now = rating_after(before, puzzle, score)
        written = await stored.score(player, game, puzzle.key, score, (now.rating, now.deviation, now.volatility))
        return _result(before, now, score) if written else {}

    async def _make_sure_stored(self, client: Client) -> None:
        """Store a guest whom the journal has forgotten."""
        if not client.player.known and (stored := await store_again(self._journal, client.player)) != client.player:
            client.identify(stored)

    # --- sets

    async def make_set(self, client: Client, request: study_requests.MakePuzzleSet) -> None:
        """Store a set, and answer with it."""
        self._check(client)
        player = client.player
        check_organiser(player, self._settings, "make sets of puzzles")
        ids = [(await _find(each)).id for each in dict.fromkeys(request.puzzles)]
        name = new_id()
        if not await self._journal.puzzles.put_set(name, player.id, request.title, ids, SETS):
            client.monitor.limit("puzzle_sets", client.who, "refused another set of puzzles")
            raise Problem(TOO_MANY_SETS, most=SETS)
        client.written += LIST_BYTES
        self._send(client, "puzzle_set", request, await self._set(client, name))

    async def show_set(self, client: Client, request: study_requests.ShowPuzzleSet) -> None:
        """Answer with a set; or delete it."""
        self._check(client)
        if not request.delete:
            self._send(client, "puzzle_set", request, await self._set(client, request.set))
        elif await self._journal.puzzles.drop_set(request.set, client.player.id):
            client.send(ok(request.id))
        else:
            raise Problem(UNKNOWN_SET)

    def _check(self, client: Client) -> None:
        self._costs.check_reader(client)
        self._limit.take(client.player.id, client.who, TOO_MANY)

    async def _set(self, client: Client, name: str) -> dict[str, object]:
        stored = self._journal.puzzles
        found = await stored.find_set(name)
        by = None if found is None else await self._journal.people.find(found.player)
        if found is None or by is None:
            raise Problem(UNKNOWN_SET)
        puzzles = []
        for each in found.puzzles:
            try:
                puzzles.append(await _find(each))
            except Problem:
                continue  # it was in the sets of an older version
        keys, player = [puzzle.key for puzzle in puzzles], client.player
        own = await stored.among([player.id], keys)
        told: dict[str, object] = {
            "set": found.id,
            "title": found.title,
            "by": player_info(by),
            "puzzles": _listed(puzzles, own),
        }
        if found.player == player.id:
            solvers = await stored.solvers(found.id, SOLVERS)
            scores = {
                (one.player, one.game, one.puzzle): one.score
                for one in await stored.among([each.id for each in solvers], keys)
            }
            shown: list[PuzzleSolver] = [
                {
                    "player": player_info(each),
                    "scores": [scores.get((each.id, puzzle.game.key, puzzle.key)) for puzzle in puzzles],
                }
                for each in solvers
            ]
            told["solvers"] = shown
        return told

    # ---

    def _today(self) -> date:
        return datetime.fromtimestamp(self._journal.now() / 1000, UTC).date()

    def _send(self, client: Client, kind: str, request: Request, fields: dict[str, object]) -> None:
        if client.open:
            client.send(answer(kind, request.id, fields))
            self._costs.settle(client)


EPOCH = date(1970, 1, 1).toordinal()


def _all() -> dict[str, dict[str, Puzzle]]:
    """The sets of the games that are here, by game. Reads files the first time."""
    return {game: sets.by_key(game) for game in sets.games() if game in GAMES}


@lru_cache(2)
def _of_the_day(day: date) -> dict[str, str]:
    """The id of the puzzle of ``day`` of each game."""
    return {game: sets.of_the_day([*puzzles.values()], day).id for game, puzzles in _all().items()}


async def _find(puzzle: str) -> Puzzle:
    """The puzzle with this id. Raises :class:`~noughts.gateway.replies.Problem`."""
    game, _, key = puzzle.partition("/")
    found = (await asyncio.to_thread(_all)).get(game, {}).get(key)
    try:
        if found is not None:
            found.begun  # noqa: B018 - reads the position
            return found
    except BadPuzzle:
        pass  # the game is installed in another version
    raise Problem(UNKNOWN_PUZZLE, id=puzzle)


def _listed(puzzles: Iterable[Puzzle], tries: Iterable[PuzzleTry]) -> list[ListedPuzzle]:
    scores = {(one.game, one.puzzle): one.score for one in tries}
    told: list[ListedPuzzle] = []
    for puzzle in puzzles:
        shown: ListedPuzzle = {"puzzle": puzzle.id, "rating": puzzle.rating}
        game, key = puzzle.id.split("/")
        score = scores.get((game, key))
        told.append(shown if score is None else {**shown, "score": score})
    return told


def _rating_of(tried: PuzzleTry) -> Rating:
    """The player's rating after a try that has a score."""
    assert tried.rating is not None
    assert tried.deviation is not None
    assert tried.volatility is not None
    return Rating(tried.rating, tried.deviation, tried.volatility)


def _standing(rating: Rating) -> PuzzleRating:
    """A rating as clients get it."""
    return {
        "rating": round(rating.rating, 2),
        "deviation": round(rating.deviation, 2),
        "volatility": round(rating.volatility, 6),
    }


def _result(before: Rating, now: Rating, score: float) -> dict[str, object]:
    return {"score": score, "standing": {**_standing(now), "change": round(now.rating - before.rating, 2)}}
