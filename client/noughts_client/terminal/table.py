"""A room as one viewer sees it, and what follows from it. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from noughts.columns import printable
from noughts.games.paths import cells_of
from noughts.games.sentences import level_name
from noughts.protocol.messages import GameInfo
from noughts.protocol.room_messages import (
    ChatLine,
    OfferInfo,
    PlayerInfo,
    RoomOptions,
    SeatInfo,
    SideName,
    Snapshot,
    State,
)
from noughts.protocol.study_messages import Analysed
from noughts.protocol.words import WORDS, Words, has_result
from noughts_client.terminal.clocks import since_epoch
from noughts_client.time_control import TimeControl

SIDES: tuple[SideName, SideName] = ("first", "second")

CHAT_LINES = 20
"""The number of chat lines kept."""

NUMPAD_LAYOUT = [list("123"), list("456"), list("789")]


@dataclass(frozen=True)
class SeekTerms:
    """The game that a player seeks an opponent for."""

    game: str
    clock: TimeControl | None
    rated: bool
    setup: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Table:
    """A room as its viewer sees it.

    ``me`` is the viewer's player id; a viewer without a seat is a spectator. ``ahead_ms`` is how far the server's time,
    in ms since the epoch, is ahead of the local steady clock; ``frozen_at`` replaces the server's time in a replay.
    ``numpad`` swaps the numbers of cells 1 to 9, displayed and typed, so that 7 8 9 is the top row. ``notice`` is a
    line about what happened last, and ``invitation`` the command with which an opponent joins, if one was invited;
    ``link`` does it in a browser. ``rematch_declined`` says that the opponent has declined a rematch; a later offer
    shows in the state. ``values`` says that the viewer wants to see what each move is worth, and ``analysis`` is the
    server's answer for this position, or None. ``helping`` says that the viewer reads the help, and ``resigning`` the
    request that a player was asked to confirm, ``resign`` or ``abort``. ``ended_at`` is when the game ended before the
    viewer's eyes, and ``rating`` a sentence about what it did to the viewer's rating; None for nothing. ``spectators``
    is their number, and ``chat`` the last of ``chat_count`` lines. ``seek`` are the terms of the seek that found it.
    ``words`` are the server's.
    """

    game: GameInfo
    me: str
    room: str
    version: int
    options: RoomOptions
    state: State
    ahead_ms: float = 0
    frozen_at: int | None = None
    numpad: bool = False
    connected: bool = True
    invitation: str | None = None
    link: str | None = None
    notice: str = ""
    rematch_declined: bool = False
    values: bool = False
    analysis: Analysed | None = None
    helping: bool = False
    resigning: str = ""
    ended_at: str | None = None
    rating: str | None = ""
    spectators: int = 0
    chat: tuple[ChatLine, ...] = ()
    chat_count: int = 0
    seek: SeekTerms | None = None
    words: Words = field(default_factory=lambda: WORDS)

    @property
    def side(self) -> SideName | None:
        """The viewer's side, None for a spectator."""
        for side in SIDES:
            seat = self.state["seats"][side]
            if seat is not None and seat["id"] == self.me:
                return side
        return None

    @property
    def opponent(self) -> SeatInfo | None:
        """The viewer's opponent; None for a spectator, and while the seat is open."""
        return self.state["seats"][other(self.side)] if self.side else None

    @property
    def my_turn(self) -> bool:
        """True if the viewer is to move."""
        return self.side is not None and self.state["to_move"] == self.side

    @property
    def needs_analysis(self) -> bool:
        """True if the values are to be requested of this position's moves."""
        missing = self.values and self.analysis is None and self.state["to_move"] is not None
        return missing and self.connected

    @property
    def needs_rating(self) -> bool:
        """True if it is to be asked what the game did to the viewer's rating, which follows a moment after its end."""
        outcome = self.state["outcome"]
        if self.side is None or not self.options["rated"] or self.ended_at is None or self.rating != "":
            return False
        return outcome is not None and has_result(outcome["winner"], outcome["reason"], self.words)

    def updated(self, version: int, state: State) -> Table:
        """The table with a newer state, and without the analysis of another position.

        Positions are compared by turn: after a takeback, another position may have the same ply and side to move.
        """
        same = state["turn"] == self.state["turn"] and state["to_move"] == self.state["to_move"]
        resigning = self.resigning if state["status"] == "playing" else ""
        analysis = self.analysis if same else None
        return replace(self, version=version, state=state, analysis=analysis, resigning=resigning)

    def judged(self, event: Mapping[str, Any]) -> Table:
        """The table after the event of an update, which may say that a game that was to be rated is not."""
        why = event.get("unrated_because")
        return self if why is None else replace(self, options={**self.options, "rated": False, "unrated_because": why})

    def restarted(self, snapshot: Snapshot, local_ms: float) -> Table:
        """The table from a snapshot received at ``local_ms`` of the steady clock."""
        updated = replace(self.updated(snapshot["version"], snapshot["state"]), options=snapshot["options"])
        ahead = since_epoch(snapshot["now"]) - local_ms
        return replace(updated, spectators=snapshot["presence"]["spectators"], ahead_ms=ahead)

    def synchronised(self, at: str, local_ms: float) -> Table:
        """The table after a message sent ``at`` the server's time arrived at ``local_ms``.

        Every message takes some time to arrive. The one that took the least tells most about the server's time.
        """
        return replace(self, ahead_ms=max(self.ahead_ms, since_epoch(at) - local_ms))

    def with_chat(self, line: ChatLine) -> Table:
        """The table with one more chat line."""
        return replace(self, chat=(*self.chat, line)[-CHAT_LINES:], chat_count=self.chat_count + 1)

    def server_ms(self, local_ms: float) -> float:
        """The server's time when the local steady clock shows ``local_ms``."""
        return local_ms + self.ahead_ms if self.frozen_at is None else self.frozen_at

    def claimable_in_ms(self, local_ms: float) -> float | None:
        """The time until the viewer can claim the game, 0 or less if now; None if nobody is away or no game is on."""
        opponent = self.opponent
        if opponent is None or "claimable_at" not in opponent or self.state["status"] != "playing":
            return None
        return since_epoch(opponent["claimable_at"]) - self.server_ms(local_ms)

    @property
    def moves_are_cells(self) -> bool:
        """True if every move of the game is a cell or column, or a pass, and not a path with a name of its own."""
        names = {name for row in self.game["layout"] for name in row}
        legal = self.state["legal_moves"]
        return self.must_pass or bool(names.issuperset(legal))

    @property
    def must_pass(self) -> bool:
        """True if the only legal move is not on the board."""
        legal = self.state["legal_moves"]
        names = {name for row in self.game["layout"] for name in row}
        return len(legal) == 1 and not cells_of(legal[0], names)[0]

    @property
    def rematch_offered_by(self) -> SideName | None:
        """The side whose rematch offer stands."""
        return next((offer["side"] for offer in self.state["offers"] if offer["offer"] == "rematch"), None)

    @property
    def offer_to_me(self) -> OfferInfo | None:
        """The last offer that waits for the viewer's answer."""
        offers = [offer for offer in self.state["offers"] if self.side and offer["side"] != self.side]
        return offers[-1] if offers else None

    def shown(self, move: str) -> str:
        """``move`` as the viewer writes it. The same function converts back."""
        if self.numpad and self.game["layout"] == NUMPAD_LAYOUT and len(move) == 1 and move in "123456789":
            row, column = divmod(int(move) - 1, 3)
            return str((2 - row) * 3 + column + 1)
        return move

    def name(self, side: SideName) -> str:
        """The player of ``side``, with the side if both have the same name; the side's own name for an open seat."""
        side_name, names = self.game["sides"][side]["name"], {each: self._player(each) for each in SIDES}
        if names["first"] == names["second"] and names[side]:
            return f"{names[side]} ({side_name})"
        return names[side] or side_name

    def _player(self, side: SideName) -> str:
        seat = self.state["seats"][side]
        if seat is None:
            return ""
        # A player knows which computer the opponent is. A spectator may be watching two of them.
        return printable(seat["name"]) if self.side else display_name(seat)


def drawn_as(game: GameInfo, room: Mapping[str, Any]) -> GameInfo:
    """``game`` with the layout and the board of ``room``, whose message has them if they are not as usual."""
    return {**game, **{key: room[key] for key in ("layout", "board") if key in room}}  # type: ignore[typeddict-item]


def setup_in_words(game: GameInfo, setup: Mapping[str, object]) -> list[str]:
    """The choices among a game's own options: ``Size of the board: 6``."""
    titles = {option["key"]: option["title"] for option in game.get("options", [])}
    return [printable(f"{titles.get(key, key)}: {value}") for key, value in setup.items()]


def turned(table: Table) -> Table:
    """The table with the board turned round, if the viewer's side sits at the top of the layout otherwise."""
    bottom = table.game.get("board", {}).get("bottom")
    if None in (bottom, table.side) or bottom == table.side:
        return table
    game: Any = _around(table.game, ("layout", "cells"))
    state: Any = _around(table.state, ("rows", "counts"))
    return replace(table, game=game, state=state)


def _around(info: Mapping[str, Any], grids: tuple[str, ...]) -> dict[str, Any]:
    return {key: [row[::-1] for row in value[::-1]] if key in grids else value for key, value in info.items()}


def display_name(player: PlayerInfo) -> str:
    """A player's name; a computer's with its level."""
    level = level_name(player["id"].partition(":")[2]) if player["kind"] == "computer" else ""
    return printable(f"{player['name']} ({level})" if level else player["name"])


def display_rating(seat: SeatInfo) -> str:
    """``(1523)``, ``(1500?)`` while the rating is provisional, or nothing; to follow the name after a blank."""
    if "rating" not in seat:
        return ""
    return f" ({seat['rating']}{'?' if seat.get('provisional') else ''})"


def other(side: SideName) -> SideName:
    """The opposite side."""
    return "second" if side == "first" else "first"
