"""What somebody at a terminal looks at, and what can be read off it. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass, replace

from noughts.protocol import Snapshot, State
from noughts.protocol.messages import (
    Analysed,
    ChatLine,
    GameInfo,
    OfferInfo,
    PlayerInfo,
    RoomOptions,
    SeatInfo,
    SideName,
)
from noughts_client.control import Control
from noughts_client.terminal.clocks import since_epoch

SIDES: tuple[SideName, SideName] = ("first", "second")

SAID = 20
"""So many lines of what was said are kept."""

NUMPAD_LAYOUT = [list("123"), list("456"), list("789")]


@dataclass(frozen=True)
class Wanted:
    """What somebody looks for in an opponent."""

    game: str
    clock: Control | None
    rated: bool


@dataclass(frozen=True)
class Table:
    """A room as its viewer sees it.

    ``me`` is the viewer's player id; without a seat the viewer is a spectator. ``ahead_ms`` is by how much the server's
    time, in ms since the epoch, is ahead of the steady clock here; ``still_at`` is the time at which a position of the
    past is seen. ``numpad`` turns cells 1 to 9 so
    that 7 8 9 is the top row, in what is shown and what is typed. ``note`` is a word on what happened last, and
    ``invitation`` the command that brings an opponent, if one was asked for. ``declined`` says that the opponent
    has said no to a rematch; an offer made later shows in the state. ``values`` says that the viewer wants to see what
    each move is worth, and ``analysis`` that of this position, None until it is known.
    ``spectators`` is how many watch, ``chat`` holds the last lines of the ``said`` ones. ``sought`` is what the viewer
    was looking for when this game was found.
    """

    game: GameInfo
    me: str
    room: str
    version: int
    options: RoomOptions
    state: State
    ahead_ms: float = 0
    still_at: int | None = None
    numpad: bool = False
    connected: bool = True
    invitation: str | None = None
    note: str = ""
    declined: bool = False
    values: bool = False
    analysis: Analysed | None = None
    spectators: int = 0
    chat: tuple[ChatLine, ...] = ()
    said: int = 0
    sought: Wanted | None = None

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
        """Who sits opposite the viewer; None for a spectator, and while the seat is open."""
        return self.state["seats"][other(self.side)] if self.side else None

    @property
    def my_turn(self) -> bool:
        """Whether the viewer is to move."""
        return self.side is not None and self.state["to_move"] == self.side

    @property
    def unexplained(self) -> bool:
        """Whether the values of this position's moves are wanted, not known, and to be had."""
        wanted = self.values and self.analysis is None and self.state["to_move"] is not None
        return wanted and self.connected

    def then(self, version: int, state: State) -> Table:
        """The table with what came of it; what is known of a position is forgotten with it.

        The turn tells: after a takeback the ply and the side to move may be those of another position.
        """
        same = state["turn"] == self.state["turn"] and state["to_move"] == self.state["to_move"]
        return replace(self, version=version, state=state, analysis=self.analysis if same else None)

    def anew(self, snapshot: Snapshot, here_ms: float) -> Table:
        """The table as a snapshot, received at ``here_ms``, has it."""
        fresh = self.then(snapshot["version"], snapshot["state"])
        ahead = since_epoch(snapshot["now"]) - here_ms
        return replace(fresh, spectators=snapshot["presence"]["spectators"], ahead_ms=ahead)

    def heard_at(self, at: str, here_ms: float) -> Table:
        """The table when what happened ``at`` the server's time was heard of at ``here_ms``.

        Something is on its way for some time, longer or shorter: what came fastest tells most of the server's time.
        """
        return replace(self, ahead_ms=max(self.ahead_ms, since_epoch(at) - here_ms))

    def heard(self, line: ChatLine) -> Table:
        """The table after somebody has said something."""
        return replace(self, chat=(*self.chat, line)[-SAID:], said=self.said + 1)

    def now(self, here_ms: float) -> float:
        """The server's time at ``here_ms`` of the steady clock here."""
        return here_ms + self.ahead_ms if self.still_at is None else self.still_at

    def away_ms(self, here_ms: float) -> float | None:
        """After how long the game of an opponent who is away can be claimed, not above 0 when it can be; None when
        nobody is away or there is nothing to claim."""
        opponent = self.opponent
        if opponent is None or "claimable_at" not in opponent or self.state["status"] != "playing":
            return None
        return since_epoch(opponent["claimable_at"]) - self.now(here_ms)

    @property
    def must_pass(self) -> bool:
        """Whether there is one move alone, and it is not on the board."""
        legal = self.state["legal_moves"]
        return len(legal) == 1 and not any(legal[0] in row for row in self.game["layout"])

    @property
    def offered_by(self) -> SideName | None:
        """Who has offered a rematch that stands."""
        return next((offer["side"] for offer in self.state["offers"] if offer["offer"] == "rematch"), None)

    @property
    def offered_to_me(self) -> OfferInfo | None:
        """The last offer that waits for the viewer's answer."""
        theirs = [offer for offer in self.state["offers"] if self.side and offer["side"] != self.side]
        return theirs[-1] if theirs else None

    def shown(self, move: str) -> str:
        """How the viewer writes ``move``; the same function leads back."""
        if self.numpad and self.game["layout"] == NUMPAD_LAYOUT and len(move) == 1 and move in "123456789":
            row, column = divmod(int(move) - 1, 3)
            return str((2 - row) * 3 + column + 1)
        return move

    def name(self, side: SideName) -> str:
        """Who plays ``side``, with the side if both have one name; what the side is called while nobody does."""
        style, names = self.game["sides"][side]["name"], {each: self._called(each) for each in SIDES}
        if names["first"] == names["second"] and names[side]:
            return f"{names[side]} ({style})"
        return names[side] or style

    def _called(self, side: SideName) -> str:
        seat = self.state["seats"][side]
        if seat is None:
            return ""
        # Who plays against a computer knows which; who watches may be watching two.
        return printable(seat["name"]) if self.side else called(seat)


def called(who: PlayerInfo) -> str:
    """The name of somebody, of a computer with its level."""
    level = who["id"].partition(":")[2] if who["kind"] == "computer" else ""
    return printable(f"{who['name']} ({level})" if level else who["name"])


def rating(seat: SeatInfo) -> str:
    """``(1523)`` behind a name, ``(1500?)`` while that is uncertain; nothing for who has none there."""
    if "rating" not in seat:
        return ""
    return f" ({seat['rating']}{'?' if seat.get('provisional') else ''})"


def other(side: SideName) -> SideName:
    """The opposite side."""
    return "second" if side == "first" else "first"


def printable(text: str) -> str:
    """``text`` without what a terminal could take for a command."""
    return "".join(character if character.isprintable() else "?" for character in text)
