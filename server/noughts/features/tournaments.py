"""Tournaments: players open, enter and run them, and watch the standings."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field

from pydantic_core import from_json, to_json

from noughts.engine import levels_of
from noughts.features.organiser import Organiser, UnknownTournament, entrant, room_options
from noughts.games import Game
from noughts.games.catalogue import key_of, name_of
from noughts.games.sentences import level_of, no_such_game, no_such_level
from noughts.gateway.client import Client, Subscriber
from noughts.gateway.commands import game_of, origin_of, time_control_of
from noughts.gateway.connection import framed
from noughts.gateway.costs import LOAD_BYTES
from noughts.gateway.feature import Feature, Reading
from noughts.gateway.members import check_organiser
from noughts.gateway.replies import UNKNOWN_GAME, Error, Problem, answer, counted, ok
from noughts.gateway.server import Server
from noughts.host import GameOver
from noughts.journal import JournalError
from noughts.players.ids import new_id, room_id_for
from noughts.protocol import tournament_requests
from noughts.protocol.fields import RequestId
from noughts.protocol.tournament_view import Ranked, tournament_fields
from noughts.rooms import Open as OpenRoom
from noughts.rooms import decide as decide_room
from noughts.rooms import pool_of
from noughts.tournaments import swiss
from noughts.tournaments.decide import Step, decide
from noughts.tournaments.events import (
    DRAWN,
    FIRST_WINS,
    NOBODY,
    SECOND_WINS,
    Adjudicate,
    Command,
    Enter,
    Finish,
    Open,
    Pause,
    Resume,
    Start,
    Terms,
    Withdraw,
)
from noughts.tournaments.tournament import Tournament

UNKNOWN = Error("unknown_tournament", "There is no such tournament.")
NO_SWISS = Error("not_allowed", "This server cannot pair Swiss tournaments until its operator installs py4swiss.")
NO_OPPONENT = Error("unknown_player", "No player has the id or registered name {name!r}.")
NO_LEVEL = Error("not_allowed", "{problem}")
OPENED_TOO_MANY = Error("room_limit", "You have {tournaments}. End one first.")
TOO_MANY_HERE = Error("room_limit", "There are too many tournaments on this server. Wait until one has ended.")
TOO_MANY_ACTS = Error("rate_limited", "Too many requests about tournaments. Wait before the next.")
WATCHES_TOO_MANY = Error("room_limit", "You watch {tournaments}. Leave one first.")

PER_PLAYER, IN_ALL, WATCHED = 5, 200, 10
"""The number of tournaments that are not finished of one organiser, and on the whole server; and the number that a
connection may watch."""

SOON_S = 0.02
"""The time for which changes are gathered, such as games that end together."""

ENCODED = 50
"""The number of tournaments whose standings are kept as they were sent last."""

ACTS_PER_S, ACTS_AT_ONCE = 1.0, 30

STOPS = {
    "tournaments_per_player": f"an organiser with more than {PER_PLAYER} tournaments that are not finished",
    "tournaments": f"more than {IN_ALL} tournaments on a server that are not finished",
    "tournaments_per_connection": f"a connection that watches more than {WATCHED} tournaments",
    "tournament_acts": "a player who sends too many requests to tournaments: "
    f"{ACTS_PER_S:g} a second, {ACTS_AT_ONCE} at once",
}

RESULTS = {"first": FIRST_WINS, "second": SECOND_WINS, "draw": DRAWN, "none": NOBODY}


def feature(server: Server) -> Feature:
    """Tournaments of people and bots."""
    organiser = Organiser(server)
    desk = Desk(server, organiser)
    return Feature(
        requests={
            tournament_requests.OpenTournament: desk.open,
            tournament_requests.TournamentRequest: desk.act,
            tournament_requests.Withdraw: desk.withdraw,
            tournament_requests.AdjudicateGame: desk.adjudicate,
            tournament_requests.Tournaments: desk.tell_all,
            tournament_requests.ShowTournament: desk.show,
        },
        updates={GameOver: organiser.on_over},
        on_client_gone=desk.drop,
        loops=(organiser.run,),
        readings=(Reading("tournaments", "Tournaments that are not finished.", lambda: organiser.under_way),),
    )


@dataclass
class Made:
    """The standings at ``version`` as they are sent, by the row after which they begin and whether results are in."""

    version: int = 0
    shown: dict[tuple[int, bool], asyncio.Future[bytes]] = field(default_factory=dict)
    ranked: Ranked = field(default_factory=dict)


class Desk:
    """Carries out requests about tournaments, and tells those who watch one."""

    def __init__(self, server: Server, organiser: Organiser) -> None:
        self._server = server
        self._settings = server.settings
        self._host = server.host
        self._costs = server.costs
        self._organiser = organiser
        self._acts = server.limit("tournament_acts", ACTS_PER_S, ACTS_AT_ONCE, "refused a request")
        self._watchers: dict[str, dict[Subscriber, int]] = {}
        """By tournament, those who watch it, and the version that each was sent last."""
        self._due: set[str] = set()
        self._told_at: dict[str, float] = {}
        self._made: OrderedDict[str, Made] = OrderedDict()
        organiser.on_change = self._note_change

    # --- requests

    async def open(self, client: Client, request: tournament_requests.OpenTournament) -> None:
        """Open a tournament. With a key it is the same one every time."""
        self._check(client)
        player, now = client.player, self._host.journal.now()
        check_organiser(player, self._settings, "open tournaments")
        terms = await self._terms(request)
        key = None if request.key is None else f"tournament\0{request.key}"
        tournament = new_id() if key is None else room_id_for(self._host.journal.secret, player.id, key)
        opening = decide(None, Open(tournament, entrant(player, None), terms), now)
        assert isinstance(opening, Step)
        known = False
        if key is not None:
            with suppress(UnknownTournament):
                await self._organiser.find(tournament)
                known = True
        if not known:
            await self._check_room_for_one_more(client)
        after, stored = await self._organiser.open(opening)
        client.written += stored
        self._answer(client, request.id, after)

    async def act(self, client: Client, request: tournament_requests.TournamentRequest) -> None:
        """Enter a tournament, or start, pause, resume or end one's own."""
        self._check(client)
        player = client.player
        now = await self._find(request.tournament)
        command: Command
        match request.type:
            case "enter_tournament":
                if now.terms.rated:
                    await self._host.rated_pairs.note(player.id, origin_of(client, self._host.journal.secret))
                origin = origin_of(client, self._host.journal.secret).hex()
                command = Enter(entrant(player, await self._rating(client, now.terms)), origin)
            case "start_tournament":
                command = Start(player.id, self._organiser.lots(now))
            case "pause_tournament":
                command = Pause(player.id)
            case "resume_tournament":
                command = Resume(player.id)
            case "end_tournament":
                command = Finish(player.id)
        self._answer(client, request.id, await self._carry_out(client, request.tournament, command))

    async def withdraw(self, client: Client, request: tournament_requests.Withdraw) -> None:
        """Take no further part in a tournament, or remove a player, who loses the game under way."""
        self._check(client)
        by = client.player.id
        player = request.player or by
        after = await self._carry_out(client, request.tournament, Withdraw(player, by))
        if player != by:  # after a fault in between the organiser asks again, and the games left are decided then
            for game in [after.games[room] for room in sorted(after.live)]:
                if player in (game.first, game.second):
                    lost = SECOND_WINS if player == game.first else FIRST_WINS
                    after = await self._carry_out(client, after.id, Adjudicate(by, game.room, lost))
        self._answer(client, request.id, after)

    async def adjudicate(self, client: Client, request: tournament_requests.AdjudicateGame) -> None:
        """Decide a game."""
        self._check(client)
        command = Adjudicate(client.player.id, request.room, RESULTS[request.result])
        self._answer(client, request.id, await self._carry_out(client, request.tournament, command))

    async def tell_all(self, client: Client, request: tournament_requests.Tournaments) -> None:
        """Answer with the list of tournaments."""
        self._costs.check_reader(client)
        self._costs.charge_list(client)
        listed = await self._host.journal.tournaments.listed(request.limit)
        if client.open:
            client.send(answer("tournaments", request.id, {"tournaments": [from_json(each) for each in listed]}))
            self._costs.settle(client)

    async def show(self, client: Client, request: tournament_requests.ShowTournament) -> None:
        """Answer with the standings of a tournament, and begin or cease to tell of changes."""
        self._costs.check_reader(client)
        now = await self._find(request.tournament)
        if now.status == "finished":  # it may have been read
            client.cost += LOAD_BYTES * now.version
        watches = request.watch and client.can_seek  # whoever comes by MQTT does not stay
        if not watches:
            self._unwatch(now.id, client.subscriber)
        told = to_json(answer("tournament", request.id, self._presence(client, now) if request.presence else {}))
        encoded = await self._encoded(now, request.after, request.results)
        if watches:
            self._check_may_watch(client, now)
        if client.open:
            client.send_encoded(b"%b,%b" % (told[:-1], encoded))
            self._costs.settle(client)
            if watches:
                self._watchers.setdefault(now.id, {})[client.subscriber] = now.version
                self._note_change(now)  # it may have changed while it was encoded

    def _presence(self, client: Client, now: Tournament) -> dict[str, list[int]]:
        """The numbers of the entrants who are connected, for the organiser alone."""
        if client.player.id != now.by.id:
            return {}
        here = self._organiser.present(now)
        return {"here": [number for number, player in enumerate(now.order or now.entries, 1) if player in here]}

    def drop(self, client: Client) -> None:
        """The client is gone."""
        if client.identified:
            for tournament in list(self._watchers):
                self._unwatch(tournament, client.subscriber)

    # --- parts of requests

    def _check(self, client: Client) -> None:
        self._acts.take(client.player.id, client.who, TOO_MANY_ACTS)
        self._costs.check_write(client)

    async def _find(self, tournament: str) -> Tournament:
        try:
            return await self._organiser.find(tournament)
        except UnknownTournament:
            raise Problem(UNKNOWN) from None

    async def _carry_out(self, client: Client, tournament: str, command: Command) -> Tournament:
        """The tournament after a command of the client's."""
        try:
            after, stored = await self._organiser.submit(tournament, command)
        except UnknownTournament:
            raise Problem(UNKNOWN) from None
        client.written += stored
        return after

    def _answer(self, client: Client, request_id: RequestId | None, after: Tournament) -> None:
        if client.open:
            room = self._organiser.live_room(after, client.player.id)
            fields = {} if room is None else {"room": room}
            client.send(ok(request_id, tournament=after.id, **fields))
        self._costs.settle(client)

    async def _terms(self, request: tournament_requests.OpenTournament) -> Terms:
        """The terms that a request asks for. Raises Problem, and Refused for what its rooms would refuse."""
        offered = self._settings.offered_games
        if offered and request.game not in offered:
            raise Problem(UNKNOWN_GAME, problem=no_such_game(request.game, offered))
        if request.format == "swiss" and not swiss.installed():
            raise Problem(NO_SWISS)
        game, clock = game_of(request), time_control_of(request.clock)
        assert clock is not None
        now = self._host.journal.now()
        ladder = request.format == "ladder"
        terms = Terms(
            name=request.name,
            format=request.format,
            game=name_of(game),
            clock=clock,
            rounds=request.rounds,
            minutes=request.minutes,
            rated=request.rated,
            kinds="bots" if ladder else request.kinds,
            registered=ladder or request.registered,
            private=request.private,
            opponents=tuple([await self._opponent(game, name) for name in request.opponents]),
            starts_at=None if request.starts_in_s is None else now + round(1000 * request.starts_in_s),
            first_move_ms=round(1000 * request.first_move_s),
            most=request.most,
            budget=request.budget,
        )
        options = room_options(terms, self._server, new_id())
        decide_room(None, OpenRoom(new_id(), game.key, "", None, None, options, setup=game.setup), now)
        return terms

    async def _opponent(self, game: Game, name: str) -> str:
        """The id of an opponent whom everybody meets. Raises Problem."""
        kind, _, level = name.partition(":")
        if kind == "computer":
            known = level_of(level, levels := levels_of(game))
            if known is None:
                raise Problem(NO_LEVEL, problem=no_such_level(game.title, level, levels))
            return f"computer:{known}"
        player = await self._host.journal.people.find(name)
        if player is None:
            raise Problem(NO_OPPONENT, name=name)
        return player.id

    async def _rating(self, client: Client, terms: Terms) -> int | None:
        """The player's rating in the game and the pool of the clock, None without one. Raises JournalError."""
        if not client.player.registered:
            return None
        key, pool = key_of(terms.game), pool_of(terms.clock)
        ratings = await self._host.journal.results.ratings([client.player.id])
        return next((round(each.rating) for each in ratings if (each.game, each.pool) == (key, pool)), None)

    async def _check_room_for_one_more(self, client: Client) -> None:
        """Raise a problem if there are too many tournaments, of the player or in all."""
        stored = self._host.journal.tournaments
        if await stored.opened_by(client.player.id) >= PER_PLAYER:
            client.monitor.limit("tournaments_per_player", client.who, "refused to open a tournament")
            raise Problem(OPENED_TOO_MANY, tournaments=counted(PER_PLAYER, "unfinished tournament"))
        if len(await stored.unfinished()) >= IN_ALL:
            client.monitor.limit("tournaments", client.who, "refused to open a tournament")
            raise Problem(TOO_MANY_HERE)

    async def _encoded(self, now: Tournament, after: int = 0, results: bool = False) -> bytes:
        """The fields that are shown of a tournament as JSON without the first brace, made once for each version.

        They are made in a thread, as those of hundreds of players take milliseconds.
        """
        made = self._made.setdefault(now.id, Made())
        if made.version < now.version:
            made.version, made.shown = now.version, {}
            self._made.move_to_end(now.id)
            if len(self._made) > ENCODED:
                self._made.popitem(last=False)
        making = made.shown.get((after, results))
        if making is None or made.version > now.version:
            pairs_at = self._organiser.pairs_at(now)
            making = asyncio.ensure_future(asyncio.to_thread(_fields_json, now, after, results, pairs_at, made.ranked))
            if made.version == now.version:
                made.shown[after, results] = making
        return await asyncio.shield(making)

    # --- those who watch

    def _check_may_watch(self, client: Client, now: Tournament) -> None:
        """Raise a problem if the client watches too many tournaments to watch this one."""
        subscriber = client.subscriber
        watched = sum(subscriber in watchers for watchers in self._watchers.values())
        if watched >= WATCHED and subscriber not in self._watchers.get(now.id, ()):
            client.monitor.limit("tournaments_per_connection", client.who, "refused to show another tournament")
            raise Problem(WATCHES_TOO_MANY, tournaments=counted(watched, "tournament"))

    def _unwatch(self, tournament: str, subscriber: Subscriber) -> None:
        watchers = self._watchers.get(tournament)
        if watchers is not None and watchers.pop(subscriber, None) is not None and not watchers:
            del self._watchers[tournament]
            self._told_at.pop(tournament, None)

    def _note_change(self, now: Tournament) -> None:
        """Tell those who watch soon, and not too often."""
        if now.id in self._watchers and now.id not in self._due:
            next_at = self._told_at.get(now.id, 0) + self._server.timing.standings_s
            self._tell_in(now.id, max(SOON_S, next_at - self._server.time()))

    def _tell_in(self, tournament: str, seconds: float) -> None:
        self._due.add(tournament)
        self._server.tasks.later(seconds, lambda: self._tell(tournament))

    async def _tell(self, tournament: str) -> None:
        """Send the standings, encoded once, to all who have not seen them; slow readers get them later."""
        self._due.discard(tournament)
        watchers = self._watchers.get(tournament)
        if watchers is None:
            return
        try:
            now = await self._organiser.find(tournament)
        except (UnknownTournament, JournalError):
            return
        self._told_at[tournament] = self._server.time()
        frame = framed(b'{"type":"tournament",%b' % await self._encoded(now))
        slow = False
        for subscriber, version in list(watchers.items()):
            if version >= now.version or not subscriber.open:
                continue
            if subscriber.paused:
                slow = True
                continue
            watchers[subscriber] = now.version
            subscriber.push(frame)
        if slow and tournament not in self._due:
            self._tell_in(tournament, self._server.timing.standings_s)


def _fields_json(now: Tournament, after: int, results: bool, pairs_at: int | None, ranked: Ranked) -> bytes:
    """The fields of :func:`tournament_fields` as JSON without the first brace."""
    return to_json(tournament_fields(now, after=after, results=results, pairs_at=pairs_at, ranked=ranked))[1:]
