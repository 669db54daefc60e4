"""What a league tells while it is played, as lines of text. Pure; does no I/O."""

from __future__ import annotations

import shlex
from urllib.parse import urlsplit

from noughts.league.plan import MOST_OPENINGS, game_of, pairings_of
from noughts.league.records import Record
from noughts.league.report_text import name
from noughts.league.runner import Ending, decision_of
from noughts.league.sprt import SprtState
from noughts.league.state import Folder
from noughts.league.words import printable, replay_command, why
from noughts_client.bots.sandbox import Containment

_POINTS = {"first": "1-0", "second": "0-1", "draw": "½-½", None: "0-0"}


def start_lines(folder: Folder, containment: Containment | None, concurrency: int, url: str) -> list[str]:
    """What is played, how, where it is kept, and where to watch: ``url`` is that of the server's WebSocket."""
    league, played = folder.league, len(folder.records)
    games = len(pairings_of(league))
    before = f", {played} of them played already" if played else ""
    lines = [
        f"{len(league['players'])} players, {games} games of {game_of(league['game']).title}{before}: clock"
        f" {league['clock']}, seed {league['seed']}, {concurrency} at a time, kept in {folder.path}",
    ]
    if containment is None and any(player["sha256"] for player in league["players"]):
        lines.append("Bots run without a sandbox: they can read your files and use the network.")
    openings, plies = len(league["lines"]), league["openings"]
    if plies and openings < min(league["rounds"], MOST_OPENINGS):
        length = "1 ply" if plies == 1 else f"{plies} plies"
        are = "is only 1 even opening" if openings == 1 else f"are only {openings} even openings"
        lines.append(f"There {are} of {length}; {'it repeats' if openings == 1 else 'they repeat'}.")
    return [*lines, f"Watch at {page_of(url)}"]


def page_of(url: str) -> str:
    """The web page of the server with this WebSocket URL."""
    parts = urlsplit(url)
    return parts._replace(scheme="https" if parts.scheme == "wss" else "http", path="/").geturl()


def game_lines(folder: Folder, record: Record, test: SprtState | None) -> list[str]:
    """A game that is over: who won and why; the state of the test after each pair."""
    games = len(pairings_of(folder.league))
    number = str(len(folder.records)).rjust(len(str(games)))
    plies = "" if record["failure"] else f", {len(record['moves'])} plies"
    result = f"{name(record['first'])} {_POINTS[record['result']]} {name(record['second'])}"
    lines = [f"{number}/{games}  game {record['game']}  {result}  {printable(why(record))}{plies}"]
    if test is not None and len(folder.records) % 2 == 0:
        lines.append(_test_words(test))
    return lines


def end_lines(folder: Folder, ending: Ending) -> list[str]:
    """Why the league has ended, and for each bot that failed how to see that again."""
    lines = []
    league = folder.league
    test, sprt = decision_of(league, folder.records), league["sprt"]
    if ending == "decided" and test is not None and sprt is not None:
        player = name(league["players"][0]["name"])
        right, wrong = (sprt["elo1"], sprt["elo0"]) if test.decision == "H1" else (sprt["elo0"], sprt["elo1"])
        lines.append(
            f"The test is decided: {player} is rather {right:+g} than {wrong:+g} Elo stronger ({test.decision})."
        )
    lost = min((each["game"] for each in folder.records if each["result"] in ("first", "second")), default=None)
    if lost is not None:
        seen = shlex.join(["noughts", "league", "review", str(lost), "--folder", str(folder.path)])
        lines.append(f"See where a game was lost:  {printable(seen)}")
    first: dict[str, Record] = {}
    count: dict[str, int] = {}
    for record in sorted(folder.records, key=lambda record: record["game"]):
        if record["failure"] is not None:
            player = record[record["failure"]["side"]]
            first.setdefault(player, record)
            count[player] = count.get(player, 0) + 1
    for player, record in first.items():
        games = "1 game" if count[player] == 1 else f"{count[player]} games"
        lines.append(
            f"{name(player)} failed in {games}. See why:  {replay_command(folder.path, record['game'], player)}"
        )
    return lines


def _test_words(test: SprtState) -> str:
    return f"Log likelihood ratio {test.llr:.2f}; the test ends at {test.lower:.2f} or {test.upper:.2f}."
