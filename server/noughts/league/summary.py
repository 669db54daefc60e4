"""All figures of a league that its reports show, and what they say of its games. Pure; does no I/O."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from noughts.columns import printable
from noughts.games.catalogue import BadSetup, UnknownGame, full_title, game_named
from noughts.league.disqualified import TIMES, Disqualified, counting
from noughts.league.plan import count_left
from noughts.league.records import LeagueRecord, Record
from noughts.league.sprt import RunningTest, SprtState
from noughts.league.standings import TIE_BREAKS, Row, crosstable, reasons, standings
from noughts.protocol.render import words
from noughts.protocol.words import ending
from noughts.tournaments.ranking import Score
from noughts_client.failure import FAILURES, Failure

COLUMNS = ("", "player", "games", "won", "drawn", "lost", "points", "Elo", "losses", "s/move", "longest", "tie-breaks")


@dataclass(frozen=True)
class Summary:
    """The figures of a league. ``rows`` are the standings, ``table`` is the crosstable by player and opponent.

    ``scheduled`` is the number of its games that are played or will be, ``played`` how many are over. ``disqualified``
    are the players whose games do not count, each with the game of the last failure. ``sprt`` is the state of the test
    of the first player against the second, None without one.
    """

    title: str
    terms: str
    rows: list[Row]
    table: dict[str, dict[str, Score]]
    reasons: dict[str, int]
    played: int
    scheduled: int
    disqualified: dict[str, Record]
    sprt: SprtState | None


def summarize(league: LeagueRecord, records: Sequence[Record]) -> Summary:
    """The figures of ``league`` after the games in ``records``."""
    _, counted = counting(league, records)
    rows = standings(league, records)
    return Summary(
        f"{title_of(league['game'])} league",
        _terms(league, len(league["players"])),
        rows,
        crosstable([row.player for row in rows], records),
        reasons(counted),
        len(records),
        len(records) + count_left(league, records),
        Disqualified(league, records).players,
        RunningTest(league, records).state,
    )


def title_of(game: str) -> str:
    """The title of a game and what was chosen; its name if it is not installed here."""
    try:
        return full_title(game_named(game))
    except (UnknownGame, BadSetup):
        return game


def reason_in_words(reason: str) -> str:
    """The reason why a game ended, in a few words: an ending, such as "on time", or a kind of failure."""
    known = words()["endings"].get(reason)
    return failure_in_words(reason) if known is None else known.get("how", reason)


def failure_in_words(kind: str) -> str:
    """The failure of a bot, in a word or two."""
    return FAILURES.get(kind, kind)


def reasons_in_words(counts: Mapping[str, int]) -> str:
    """The number of times that each reason ended a game, such as ``by line 3, on time 1``."""
    return ", ".join(f"{reason_in_words(reason)} {count}" for reason, count in counts.items())


def points_in_words(points: float) -> str:
    """Points as people write them: ``3``, ``3.5``."""
    return f"{points:g}"


def elo_in_words(row: Row) -> str:
    """A rating and its error, such as ``+35 ± 12``."""
    return "" if row.elo is None or row.error is None else f"{round(row.elo):+d} ± {row.error:.0f}"


def pace_in_words(row: Row) -> tuple[str, str]:
    """The mean seconds for a move, and those of the longest one; empty without a move."""
    if not row.moves:
        return "", ""
    mean, longest = (
        f"{seconds:.3f}" if seconds >= 0.0005 else "<0.001" for seconds in (row.seconds / row.moves, row.longest_s)
    )
    return mean, longest


def cells_of(row: Row, losses: Mapping[str, int]) -> list[str]:
    """A player's cells in the standings, with ``losses`` by reason; the titles are :data:`COLUMNS`."""
    score = row.score
    return [
        str(row.place),
        row.player,
        *map(str, (score.games, score.won, score.drawn, score.lost)),
        points_in_words(row.points),
        elo_in_words(row),
        reasons_in_words(losses),
        *pace_in_words(row),
        ", ".join(f"{TIE_BREAKS[name]} {points:g}" for name, points in row.tie_breaks.items()),
    ]


def over_in_words(summary: Summary) -> str:
    """The number of games that are over. After the decision of a test no more are played."""
    if summary.sprt is not None and summary.sprt.decision is not None:
        return f"Decided after {summary.played} games, of at most {summary.scheduled}."
    return f"{summary.played} of {summary.scheduled} games are over."


def disqualified_in_words(player: str, record: Record) -> str:
    """That a player is disqualified, in two sentences; ``record`` has the last failure."""
    failure = record["failure"]
    assert failure is not None
    why = ", ".join(filter(None, (failure_in_words(failure["kind"]), failure["error"])))
    way = f"it failed {TIMES} times running in the same way ({why})"
    return f"{player} is disqualified: {way}. Its games do not count, and no more are played."


def sprt_in_words(league: LeagueRecord, state: SprtState) -> str:
    """The state of a sequential test, in two sentences."""
    terms = league["sprt"]
    assert terms is not None
    one, other = (player["name"] for player in league["players"][:2])
    found = {
        None: "Undecided",
        "H0": f"H0 was accepted: {one} is {_below(terms['elo1'])} {other}",
        "H1": f"H1 was accepted: {one} is {_above(terms['elo0'])} {other}",
    }[state.decision]
    hypotheses = f"SPRT of H0, {terms['elo0']:g} Elo, against H1, {terms['elo1']:g} Elo"
    return f"{hypotheses}: LLR {state.llr:.2f} ({state.lower:.2f}, {state.upper:.2f}). {found}."


def _above(elo: float) -> str:
    """More than ``elo`` better than somebody, in words."""
    if elo == 0:
        return "stronger than"
    return f"more than {elo:g} Elo stronger than" if elo > 0 else f"less than {-elo:g} Elo weaker than"


def _below(elo: float) -> str:
    if elo == 0:
        return "weaker than"
    return f"less than {elo:g} Elo stronger than" if elo > 0 else f"more than {-elo:g} Elo weaker than"


def _terms(league: LeagueRecord, players: int) -> str:
    count = players - len(league["opponents"])
    form = {
        "round_robin": "a round robin of",
        "swiss": "a Swiss league of",
        "gauntlet": f"a gauntlet of {', '.join(league['opponents'])} against",
    }[league["format"]]
    rounds = f"{league['rounds']} round{'s' * (league['rounds'] != 1)}"
    return f"{form} {count} players, {rounds}, clock {league['clock']}, seed {league['seed']}"


def why(record: Record) -> str:
    """The reason why a game ended: a few words, or who failed and how."""
    failure = record["failure"]
    if failure is None:
        return reason_in_words(record["reason"])
    return f"{record[failure['side']]} failed ({failure_in_words(failure['kind'])}): {failure['message']}"


def replay_command(folder: PurePath, game: int, player: str) -> str:
    """The command that asks a bot again what it was asked in a game of the league in ``folder``."""
    words = ["noughts", "league", "replay", str(game), "--bot", player, "--folder", str(folder)]
    return printable(shlex.join(words))


def review_command(folder: PurePath, record: Record) -> str:
    """The command that shows where a game of the league in ``folder`` was lost; empty if not on the board."""
    if record["result"] not in ("first", "second") or not ending(record["reason"], words()).get("board"):
        return ""
    return printable(shlex.join(["noughts", "league", "review", str(record["game"]), "--folder", str(folder)]))


def failure_lines(failure: Failure) -> list[str]:
    """All that is known of a failure, for the bot's author."""
    lines = [f"{failure_in_words(failure.kind)}: {failure.message}"]
    lines += [f"< {failure.answer}"] if failure.answer else []
    lines += failure.traceback.splitlines()
    lines += ["stderr:", *failure.stderr.splitlines()] if failure.stderr.strip() else []
    return [printable(line) for line in lines]
