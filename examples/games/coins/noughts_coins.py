"""Coins in a row: take turns to take one from either end; the greater worth wins. Pure; does no I/O."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.games import SEAM, Game, IllegalMove, InvalidPosition, MalformedMove, Outcome, Reason, Side, Style
from noughts.games.picture import picture

COINS = ("a3", "b1", "c4", "d1", "e5", "f9", "g2", "h6")
CROSS, NOUGHT = Style("X", "x"), Style("O", "o")
SYMBOLS = {Side.FIRST: CROSS.symbol, Side.SECOND: NOUGHT.symbol}


@dataclass(frozen=True)
class CoinsPosition:
    """``row`` has for each coin the symbol of the side that took it, or ``.``."""

    row: str = "." * len(COINS)

    @property
    def ply(self) -> int:
        return len(COINS) - self.row.count(".")

    @property
    def to_move(self) -> Side | None:
        if self.ply == len(COINS):
            return None
        return Side.SECOND if self.ply % 2 else Side.FIRST

    @property
    def legal_moves(self) -> tuple[str, ...]:
        left = [coin for coin, taken in zip(COINS, self.row, strict=True) if taken == "."]
        return tuple(dict.fromkeys(left[:1] + left[-1:]))

    @property
    def outcome(self) -> Outcome | None:
        if self.to_move is not None:
            return None
        first, second = (self.worth(side) for side in Side)
        winner = None if first == second else Side.FIRST if first > second else Side.SECOND
        return Outcome(winner, Reason.COUNT)

    @property
    def rows(self) -> tuple[str, ...]:
        return (self.row,)

    @property
    def text(self) -> str:
        return self.row

    def worth(self, side: Side) -> int:
        """The total worth of the coins of ``side``."""
        return sum(int(coin[1:]) for coin, taken in zip(COINS, self.row, strict=True) if taken == SYMBOLS[side])

    def _repr_svg_(self) -> str:
        return picture(self, (COINS,), (CROSS, NOUGHT))

    def play(self, move: str) -> CoinsPosition:
        if move not in COINS:
            raise MalformedMove(f"a move is a coin, one of {' '.join(COINS)}")
        side = self.to_move
        if side is None:
            raise IllegalMove("the game is over")
        if move not in self.legal_moves:
            raise IllegalMove(f"{move} is not at an end of the row")
        index = COINS.index(move)
        return CoinsPosition(self.row[:index] + SYMBOLS[side] + self.row[index + 1 :])


def reachable(position: CoinsPosition) -> set[CoinsPosition]:
    """``position`` and all positions that can follow."""
    return {position}.union(*(reachable(position.play(move)) for move in position.legal_moves))


POSITIONS = {position.text: position for position in reachable(CoinsPosition())}


def parse(text: str) -> CoinsPosition:
    """Read a row, then optionally a space and the side to move. Raises InvalidPosition."""
    row, space, side = text.partition(" ")
    position = POSITIONS.get(row)
    if position is None or (space and side != position.to_move):
        raise InvalidPosition("a position is 8 coins, x, o or '.', taken from the ends in turn")
    return position


COINS_IN_A_ROW = Game(
    key="coins",
    title="Coins in a row",
    first=CROSS,
    second=NOUGHT,
    layout=(COINS,),
    start=CoinsPosition(),
    parse=parse,
    rules=(
        "The sides take turns to take a coin from either end of the row.",
        "When all are taken, the side whose coins are worth more wins.",
    ),
    seam=SEAM,
    score=lambda position: (position.worth(Side.FIRST), position.worth(Side.SECOND)),
    margin=lambda position: position.worth(Side.FIRST) - position.worth(Side.SECOND),
)
