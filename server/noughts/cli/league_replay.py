"""``noughts league replay``: a bot is asked again what it was asked in a game of a league."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from noughts.cli.league_plan import containment_of
from noughts.cli.output import say
from noughts.league.plan import spec_of
from noughts.league.records import LeagueRecord
from noughts.league.replay import Answered, ask, is_late, record_of, side_of, turn_of
from noughts.league.replay_text import after_lines, before_lines
from noughts.league.runner import one_bot
from noughts.league.state import LeagueError, load
from noughts_client.failure import BotFailed


async def replay(options: dict[str, Any]) -> int:
    """Ask a bot again: 1 if it fails now, or is too late, else 0. Raises LeagueError."""
    bots, name = options["bots"], options["bot"]
    if len(bots) != 2 or not bots[1].isdecimal() or name is None:
        raise LeagueError("write it as noughts league replay GAME --bot NAME, with the number of a game")
    folder = load(options["folder"] or newest_folder())
    league, record = folder.league, record_of(folder.records, int(bots[1]))
    side = side_of(record, name)
    turn = turn_of(league, record, side, options["turn"])
    _startable(league, name)
    containment = containment_of(league, uncontained=options["uncontained"] or league["uncontained"])
    say(*before_lines(league, record, side, turn))
    try:
        async with one_bot(folder, containment, name, record["game"]) as bot:
            if not turn.line:
                say("", "Now it starts.")
                return 0
            answered = await ask(bot, league, turn.line)
    except BotFailed as error:
        answered = Answered("", "", 0, "", error.failure)
    say(*after_lines(record, turn, answered))
    return 1 if answered.failure or is_late(turn, answered) else 0


def _startable(league: LeagueRecord, name: str) -> None:
    """Raises LeagueError for a player whom the league does not start."""
    if any(player["name"] == name and spec_of(player).kind == "player" for player in league["players"]):
        raise LeagueError(f"{name} is connected to the server by itself, so the league cannot ask it again")


def newest_folder() -> Path:
    """The last of the folders that leagues got here by default. Raises LeagueError if there is none."""
    found = [path for path in Path().glob("league-*") if path.name.removeprefix("league-").isdecimal()]
    if not found:
        raise LeagueError("there is no league here: name its folder with --folder")
    return max(found, key=lambda path: int(path.name.removeprefix("league-")))
