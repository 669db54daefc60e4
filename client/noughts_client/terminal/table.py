"""What somebody at a terminal looks at, and what can be read off it. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass, replace

from noughts.protocol import State
from noughts.protocol.messages import Analysed, GameInfo, SeatInfo, SideName

NUMPAD_LAYOUT = [list("123"), list("456"), list("789")]


@dataclass(frozen=True)
class Table:
    """A room as its viewer sees it.

    ``me`` is the viewer's player id; without a seat the viewer is a spectator. ``numpad`` turns cells 1 to 9 so
    that 7 8 9 is the top row, in what is shown and what is typed. ``note`` is a word on what happened last, and
    ``invitation`` the command that brings an opponent, if one was asked for. ``declined`` says that the opponent
    has said no to a rematch; an offer made later shows in the state. ``values`` says that the viewer wants to see what
    each move is worth, and ``analysis`` that of this position, None until it is known.
    """

    game: GameInfo
    me: str
    room: str
    version: int
    state: State
    numpad: bool = False
    connected: bool = True
    invitation: str | None = None
    note: str = ""
    declined: bool = False
    values: bool = False
    analysis: Analysed | None = None

    @property
    def side(self) -> SideName | None:
        """The viewer's side, None for a spectator."""
        sides: tuple[SideName, SideName] = ("first", "second")
        for side in sides:
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

    @property
    def must_pass(self) -> bool:
        """Whether there is one move alone, and it is not on the board."""
        legal = self.state["legal_moves"]
        return len(legal) == 1 and not any(legal[0] in row for row in self.game["layout"])

    @property
    def offered_by(self) -> SideName | None:
        """Who has offered a rematch that stands."""
        return next((offer["side"] for offer in self.state["offers"] if offer["offer"] == "rematch"), None)

    def shown(self, move: str) -> str:
        """How the viewer writes ``move``; the same function leads back."""
        if self.numpad and self.game["layout"] == NUMPAD_LAYOUT and len(move) == 1 and move in "123456789":
            row, column = divmod(int(move) - 1, 3)
            return str((2 - row) * 3 + column + 1)
        return move

    def name(self, side: SideName) -> str:
        """Who plays ``side``, or what the side is called while nobody does."""
        seat = self.state["seats"][side]
        if seat is None:
            return self.game["sides"][side]["name"]
        # Who plays against a computer knows which; who watches may be watching two.
        return printable(seat["name"]) if self.side else called(seat)


def called(seat: SeatInfo) -> str:
    """The name of who sits there, of a computer with its level."""
    level = seat["id"].partition(":")[2] if seat["kind"] == "computer" else ""
    return printable(f"{seat['name']} ({level})" if level else seat["name"])


def other(side: SideName) -> SideName:
    """The opposite side."""
    return "second" if side == "first" else "first"


def printable(text: str) -> str:
    """``text`` without what a terminal could take for a command."""
    return "".join(character if character.isprintable() else "?" for character in text)
