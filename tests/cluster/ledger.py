"""What the clients of a run were told, written down as it comes, and held against the journal at the end.

Nothing here asks the server's code what a room is: the judge of a game is a few lines of its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]

LINES = ("123", "456", "789", "147", "258", "369", "159", "357")
SIDES = ("first", "second")
NAMED = 100
"""How many broken promises are told in words; the others are counted."""


@dataclass(frozen=True)
class Move:
    """A player's move as it was sent: what answers which turn of which room."""

    room: str
    player: str
    turn: int
    move: str


@dataclass(frozen=True)
class Refusal:
    """A request that a client was refused, with the code; ``sent`` is the request."""

    player: str
    sent: Json
    code: str


@dataclass
class Ledger:
    """All that any client was told. ``broken`` names what no client may ever be told."""

    broken: list[str] = field(default_factory=list)
    broken_count: int = 0
    events: dict[tuple[str, int], tuple[str, Json]] = field(default_factory=dict)
    states: dict[tuple[str, int], Json] = field(default_factory=dict)
    moves: dict[Move, int] = field(default_factory=dict)
    seats: dict[tuple[str, str], str] = field(default_factory=dict)
    rooms: set[str] = field(default_factory=set)
    refusals: list[Refusal] = field(default_factory=list)
    told: int = 0

    def wrong(self, what: str) -> None:
        """Note a broken promise."""
        self.broken_count += 1
        if what not in self.broken and len(self.broken) < NAMED:
            self.broken.append(what)

    def refused_by_code(self) -> Counter[str]:
        """How often each code was the answer."""
        return Counter(refusal.code for refusal in self.refusals)

    def acknowledge(self, move: Move, version: int) -> None:
        """``move`` was answered with ``ok``; the same move sent twice must have the same answer."""
        before = self.moves.setdefault(move, version)
        if before != version:
            self.wrong(f"{move} was acknowledged at version {before} and at {version}")

    def seat(self, room: str, player: str, side: str) -> None:
        """``create`` or ``join`` was answered with ``ok``."""
        self.rooms.add(room)
        before = self.seats.setdefault((room, player), side)
        if before != side:
            self.wrong(f"{room}: {player} was given the seat {before}, and then {side}")

    def tell(self, message: Json) -> None:
        """An ``update`` or ``room`` reached somebody: what it says of a version, it says to all."""
        self.told += 1
        key = (message["room"], message["version"])
        if message["type"] == "update":
            told = (message["at"], message["event"])
            if self.events.setdefault(key, told) != told:
                self.wrong(f"{key}: one client was told {self.events[key]}, another {told}")
        state = self.states.setdefault(key, message["state"])
        if state != message["state"]:
            self.wrong(f"{key}: one client was shown {state}, another {message['state']}")

    def audit(self, journal: Mapping[str, Sequence[bytes]], *, ended: bool) -> None:
        """Hold everything against the journal: the records of each of its rooms. ``ended``: all games must be over."""
        games = {room: Game(room, [json.loads(record) for record in journal[room]], self.wrong) for room in journal}
        for game in games.values():
            game.judge(ended=ended)
        for (room, player), side in self.seats.items():
            if room not in games:
                self.wrong(f"{room}: acknowledged, and not in the journal")
            elif games[room].seats.get(side) != player:
                self.wrong(f"{room}: {player} was given the seat {side}, which is {games[room].seats.get(side)}'s")
        for room in games.keys() - self.rooms if ended else ():
            self.wrong(f"{room}: in the journal, and nobody asked for it")
        nothing = Game("", [], self.wrong)
        for move, version in self.moves.items():
            if not games.get(move.room, nothing).holds(move, version):
                self.wrong(f"{move} was acknowledged at version {version}, where the journal does not have it")
        for (room, version), told in self.events.items():
            if games.get(room, nothing).happened(version) != told:
                self.wrong(f"{room}: version {version} was told as {told}, and the journal has something else")
        for (room, version), state in self.states.items():
            if games.get(room, nothing).moves_until(version) != state["moves"]:
                self.wrong(f"{room}: version {version} was shown with the moves {state['moves']}")
        for refusal in self.refusals:
            why = games.get(refusal.sent.get("room", ""), nothing).contradicts(refusal)
            if why:
                self.wrong(f"a false refusal: {refusal}: {why}")


class Ear:
    """One client's messages as they come off the wire: of each room every version once and in order."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self._ledger = ledger
        self._name = name
        self._last: dict[str, int] = {}

    def hear(self, message: Json) -> None:
        """Take a message of any kind."""
        if message["type"] not in ("room", "update"):
            return
        room, version = message["room"], message["version"]
        last = self._last.get(room)
        if message["type"] == "room":
            # A room that is followed already may be shown as it is; what happened meanwhile may not be left out.
            if last is not None and version != last:
                self._ledger.wrong(f"{self._name}: {room} was shown at version {version} after {last}")
        elif last is None:
            self._ledger.wrong(f"{self._name}: {room} began with an update to version {version}")
        elif version != last + 1:
            self._ledger.wrong(f"{self._name}: {room} went from version {last} to {version}")
        self._last[room] = version
        self._ledger.tell(message)

    def forget(self, room: str) -> None:
        """The client has left the room: whatever comes of it now begins anew."""
        self._last.pop(room, None)


class Game:
    """A room as the journal has it."""

    def __init__(self, room: str, records: list[Json], wrong: Callable[[str], None]) -> None:
        self.room = room
        self.records = records
        self._wrong = wrong
        self.seats: dict[str, str] = {}
        self.played: dict[int, tuple[int, Json]] = {}
        self.over_at: int | None = None
        for version, record in enumerate(records, 1):
            if record["kind"] == "opened":
                self.seats |= {side: record[side]["id"] for side in SIDES if record[side]}
            elif record["kind"] == "joined":
                if record["side"] in self.seats:
                    wrong(f"{room}: the seat {record['side']} was taken twice")
                self.seats[record["side"]] = record["player"]["id"]
            elif record["kind"] == "played":
                if record["turn"] in self.played:
                    wrong(f"{room}: turn {record['turn']} was played twice")
                self.played[record["turn"]] = (version, record)
            if self.over_at is None and record.get("outcome"):
                self.over_at = version

    def judge(self, *, ended: bool) -> None:
        """The game was played by the rules, each side in its turn, and to its end if it has ``ended``."""
        cells: dict[str, str] = {}
        won = False
        for turn in range(len(self.played)):
            if turn not in self.played:
                self._wrong(f"{self.room}: nobody played turn {turn}")
                return
            _, record = self.played[turn]
            side, move = record["side"], record["move"]
            if side != SIDES[turn % 2] or move in cells or won:
                self._wrong(f"{self.room}: turn {turn} was played against the rules")
            cells[move] = side
            won = any(all(cells.get(cell) == side for cell in line) for line in LINES)
        if [version for version, _ in self.played.values()] != sorted(version for version, _ in self.played.values()):
            self._wrong(f"{self.room}: its turns are out of order")
        if ended and (self.over_at is None or not (won or len(cells) == 9)):
            self._wrong(f"{self.room}: its game did not end, after {len(self.played)} moves")

    def holds(self, move: Move, version: int) -> bool:
        """Whether ``move`` is there, at ``version`` and nowhere else."""
        found = self.played.get(move.turn)
        if found is None:
            return False
        at, record = found
        return (at, record["move"], self.seats.get(record["side"])) == (version, move.move, move.player)

    def happened(self, version: int) -> tuple[str, Json] | None:
        """When and what version ``version`` is, as an ``update`` tells it."""
        if version > len(self.records):
            return None
        fields = dict(self.records[version - 1])
        del fields["schema"]
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=fields.pop("at"))
        if fields["kind"] == "opened":
            fields["options"] = {"private": fields["options"]["private"], "rated": False, "clock": None}
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z"), fields

    def moves_until(self, version: int) -> list[str] | None:
        """The moves on the board at ``version``; None beyond the end."""
        if version > len(self.records):
            return None
        return [record["move"] for record in self.records[:version] if record["kind"] == "played"]

    def contradicts(self, refusal: Refusal) -> str | None:
        """What in the journal shows that a refusal was false; None if it was true."""
        sent, player = refusal.sent, refusal.player
        if sent["type"] == "join":
            if refusal.code == "seat_taken" and player not in self.seats.values() and len(self.seats) == 2:
                return None
            return f"its seats are {self.seats}"
        if sent["type"] != "play":
            return None if refusal.code == "not_allowed" else "nothing that was asked for is refused with this"
        turn, move = sent["turn"], sent["move"]
        answer = self.played[turn][1] if turn in self.played else None
        side = next((side for side, seat in self.seats.items() if seat == player), None)
        if answer and (self.seats[answer["side"]], answer["move"]) == (player, move):
            return "this very move was taken"
        match refusal.code:
            case "stale":
                true = answer is not None
            case "game_over":
                # The room was over when it decided; a turn that was answered may have been the last.
                true = self.over_at is not None and turn <= len(self.played)
            case "not_your_turn":
                true = side is not None and side != SIDES[turn % 2]
            case "illegal_move":
                true = move in [record["move"] for _, record in self.played.values() if record["turn"] < turn]
            case _:
                true = False
        return None if true else f"turn {turn} was answered with {answer}, {player} has the seat {side}"
