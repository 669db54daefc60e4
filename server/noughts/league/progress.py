"""The progress of a league while it is played, as lines of text. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from noughts.columns import printable
from noughts.league.disqualified import Disqualified
from noughts.league.plan import MOST_OPENINGS, count_left, programs_of
from noughts.league.records import PlayerRecord, Record, SprtRecord
from noughts.league.report_text import name
from noughts.league.runner import Ending
from noughts.league.sprt import RunningTest, expected
from noughts.league.state import Folder
from noughts.league.summary import (
    disqualified_in_words,
    replay_command,
    review_command,
    sprt_in_words,
    title_of,
    why,
)

_POINTS = {"first": "1-0", "second": "0-1", "draw": "½-½", None: "0-0"}


def start_lines(folder: Folder, concurrency: int, url: str, *, contained: bool) -> list[str]:
    """Lines on what is played, how, where it is kept, and where to watch: ``url`` is that of the server's WebSocket,
    empty if there is none.
    """
    league, played = folder.league, len(folder.records)
    games = played + count_left(league, folder.records)
    before = f", {played} of them played already" if played else ""
    most = "" if league["sprt"] is None else "at most "
    lines = [
        f"{len(league['players'])} players, {most}{games} games of {title_of(league['game'])}{before}: clock"
        f" {league['clock']}, seed {league['seed']}, {concurrency} at a time, kept in {folder.path}",
    ]
    if league["sprt"] is not None:
        lines.append(_hypotheses(league["players"], league["sprt"]))
    if not contained and any(player["sha256"] for player in league["players"]):
        lines.append("Bots run without a sandbox: they can read your files and use the network.")
    openings, plies = len(league["lines"]), league["openings"]
    if plies and openings < min(league["rounds"], MOST_OPENINGS):
        length = "1 ply" if plies == 1 else f"{plies} plies"
        are = "is only 1 even opening" if openings == 1 else f"are only {openings} even openings"
        lines.append(f"There {are} of {length}; {'it repeats' if openings == 1 else 'they repeat'}.")
    return [*lines, *([f"Watch at {page_of(url)}"] if url else [])]


def _hypotheses(players: Sequence[PlayerRecord], sprt: SprtRecord) -> str:
    one, other = (name(player["name"]) for player in players)
    low, high = (f"{elo:g} Elo, {100 * expected(elo):.0f} % of the points" for elo in (sprt["elo0"], sprt["elo1"]))
    return f"The test ends when it is decided what {one} rather has against {other}: {low} (H0), or {high} (H1)."


def clock_lines(clock: str) -> list[str]:
    """The meaning of a clock of minutes: other programs read ``30+0.3`` as seconds."""
    initial, _, increment = clock.partition("+")
    if not initial.isdecimal() or not increment:
        return []
    minutes = _count(int(initial), "minute")
    return [
        f"The clock {clock} is {minutes} for each side, and {increment} s more with each move. "
        "A clock of 30 seconds is written 30s+0.3."
    ]


def page_of(url: str) -> str:
    """The web page of the server with this WebSocket URL."""
    parts = urlsplit(url)
    return parts._replace(scheme="https" if parts.scheme == "wss" else "http", path="/").geturl()


def game_lines(folder: Folder, record: Record, test: RunningTest) -> list[str]:
    """A game that is over: who won and why; the state of the test after each pair."""
    games = len(folder.records) + count_left(folder.league, folder.records)
    number = str(len(folder.records)).rjust(len(str(games)))
    plies = "" if record["failure"] else f", {len(record['moves'])} plies"
    result = f"{name(record['first'])} {_POINTS[record['result']]} {name(record['second'])}"
    lines = [f"{number}/{games}  game {record['game']}  {result}  {printable(why(record))}{plies}"]
    if (state := test.state) is not None and len(folder.records) % 2 == 0:
        lines.append(
            f"LLR {state.llr:.2f} after {_count(test.pairs, 'pair')}; the test ends at {state.lower:.2f} or "
            f"{state.upper:.2f}."
        )
    lines += [
        printable(disqualified_in_words(player, last))
        for player, last in Disqualified(folder.league, folder.records).players.items()
        if last["game"] == record["game"]
    ]
    return lines


def end_lines(folder: Folder, ending: Ending) -> list[str]:
    """The reason why the league has ended, and for each bot that failed how to see that again."""
    lines = []
    league = folder.league
    test = RunningTest(league, folder.records)
    if test.state is not None:
        lines.append(f"After {_count(test.pairs, 'pair')} of games: {printable(sprt_in_words(league, test.state))}")
        if ending == "played" and not Disqualified(league, folder.records).players:
            lines.append(
                "For a decision, start a league with more --rounds, or with an elo1 that is further from elo0."
            )
    programs = programs_of(league)
    for record in sorted(folder.records, key=lambda record: record["game"]):
        loser = {"first": record["second"], "second": record["first"]}.get(record["result"] or "")
        if loser in programs and (seen := review_command(folder.path, record)):
            lines.append(f"See where {name(loser)} lost a game:  {seen}")
            break
    first: dict[str, Record] = {}
    count: dict[str, int] = {}
    for record in sorted(folder.records, key=lambda record: record["game"]):
        if record["failure"] is not None:
            player = record[record["failure"]["side"]]
            first.setdefault(player, record)
            count[player] = count.get(player, 0) + 1
    for player, record in first.items():
        again = replay_command(folder.path, record["game"], player)
        lines.append(f"{name(player)} failed in {_count(count[player], 'game')}. See why:  {again}")
    return lines


def _count(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number} {what}s"
