"""``noughts league replay``: a bot is asked again what it was asked in a game of a league."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from noughts.cli.league_plan import containment_of
from noughts.cli.output import say
from noughts.league.progress import failure_lines, printable
from noughts.league.replay import ask, line_of, record_of, side_of
from noughts.league.runner import one_bot
from noughts.league.state import LeagueError, load
from noughts_client.bots.failure import BotFailed


async def replay(options: dict[str, Any]) -> int:
    """Ask a bot again. Raises LeagueError."""
    bots, name = options["bots"], options["bot"]
    if len(bots) != 2 or not bots[1].isdecimal() or name is None:
        raise LeagueError("write it as noughts league replay GAME --bot NAME, with the number of a game")
    folder = load(options["folder"] or newest_folder())
    league, record = folder.league, record_of(folder.records, int(bots[1]))
    line = line_of(league, record, side_of(record, name), options["turn"])
    containment = containment_of(league, uncontained=options["uncontained"] or league["uncontained"])
    say(f"> {line}")
    try:
        async with one_bot(folder, containment, name, record) as bot:
            answered = await ask(bot, league, line)
    except BotFailed as error:
        say(*failure_lines(error.failure))
        return 1
    if answered.failure is not None:
        say(*failure_lines(answered.failure))
        return 1
    say(f"< {answered.move}", f"in {answered.seconds:.3f} s")
    say(*(f"note: {printable(line)}" for line in answered.note.splitlines()))
    if answered.stderr:
        say("stderr:", *map(printable, answered.stderr.splitlines()))
    return 0


def newest_folder() -> Path:
    """The last of the folders that leagues got here by default. Raises LeagueError if there is none."""
    found = [path for path in Path().glob("league-*") if path.name.removeprefix("league-").isdecimal()]
    if not found:
        raise LeagueError("there is no league here: name its folder with --folder")
    return max(found, key=lambda path: int(path.name.removeprefix("league-")))
