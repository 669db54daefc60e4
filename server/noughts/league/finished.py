"""A game of a league as a finished room that can be reviewed, and who played it."""

from __future__ import annotations

from noughts.columns import printable
from noughts.games import Outcome, Reason, Side
from noughts.games.catalogue import full_title
from noughts.league.plan import game_of
from noughts.league.records import SIDES, LeagueRecord, Record
from noughts.league.summary import reason_in_words, why
from noughts.protocol.messages import GameInfo
from noughts.protocol.render import game_info
from noughts.rooms import Options, Player, Room
from noughts.rooms.room import Ply
from noughts.value import changed


def room_of(league: LeagueRecord, record: Record) -> Room:
    """The room of a game that is over, without clocks.

    If neither the board nor the time ended it, it counts as a forfeit.
    """
    game = game_of(league["game"])
    position, plies = game.start, []
    for number, move in enumerate(record["moves"], 1):
        assert position.to_move is not None
        plies.append(Ply(position.to_move, move, number, position, None, game.name(position, move)))
        position = position.play(move)
    winner = None if record["result"] in (None, "draw") else Side(record["result"])
    outcome = position.outcome or Outcome(winner, Reason.TIME if record["reason"] == Reason.TIME else Reason.FORFEIT)
    first, second = (Player(f"p-{record[side]}", record[side], "bot") for side in SIDES)
    room = Room(record["room"], len(plies) + 1, game, position, first, second, Options(), first.id, 0, 0)
    return changed(room, answers=tuple(plies), plies=tuple(plies), outcome=outcome)


def info_of(league: LeagueRecord, record: Record) -> GameInfo:
    """The facts to show the game in words, with the names of the players instead of those of the sides."""
    info = game_info(game_of(league["game"]))
    sides = {side: {**info["sides"][side], "name": printable(record[side])} for side in SIDES}
    return {**info, "sides": sides}  # type: ignore[typeddict-item]


def head_lines(league: LeagueRecord, record: Record) -> list[str]:
    """Lines on who played on which side, who won and why, and what the league played for both."""
    game = game_of(league["game"])
    first, second = (f"{printable(record[side])} ({game.style(Side(side)).name})" for side in SIDES)
    match record["result"]:
        case "first" | "second":
            result = f"{printable(record[record['result']])} won"
        case "draw":
            result = "a draw"
        case None:
            result = "nobody won"
    reason = f". {printable(why(record))}" if record["failure"] else f" ({reason_in_words(record['reason'])})"
    lines = [f"Game {record['game']} of {full_title(game)}: {first} against {second}; {result}{reason}"]
    if record["opening"] and record["moves"]:
        lines.append(f"The league played the opening: {' '.join(record['opening'])}")
    return lines
