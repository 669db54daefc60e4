"""The tournaments that are not finished, in memory, and what is due in them: rooms, results, rounds, and the end.

The journal is the referee, as for rooms: any node decides, and one of those that write a version succeeds. A round is
one event, which names the rooms of its games before any of them is opened, and opening a room again changes nothing.
So whatever a node that died had not come to is done by another: rooms are opened, and ends of games are counted, until
all are. A game counts once, however often its end is reported.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from pydantic_core import to_json

from noughts.bus import Invited
from noughts.features.pairing_process import PairingFailed, swiss_pairs_apart
from noughts.games import Side
from noughts.games.catalogue import game_named
from noughts.gateway.client import Result, load_room
from noughts.gateway.commands import options_for
from noughts.gateway.server import Server
from noughts.host import Done, Failed, RoomUpdate
from noughts.journal import JournalError, StoredPlayer, TournamentRow
from noughts.players.ids import new_id
from noughts.protocol.records import UnknownRecord
from noughts.protocol.records import from_record as event_of_room
from noughts.protocol.tournament_records import from_record, to_record
from noughts.protocol.tournament_view import game_called, tournament_listing
from noughts.protocol.words import has_result
from noughts.rooms import Adjudicate as AdjudicateRoom
from noughts.rooms import Close, Ended, NoChange, Options, Player, Refused, Room
from noughts.rooms import Open as OpenRoom
from noughts.tournaments.decide import Step, decide
from noughts.tournaments.events import (
    DRAWN,
    FIRST_BY_FORFEIT,
    FIRST_WINS,
    NOBODY,
    SECOND_BY_FORFEIT,
    SECOND_WINS,
    Adjudicated,
    Command,
    Condense,
    Finish,
    Paired,
    Report,
    Scored,
    Start,
    Terms,
)
from noughts.tournaments.events import (
    Result as GameResult,
)
from noughts.tournaments.evolve import evolve
from noughts.tournaments.ladder import CONDENSED_AFTER
from noughts.tournaments.ranking import field_of
from noughts.tournaments.rounds import as_round, is_over, next_pairs, rounds_in_all
from noughts.tournaments.tournament import Condensed, Game, Stored, Tournament
from noughts.value import changed

log = logging.getLogger(__name__)

CHECK_S = 5.0
"""The interval at which the leading node looks for games whose rooms were never opened, or whose ends nobody told."""

FINISHED = 32
"""The number of finished tournaments in memory."""

PAIR_AGAIN_S = 30.0
"""The wait after a process that pairs players has failed."""


class Kept:
    """A tournament in memory. One command at a time is decided, while ``turn`` is held.

    The next round is not paired while ``pairing``, nor before ``pair_at``, by the event loop's clock. Its games were
    last checked at ``checked_at``.
    """

    def __init__(self, tournament: Tournament) -> None:
        self.now = tournament
        self.turn = asyncio.Lock()
        self.pairing = False
        self.pair_at = self.checked_at = 0.0


class UnknownTournament(Exception):
    """There is no such tournament."""


class Organiser:
    """Runs tournaments. ``on_change`` is called with each that has changed, within the event loop."""

    def __init__(self, server: Server) -> None:
        self.on_change: Callable[[Tournament], None] = lambda _: None
        self._server = server
        self._host = server.host
        self._journal = server.host.journal
        self._stored = server.host.journal.tournaments
        self._timing = server.timing
        self._rng = random.SystemRandom()
        self._kept: dict[str, Kept] = {}
        self._finished: OrderedDict[str, Kept] = OrderedDict()
        self._of_room: dict[str, str] = {}
        self._unreadable: set[str] = set()
        self._awake = asyncio.Event()
        self._time = server.time

    @property
    def under_way(self) -> int:
        """The number of tournaments that are not finished."""
        return len(self._kept)

    @property
    def _break_ms(self) -> int:
        return round(1000 * self._timing.round_break_s)

    async def submit(self, tournament: str, command: Command) -> tuple[Tournament, int]:
        """Carry out a command; the tournament after it, and the bytes that were stored for it.

        Raises :class:`UnknownTournament`, :class:`~noughts.rooms.Refused` and JournalError.
        """
        kept = await self._load(tournament)
        async with kept.turn:
            # Another node may have stored an event that makes the command right, or needless.
            if self._journal.shared:
                await self._catch_up(kept)
            while True:
                step = decide(kept.now, command, self._journal.now())
                if isinstance(step, NoChange):
                    return kept.now, 0
                if stored := await self._append(step):
                    self._advance(kept, step.event, step.tournament)
                    self._carry_out(kept, step.event)
                    return step.tournament, stored
                # Another node was faster, or our own earlier attempt was stored after all.
                await self._catch_up(kept)

    async def open(self, opening: Step) -> tuple[Tournament, int]:
        """Store a new tournament, unless it is there already. Raises JournalError."""
        tournament = opening.tournament.id
        stored = await self._append(opening)
        if stored:
            self._advance(
                self._kept.setdefault(tournament, Kept(opening.tournament)), opening.event, opening.tournament
            )
        return (await self._load(tournament)).now, stored

    async def find(self, tournament: str) -> Tournament:
        """A tournament as it is now. Raises :class:`UnknownTournament` and JournalError."""
        return (await self._load(tournament)).now

    def live_room(self, now: Tournament, player: str) -> str | None:
        """The room in which ``player`` plays now."""
        games = (now.games[room] for room in now.live)
        return next((game.room for game in games if player in (game.first, game.second)), None)

    def on_over(self, update: RoomUpdate) -> None:
        """A game has ended, on this node or another."""
        tournament = self._of_room.get(update.room.id)
        if tournament is not None and update.ours:
            side = update.event.side if isinstance(update.event, Ended) else None
            self._spawn(tournament, Report(update.room.id, result_of(update.room, side)))

    async def run(self) -> None:
        """Do what is due, for ever."""
        while True:
            with suppress(JournalError):  # it was logged
                await self._look()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._timing.tournaments_s):
                    await self._awake.wait()
            self._awake.clear()

    async def _look(self) -> None:
        """Learn what other nodes have done, and do what is due. Raises JournalError."""
        if self._journal.shared or not self._kept:
            versions = await self._host.retry.once(self._stored.unfinished())
            for tournament in versions.keys() - self._kept.keys() - self._unreadable:
                with suppress(UnknownTournament):
                    await self._load(tournament)
            for kept in list(self._kept.values()):
                # One that is not listed has ended, or was opened just now.
                if versions.get(kept.now.id, kept.now.version + 1) > kept.now.version:
                    async with kept.turn:
                        await self._catch_up(kept)
        self._tell_who_is_here()
        leads = await self._journal.lead()
        for kept in list(self._kept.values()):
            if kept.now.status == "finished":
                self._remember(kept)
            elif leads:
                await self._do_what_is_due(kept)

    async def _do_what_is_due(self, kept: Kept) -> None:
        """Start, pair or end a tournament, and check its games. Raises JournalError."""
        now, at, time = kept.now, self._journal.now(), self._time()
        starts_at = now.terms.starts_at
        try:
            if now.live and time >= kept.checked_at + CHECK_S:
                kept.checked_at = time
                await self._check(now)
            elif now.status == "open" and starts_at is not None and at >= starts_at:
                await self.submit(now.id, Start(None, self.lots(now)))
            elif is_over(now, at):
                await self.submit(now.id, Finish(None))
            elif now.terms.format == "ladder" and now.version - now.base >= CONDENSED_AFTER:
                await self.submit(now.id, Condense())
            elif now.pairing_due and not kept.pairing and time >= kept.pair_at:
                await self._pair(kept)
        except Refused as refusal:
            log.error("tournament %s cannot go on: %s", self._host.log_name(now.id), refusal.message)

    def pairs_at(self, now: Tournament) -> int | None:
        """The time at which the next round begins, in ms since the epoch; None while one is played, or for no other."""
        if not now.pairing_due or not now.games or now.continuous or now.round == rounds_in_all(now):
            return None
        return now.at + self._break_ms

    def lots(self, now: Tournament) -> tuple[str, ...]:
        """The ids of the entrants in an order drawn by lot."""
        entrants = list(now.entries)
        self._rng.shuffle(entrants)
        return tuple(entrants)

    # --- rounds

    async def _pair(self, kept: Kept) -> None:
        """Have the next round begin, if it is time. Raises JournalError and Refused."""
        now, at = kept.now, self._journal.now()
        if at < (self.pairs_at(now) or 0):
            return
        if now.terms.format == "swiss":
            kept.pairing = True
            self._server.tasks.spawn(self._pair_apart(kept))
        elif pairs := next_pairs(now, self.present(now), at, self._break_ms):
            await self.submit(now.id, as_round(now, pairs, _new_rooms()))

    async def _pair_apart(self, kept: Kept) -> None:
        """Have a round of Swiss begin."""
        now = kept.now
        try:
            pairs = await swiss_pairs_apart(field_of(now), rounds_in_all(now) or now.terms.rounds)
            await self.submit(now.id, as_round(now, pairs, _new_rooms()))
        except JournalError:
            pass  # it was logged, and the next look pairs again
        except ValueError:
            pass  # somebody has withdrawn meanwhile, and the next look pairs the others
        except (PairingFailed, OSError, Refused) as failure:
            kept.pair_at = self._time() + PAIR_AGAIN_S
            log.error("tournament %s cannot be paired: %s", self._host.log_name(now.id), failure)
        finally:
            kept.pairing = False

    def present(self, now: Tournament) -> set[str]:
        """The ids of the entrants who are connected; of an arena to any node, otherwise to this one."""
        computers = {player for player, entry in now.entries.items() if entry.player.kind == "computer"}
        return computers | self._server.attendance.among(now.entries)

    def _tell_who_is_here(self) -> None:
        """Tell the other nodes which entrants of arenas and ladders are connected to this one."""
        if not self._journal.shared:
            return
        for kept in self._kept.values():
            if kept.now.status == "running" and kept.now.continuous:
                self._server.attendance.tell(each for each in kept.now.active if each not in kept.now.playing)

    # --- rooms

    def _carry_out(self, kept: Kept, event: Stored) -> None:
        """Do what follows from an event that this node has stored."""
        now = kept.now
        match event:
            case Paired():
                kept.checked_at = self._time()
                self._server.tasks.spawn(self._open_rooms(now, [now.games[game.room] for game in event.games]))
            case Condensed():
                self._server.tasks.spawn(self._forget(now))
            case Adjudicated():
                self._end_room(now.games[event.room])
        self._awake.set()

    async def _forget(self, now: Tournament) -> None:
        """Delete the records that the last one has condensed. If that fails, the next time does it."""
        with suppress(JournalError):  # it was logged
            await self._host.retry.call(lambda: self._stored.forget(now.id, now.base))

    async def _open_rooms(self, now: Tournament, games: Sequence[Game]) -> None:
        for game in games:
            if game.result is None:
                self._open_room(now, game)
                await asyncio.sleep(0)  # each takes a moment, and other tasks need their turn

    def _open_room(self, now: Tournament, game: Game) -> None:
        """Open the room of a game and call its players; a room that is open stays as it is."""
        of_game, first, second = (
            game_named(now.terms.game),
            now.entries[game.first].player,
            now.entries[game.second].player,
        )
        options = room_options(now.terms, self._server, now.id)
        command = OpenRoom(game.room, of_game.key, first.id, first, second, options, setup=of_game.setup)
        players = tuple(StoredPlayer(each.id, each.name, each.kind, b"") for each in (first, second))

        def reply(result: Result) -> None:
            if isinstance(result, Done) and result.room.outcome is None:
                self._call(now, game)
            elif isinstance(result, Refused):  # the operator offers the game no longer, say
                log.error("tournament %s: a game was refused: %s", self._host.log_name(now.id), result.message)
                self._spawn(now.id, Report(game.room, NOBODY))

        # A level of the computer is stored nowhere.
        seated = tuple(player for player in players if player.kind != "computer")
        self._host.submit(game.room, command, reply, seated)

    def _call(self, now: Tournament, game: Game) -> None:
        for player in (game.first, game.second):
            line = to_json(game_called(now, game, player))
            self._server.sessions.tell(player, line)
            self._host.bus.send(Invited(player, line))

    def _end_room(self, game: Game) -> None:
        """End the room of a game that the organiser has decided, if it goes on."""
        assert game.result is not None
        if game.result == NOBODY:
            self._host.submit(game.room, Close())
        else:
            winner = {FIRST_WINS: Side.FIRST, SECOND_WINS: Side.SECOND}.get(game.result)
            self._host.submit(game.room, AdjudicateRoom(winner))

    async def _check(self, now: Tournament) -> None:
        """Open the rooms of games that have none, and count the ends of those that are over. Raises JournalError."""
        rooms = sorted(now.live)
        still_open = set(await self._host.retry.once(self._journal.index.still_open(rooms)))
        for room_id in rooms:
            if room_id in still_open:
                continue
            try:
                room = await load_room(self._host, room_id)
            except Failed as failure:
                if failure.code == "unknown_room":
                    self._open_room(now, now.games[room_id])
                continue
            if room.outcome is not None:
                side = await self._ended_by(room)
                await self.submit(now.id, Report(room_id, result_of(room, side)))

    async def _ended_by(self, room: Room) -> Side | None:
        """The side that ended a room otherwise than by a move. Raises JournalError."""
        for record in reversed(await self._host.retry.read(room.id)):
            event = event_of_room(record)
            if isinstance(event, Ended):
                return event.side
        return None

    # --- memory and the journal

    async def _append(self, step: Step) -> int:
        """Store an event; its length, or 0 if its version is there already. Raises JournalError."""
        now, record = step.tournament, to_record(step.event)
        row = TournamentRow(now.id, now.by.id, now.status, not now.terms.private, to_json(tournament_listing(now)))
        stored = await self._host.retry.call(lambda: self._stored.append(row, now.version, record))
        return len(record) if stored else 0

    async def _load(self, tournament: str) -> Kept:
        """A tournament, read if need be. Raises :class:`UnknownTournament` and JournalError."""
        kept = self._kept.get(tournament) or self._finished.get(tournament)
        if kept is not None:
            return kept
        now: Tournament | None = None
        for number, record in enumerate(await self._host.retry.call(lambda: self._stored.read(tournament)), 1):
            try:
                now = evolve(now, from_record(record))
            except UnknownRecord as error:
                self._unreadable.add(tournament)
                log.warning("tournament %s cannot run here: %s", self._host.log_name(tournament), error)
                raise UnknownTournament from error
            if number % 100 == 0:
                await asyncio.sleep(0)
        if now is None:
            raise UnknownTournament
        if now.status == "finished":
            return self._remember(Kept(now))
        kept = self._kept.setdefault(tournament, Kept(now))  # somebody may have read it meanwhile
        self._of_room.update(dict.fromkeys(kept.now.live, tournament))
        return kept

    async def _catch_up(self, kept: Kept) -> None:
        """Take in what others have stored. Hold the turn. Raises JournalError."""
        tournament, version = kept.now.id, kept.now.version
        for record in await self._host.retry.call(lambda: self._stored.read(tournament, version)):
            event = from_record(record)
            self._advance(kept, event, evolve(kept.now, event))

    def _advance(self, kept: Kept, event: Stored, after: Tournament) -> None:
        kept.now = after
        match event:
            case Paired(games=games):
                self._of_room.update((game.room, after.id) for game in games if game.result is None)
            case Scored(room=room) | Adjudicated(room=room):
                self._of_room.pop(room, None)
            case Condensed():  # it may stand for events that this node has not seen
                self._of_room.update(dict.fromkeys(after.live, after.id))
        self.on_change(after)

    def _remember(self, kept: Kept) -> Kept:
        """Keep one of the last that are finished, which people still look at; nothing changes there any more."""
        self._finished[kept.now.id] = kept
        if len(self._finished) > FINISHED:
            self._finished.popitem(last=False)
        self._kept.pop(kept.now.id, None)
        for room in kept.now.live:
            self._of_room.pop(room, None)
        return kept

    def _spawn(self, tournament: str, command: Command) -> None:
        """Carry out a command for which nobody waits. What fails is found and done again by the leading node."""

        async def carry_out() -> None:
            with suppress(UnknownTournament, Refused, JournalError):
                await self.submit(tournament, command)

        self._server.tasks.spawn(carry_out())


def result_of(room: Room, ended_by: Side | None) -> GameResult:
    """The result, in its tournament, of a game that is over. ``ended_by`` is the side that closed it, None for nobody.

    Whoever has closed it, or has not come to its first move, forfeits it, and so does the other side if it is away.
    """
    outcome = room.outcome
    assert outcome is not None
    if outcome.winner is not None:
        won = outcome.winner is Side.FIRST
        if room.begun:
            return FIRST_WINS if won else SECOND_WINS
        return FIRST_BY_FORFEIT if won else SECOND_BY_FORFEIT
    if has_result(None, outcome.reason):
        return DRAWN
    absent = ended_by or room.position.to_move
    if room.begun or absent is None or outcome.reason != "aborted" or absent.other in room.away:
        return NOBODY
    return SECOND_BY_FORFEIT if absent is Side.FIRST else FIRST_BY_FORFEIT


def room_options(terms: Terms, server: Server, tournament: str) -> Options:
    """The options of the rooms of the tournament with this id."""
    options = options_for(terms.clock, server.settings, private=terms.private, rated=terms.rated)
    return changed(options, first_move_ms=terms.first_move_ms, tournament=tournament)


def entrant(player: StoredPlayer, rating: int | None) -> Player:
    """A player as one who enters."""
    return Player(player.id, player.name, "bot" if player.kind == "bot" else "human", player.registered, rating)


def _new_rooms() -> Iterator[str]:
    while True:
        yield new_id()
