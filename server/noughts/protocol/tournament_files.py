"""A tournament as a file: everything as JSON, the standings or the games as CSV, and FIDE's report. Does no I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic_core import to_json

from noughts.protocol.tournament_messages import RoundInfo
from noughts.protocol.tournament_view import tournament_fields
from noughts.spreadsheet import Cell, as_csv
from noughts.tournaments.tournament import Tournament
from noughts.tournaments.trf import as_trf

FIGURES = ("points", "won", "drawn", "lost", "buchholz", "sonneborn_berger", "direct_encounter", "wins", "performance")
RATING = ("rating", "deviation")


def as_json(now: Tournament, moves: Mapping[str, list[str]] = {}) -> str:
    """The fields of the message ``tournament``, with all rows, their results, and all games with their ``moves``, which
    are by room."""
    fields = tournament_fields(now, results=True, whole=True)
    for game in fields["games"]:
        if game["room"] in moves:
            game["moves"] = moves[game["room"]]
    return to_json(fields, indent=1).decode() + "\n"


def standings_csv(now: Tournament) -> str:
    """A row for each player, the best first; then the rounds as in a cross table, ``4a1``."""
    rows = tournament_fields(now, results=True, whole=True)["standings"]
    rounds = max((len(row["results"]) for row in rows), default=0)
    lines: list[list[Cell]] = []
    for row in rows:
        figures: Mapping[str, Cell] = row  # type: ignore[assignment]
        results: list[Cell] = [round_in_words(each) for each in row["results"]]
        lines.append(
            [
                *(row["place"], row["number"], row["player"]["name"], row["player"]["id"]),
                *(figures.get(name) for name in (*FIGURES, *RATING)),
                row.get("withdrawn"),
                *results,
                *[None] * (rounds - len(results)),
            ]
        )
    header = ("place", "number", "player", "id", *FIGURES, *RATING, "withdrawn")
    return as_csv((*header, *(f"round_{number}" for number in range(1, rounds + 1))), lines)


def games_csv(now: Tournament) -> str:
    """A row for each pairing, in the order of the rounds: the players, their points, and the room."""
    lines: list[list[Cell]] = []
    for game in tournament_fields(now, whole=True)["games"]:
        points = game["points"] or (None, None)
        how = "adjudicated" if game.get("adjudicated") else None if game.get("played", True) else "forfeit"
        lines.append([game["round"], game["first"]["name"], game["second"]["name"], *points, how, game["room"]])
    return as_csv(("round", "first", "second", "points_first", "points_second", "how", "room"), lines)


def round_in_words(each: RoundInfo) -> str:
    """A round as in a cross table: ``4a1``, the opponent's number, ``a`` for the first side, and the result; or
    ``+`` without a game."""
    points = each["points"]
    if each["opponent"] is None:
        return {0: "-", 0.5: "½", 1: "+"}[points or 0]
    result = {None: "*", 0: "0", 0.5: "½", 1: "1"}[points]
    if not each.get("played", True):
        result = "+" if points else "-"
    return f"{each['opponent']}{'a' if each.get('side') == 'first' else 'b'}{result}"


FILES: Mapping[str, tuple[str, Callable[[Tournament], str | None]]] = {
    "json": ("application/json", as_json),
    "csv": ("text/csv; charset=utf-8", standings_csv),
    "games.csv": ("text/csv; charset=utf-8", games_csv),
    "trf": ("text/plain; charset=utf-8", as_trf),
}
"""By suffix, the media type and what makes the text; None if the tournament cannot be written so."""
