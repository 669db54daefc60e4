"""``noughts league review``: where a game of a league was lost."""

from __future__ import annotations

from typing import Any

from noughts.cli.league_replay import newest_folder
from noughts.cli.output import say
from noughts.cli.review import SECONDS, print_review, show_progress, warn_slow
from noughts.explain.review import GameExplainer
from noughts.league.replay import record_of
from noughts.league.report_text import name
from noughts.league.review import head_lines, info_of, room_of
from noughts.league.state import LeagueError, load
from noughts.league.words import replay_command


async def review(options: dict[str, Any]) -> int:
    """Review a game. Raises LeagueError."""
    bots, as_json = options["bots"], options["output"] in ("json", "jsonl")
    if len(bots) != 2 or not bots[1].isdecimal():
        raise LeagueError("write it as noughts league review GAME [--folder DIR], with the number of a game")
    folder = load(options["folder"] or newest_folder())
    league, record = folder.league, record_of(folder.records, int(bots[1]))
    if not as_json:
        say(*head_lines(league, record))
    explainer = GameExplainer(room_of(league, record), SECONDS, warn_slow, begins=len(record["opening"]))
    async for found in explainer.review():
        show_progress(found)
    print_review(found, info_of(league, record), as_json=as_json, notes=record["notes"])
    failure = record["failure"]
    if failure is not None and not as_json:
        player = record[failure["side"]]
        say("", f"See why {name(player)} failed:  {replay_command(folder.path, record['game'], player)}")
    return 0
