"""Classes: a teacher's list of names, which students take without an account, and what the teacher sees of each."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from pydantic_core import to_json

from noughts.bus import Invited
from noughts.features.class_rows import Facts, played_by
from noughts.features.class_watch import ClassWatch, listing
from noughts.features.simul import Simul
from noughts.gateway.client import Client
from noughts.gateway.costs import LIST_BYTES, LOAD_BYTES
from noughts.gateway.feature import Feature, Reading
from noughts.gateway.guests import store_again
from noughts.gateway.members import check_organiser
from noughts.gateway.replies import Error, Problem, answer, ok
from noughts.gateway.server import Server
from noughts.host import GameOver
from noughts.journal import ClassMember, StoredClass, StoredPlayer
from noughts.players.ids import new_id, room_id_for
from noughts.players.names import is_invisible, name_key
from noughts.protocol import class_requests
from noughts.protocol.class_messages import ClassListing
from noughts.protocol.class_requests import NAMES
from noughts.protocol.room_messages import RequestId
from noughts.rooms import Joined, Opened

UNKNOWN_CLASS = Error("unknown_class", "There is no such class.")
UNKNOWN_NAME = Error("unknown_class", "There is no such name in this class.")
NOT_YOURS = Error("not_allowed", "Only the organiser of a class may do that.")
TAKEN = Error("name_taken", "Somebody has taken {name}. If that is you, ask your teacher to free it.")
HAS_BOT = Error("name_taken", "{name} has handed in a bot, which is connected. Stop that one first.")
HAS_NAME = Error("not_allowed", "You are {name} in this class. Give that up first.")
HAS_NONE = Error("not_allowed", "You have no name in this class.")
BAD_NAMES = Error("bad_message", "names: {problem}")
TOO_MANY_NAMES = Error("not_allowed", "A class has at most {most} names.")
TOO_MANY_CLASSES = Error("room_limit", "You have {classes}. Delete one first.")
TOO_MANY_ACTS = Error("rate_limited", "Too many requests about classes. Wait before the next.")
WATCHES_TOO_MANY = Error("room_limit", "You watch {classes}. Leave one first.")
WATCHED_BY_TOO_MANY = Error("rate_limited", "Too many classes are watched on this server. Wait.")

PER_PLAYER, WATCHED, WATCHED_HERE = 20, 3, 200
"""The number of classes of one organiser, of those that a connection may watch, and that are watched on a node."""

ACTS_PER_S, ACTS_AT_ONCE = 1.0, 40

AGAIN_S = 30.0
"""The time to wait when too many classes are watched."""

STOPS = {
    "classes_per_player": f"an organiser with more than {PER_PLAYER} classes",
    "class_names": f"an organiser who gives a class more than {NAMES} names",
    "class_acts": "a player who sends too many requests about classes: "
    f"{ACTS_PER_S:g} a second, {ACTS_AT_ONCE} at once",
    "classes_per_connection": f"a connection that watches more than {WATCHED} classes",
    "classes_watched": f"an organiser who wants to watch a class while {WATCHED_HERE} are watched on the node",
}


def feature(server: Server) -> Feature:
    """Classes of students, and simuls of their organisers."""
    watch = ClassWatch(server)
    desk = Desk(server, watch)
    return Feature(
        requests={
            class_requests.MakeClass: desk.make,
            class_requests.ChangeClass: desk.change,
            class_requests.DeleteClass: desk.delete,
            class_requests.Classes: desk.tell_all,
            class_requests.ShowClass: desk.show,
            class_requests.JoinClass: desk.join,
            class_requests.LeaveClass: desk.leave,
            class_requests.AskHelp: desk.ask_help,
            class_requests.AnswerHelp: desk.answer_help,
            class_requests.ClassGames: desk.tell_games,
            class_requests.OpenSimul: desk.open_simul,
        },
        updates=dict.fromkeys((Opened, Joined, GameOver), watch.on_update),
        on_client_gone=desk.drop,
        loops=(watch.run,),
        readings=(Reading("classes_watched", "Classes that somebody watches.", lambda: len(watch)),),
    )


class Desk:
    """Carries out requests about classes. The list of names is for the organiser alone, by the player's token."""

    def __init__(self, server: Server, watch: ClassWatch) -> None:
        self._server = server
        self._settings = server.settings
        self._host = server.host
        self._journal = server.host.journal
        self._classes = server.host.journal.classes
        self._costs = server.costs
        self._watch = watch
        self._simul = Simul(server)
        self._acts = server.limit("class_acts", ACTS_PER_S, ACTS_AT_ONCE, "refused a request")

    # --- what organisers do

    async def make(self, client: Client, request: class_requests.MakeClass) -> None:
        """Make a class. With a key it is the same class every time."""
        self._check(client)
        player = client.player
        check_organiser(player, self._settings, "make classes")
        entries = _merged((), request.names)
        key = None if request.key is None else f"class\0{request.key}"
        name = new_id() if key is None else room_id_for(self._journal.secret, player.id, key)
        if not await self._classes.make(name, player.id, request.title, entries, PER_PLAYER):
            if await self._classes.find(name) is None:
                client.monitor.limit("classes_per_player", client.who, "refused another class")
                raise Problem(TOO_MANY_CLASSES, classes=f"{PER_PLAYER} classes")
        else:
            client.written += _bytes(entries)
        await self._answer(client, request.id, name)

    async def change(self, client: Client, request: class_requests.ChangeClass) -> None:
        """Give a class another title, other names, or something to solve or play."""
        self._check(client)
        while True:
            before = await self._own(client, request.class_id)
            gone = set(map(name_key, request.remove))
            entries = _merged([entry for entry in before.entries if name_key(entry) not in gone], request.add)
            if len(entries) > NAMES:
                client.monitor.limit("class_names", client.who, "refused more names")
                raise Problem(TOO_MANY_NAMES, most=NAMES)
            if not entries:
                raise Problem(BAD_NAMES, problem="a class has at least one")
            after = replace(
                before,
                title=request.title or before.title,
                entries=tuple(entries),
                puzzle_set=before.puzzle_set if request.puzzle_set is None else request.puzzle_set or None,
                tournament=before.tournament if request.tournament is None else request.tournament or None,
            )
            if await self._classes.change(before, after):
                break  # otherwise another device was faster
        client.written += _bytes(entries)
        await self._answer(client, request.id, request.class_id)

    async def delete(self, client: Client, request: class_requests.DeleteClass) -> None:
        """Delete a class with all names."""
        self._check(client)
        await self._own(client, request.class_id)
        await self._classes.drop(request.class_id, client.player.id)
        self._watch.note(request.class_id)
        client.send(ok(request.id))

    async def tell_games(self, client: Client, request: class_requests.ClassGames) -> None:
        """Answer with the last games of a student."""
        self._costs.check_reader(client)
        self._costs.charge_list(client)
        found = await self._own(client, request.class_id)
        entry = _entry(found, request.name)
        members = await self._classes.members(found.id)
        players = [one.player.id for one in members if one.entry == entry]
        since = min((one.joined_at for one in members if one.entry == entry), default=0)
        results = await self._journal.results.among(players, since, LAST) if players else []
        reviewed = await self._journal.results.reviewed([each.room for each in results])
        facts = Facts(found, members, (), (), {}, results[::-1], reviewed, {}, {})
        games = await asyncio.to_thread(played_by, facts, entry)
        if client.open:
            client.send(answer("class_games", request.id, {"class_id": found.id, "name": entry, "games": games}))
            self._costs.settle(client)

    async def open_simul(self, client: Client, request: class_requests.OpenSimul) -> None:
        """Open a game against each of the students who are there."""
        self._check(client)
        found = await self._own(client, request.class_id)
        for name in request.names:
            _entry(found, name)
        rooms = await self._simul.open(client, request, found, await self._classes.members(found.id))
        self._watch.note(found.id)
        if client.open:
            client.send(answer("simul", request.id, {"class_id": found.id, "rooms": rooms}))
            self._costs.settle(client)

    # --- what everybody does

    async def tell_all(self, client: Client, request: class_requests.Classes) -> None:
        """Answer with the classes of the client's player."""
        self._costs.check_reader(client)
        self._costs.charge_list(client)
        told: list[ClassListing] = []
        for found in await self._classes.of(client.player.id):
            organiser = await self._journal.people.find(found.player)
            if organiser is not None:
                own = None if found.player == client.player.id else _own_name(await self._members(found), client.player)
                told.append(listing(found, organiser, own))
        if client.open:
            client.send(answer("classes", request.id, {"classes": told}))
            self._costs.settle(client)

    async def show(self, client: Client, request: class_requests.ShowClass) -> None:
        """Answer with a class as the client's player may see it, and begin or cease to tell of changes."""
        self._costs.check_reader(client)
        self._costs.charge_list(client)
        found, organiser = await self._find(request.class_id)
        if found.player != client.player.id:
            return await self._answer(client, request.id, found.id)
        watches = request.watch and client.can_seek  # whoever comes by MQTT does not stay
        self._watch.unwatch(found.id, client.subscriber)
        client.cost += LOAD_BYTES * len(found.entries) // 8
        seen = await self._watch.look(found, organiser)
        told = seen.rows
        encoded = await asyncio.to_thread(to_json, answer("class", request.id, seen.shown()))
        if watches:
            self._check_may_watch(client, found)
        if client.open:
            client.send_encoded(encoded)
            self._costs.settle(client)
            if watches:
                self._watch.watch(seen, told, client.subscriber)
        return None

    async def join(self, client: Client, request: class_requests.JoinClass) -> None:
        """Take a name, as a student or for the student's bot."""
        self._check(client)
        found, _ = await self._find(request.class_id)
        player, retry = client.player, self._host.retry
        entry, bot = _entry(found, request.name), player.kind == "bot"
        own = _own_name(await self._members(found), player)
        if own is not None and own != entry:
            raise Problem(HAS_NAME, name=own)
        if own is None:
            if bot:
                await self._make_room(found, entry)
            async with self._server.sessions.changing:
                stored = await retry.call(lambda: store_again(self._journal, player))
                if not await retry.call(lambda: self._joined(found, entry, player, bot=bot)):
                    raise Problem(HAS_BOT if bot else TAKEN, name=entry)
                student = replace(stored, student=True, token_hash=player.token_hash)
                client.identify(student)
                self._server.sessions.changed(student)
            client.written += LIST_BYTES // 16
            self._watch.note(found.id)
        await self._answer(client, request.id, found.id)

    async def leave(self, client: Client, request: class_requests.LeaveClass) -> None:
        """Give up one's name; or as the organiser, free a name that somebody has taken."""
        self._check(client)
        found, _ = await self._find(request.class_id)
        if request.name is not None:
            await self._own(client, found.id)
            entry, bot = _entry(found, request.name), request.bot
        else:
            own = _own_name(await self._members(found), client.player)
            if own is None:
                raise Problem(HAS_NONE)
            entry, bot = own, client.player.kind == "bot"
        await self._classes.free(found.id, entry, bot=bot)
        self._watch.note(found.id)
        client.send(ok(request.id))

    async def ask_help(self, client: Client, request: class_requests.AskHelp) -> None:
        """Have the organiser of a class see that a student asks for help, or does so no more."""
        self._check(client)
        found, _ = await self._find(request.class_id)
        if _own_name(await self._members(found), client.player) is None:
            raise Problem(HAS_NONE)
        self._server.attendance.ask_help(client.player.id, found.id if request.asks else "")
        client.send(ok(request.id))

    async def answer_help(self, client: Client, request: class_requests.AnswerHelp) -> None:
        """Note that the organiser has answered a student, and tell the student."""
        self._check(client)
        found = await self._own(client, request.class_id)
        entry = _entry(found, request.name)
        for one in await self._members(found):
            if one.entry == entry and self._asks(found, one.player):
                self._server.attendance.ask_help(one.player.id, "")
                line = to_json({"type": "class", **await self._as_student(found, client.player, one.player, entry)})
                self._server.sessions.tell(one.player.id, line)
                self._host.bus.send(Invited(one.player.id, line))
        client.send(ok(request.id))

    def drop(self, client: Client) -> None:
        """The client is gone."""
        if client.identified:
            self._watch.drop(client.subscriber)

    # --- parts of requests

    def _check(self, client: Client) -> None:
        self._acts.take(client.player.id, client.who, TOO_MANY_ACTS)
        self._costs.check_reader(client)
        self._costs.check_write(client)

    def _check_may_watch(self, client: Client, found: StoredClass) -> None:
        """Raise a problem if the client, or the node, watches too many classes to watch this one."""
        watch = self._watch
        if watch.watched_by(client.subscriber) >= WATCHED:
            client.monitor.limit("classes_per_connection", client.who, "refused to show another class")
            raise Problem(WATCHES_TOO_MANY, classes=f"{WATCHED} classes")
        if len(watch) >= WATCHED_HERE and not watch.is_watched(found.id):
            client.monitor.limit("classes_watched", client.who, "refused to show another class")
            raise Problem(WATCHED_BY_TOO_MANY, retry_after_s=AGAIN_S)

    async def _find(self, name: str) -> tuple[StoredClass, StoredPlayer]:
        """The class with the id ``name``, and its organiser."""
        found = await self._classes.find(name)
        organiser = None if found is None else await self._journal.people.find(found.player)
        if found is None or organiser is None:
            raise Problem(UNKNOWN_CLASS)
        return found, organiser

    async def _own(self, client: Client, name: str) -> StoredClass:
        """A class that the client's player organises."""
        found = await self._classes.find(name)
        if found is None:
            raise Problem(UNKNOWN_CLASS)
        if found.player != client.player.id:
            raise Problem(NOT_YOURS)
        return found

    async def _members(self, found: StoredClass) -> list[ClassMember]:
        """Those who have a name in a class now."""
        return [one for one in await self._classes.members(found.id) if one.left_at is None]

    async def _make_room(self, found: StoredClass, entry: str) -> None:
        """Free the place of a student's bot if that is not connected: the last that was handed in counts."""
        for one in await self._members(found):
            if one.entry == entry and one.bot and not self._server.attendance.among([one.player.id]):
                await self._classes.free(found.id, entry, bot=True)

    async def _joined(self, found: StoredClass, entry: str, player: StoredPlayer, *, bot: bool) -> bool:
        """Take a name, as it may have been taken by an earlier attempt whose answer was lost."""
        if await self._classes.join(found, entry, player.id, bot=bot):
            return True
        members = await self._members(found)
        return any((one.entry, one.bot, one.player.id) == (entry, bot, player.id) for one in members)

    async def _answer(self, client: Client, request_id: RequestId, name: str) -> None:
        """Answer with a class as it is now, as the client's player may see it."""
        found, organiser = await self._find(name)
        shown: dict[str, object]
        if found.player == client.player.id:
            shown = (await self._watch.look(found, organiser)).shown()
        else:
            members = await self._members(found)
            own = _own_name(members, client.player)
            if own is None:
                bot = client.player.kind == "bot"
                taken = {one.entry for one in members if one.bot == bot}
                free = [entry for entry in found.entries if entry not in taken]
                shown = {"listing": listing(found, organiser), "free": free}
            else:
                shown = await self._as_student(found, organiser, client.player, own)
        if client.open:
            client.send(answer("class", request_id, shown))
            self._costs.settle(client)

    async def _as_student(
        self, found: StoredClass, organiser: StoredPlayer, student: StoredPlayer, entry: str
    ) -> dict[str, object]:
        """The fields of ``class`` for a student, who has the name ``entry`` in it."""
        shown: dict[str, object] = {"listing": listing(found, organiser, entry)}
        if (room := await self._simul.room_of(found, student)) is not None:
            shown["room"] = room
        if self._asks(found, student):
            shown["asks"] = True
        return shown

    def _asks(self, found: StoredClass, student: StoredPlayer) -> bool:
        """True if a student asks for help in a class."""
        return any(one.to == found.id for one in self._server.attendance.doing([student.id]).values())


LAST = 100
"""The most games of a student that are listed one by one."""


def _merged(entries: list[str] | tuple[str, ...], more: list[str]) -> list[str]:
    """``entries`` and ``more``. Raises Problem for a name that cannot be told from another."""
    known = set(map(name_key, entries))
    merged = list(entries)
    for name in more:
        if is_invisible(name):
            raise Problem(BAD_NAMES, problem="1 to 32 visible characters")
        if name_key(name) in known:
            raise Problem(BAD_NAMES, problem=f"{name!r} is there twice")
        known.add(name_key(name))
        merged.append(name)
    return merged


def _entry(found: StoredClass, name: str) -> str:
    """The name as it stands in the class. Raises Problem."""
    key = name_key(name)
    for entry in found.entries:
        if name_key(entry) == key:
            return entry
    raise Problem(UNKNOWN_NAME)


def _own_name(members: list[ClassMember], player: StoredPlayer) -> str | None:
    """The name that ``player`` has among the members."""
    return next((one.entry for one in members if one.player.id == player.id), None)


def _bytes(entries: list[str]) -> int:
    """About what a class takes in the journal."""
    return LIST_BYTES // 16 + sum(len(entry.encode()) for entry in entries)
