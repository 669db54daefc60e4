"""A tournament as a TRF16 file, FIDE's report format, which programs for pairing and rating read. Pure; does no I/O.

The columns are those of FIDE's handbook, C.04.A, annex 2, *Agreement about the Report File for a Tournament*.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime

from noughts.tournaments.events import DRAW, WIN
from noughts.tournaments.ranking import field_of, rounds_of, standings
from noughts.tournaments.rounds import rounds_in_all
from noughts.tournaments.tournament import Game, Tournament

FORMATS = {"swiss": "Individual: Swiss-System (Dutch)", "round_robin": "Individual: Round-Robin"}
"""The formats that the file can hold, in its words: those in which everybody has one game a round."""

_UNPAIRED = {WIN: "U", DRAW: "H", 0: "Z"}


def as_trf(now: Tournament) -> str | None:
    """The lines of the file, with the rounds that are over; None for a format that it cannot hold."""
    if now.terms.format not in FORMATS:
        return None
    over = now.round - 1 if now.live else now.round
    field = field_of(now)
    field = replace(field, rounds=over, games=[game for game in field.games if game.round <= over])
    field = replace(field, byes=[(number, player) for number, player in field.byes if number <= over])
    numbers = {player: number for number, player in enumerate(field.players, 1)}
    ranks = {row.player: rank for rank, row in enumerate(standings(field), 1)}
    rounds = rounds_of(field)
    rated = sum(entry.player.rating is not None for entry in now.entries.values())
    lines = [
        f"012 {_text(now.terms.name)}",
        f"042 {_day(now.started_at)}",
        f"052 {_day(now.finished_at)}",
        f"062 {len(field.players)}",
        f"072 {rated}",
        f"092 {FORMATS[now.terms.format]}",
        f"102 {_text(now.by.name)}",
        f"XXR {rounds_in_all(now) or now.terms.rounds}",
    ]
    for player in field.players:
        entrant = now.entries[player].player
        halves = sum(each if isinstance(each, int) else each.points(player) for each in rounds[player])
        rating = "" if entrant.rating is None else entrant.rating
        lines.append(
            f"001 {numbers[player]:>4}      {_text(entrant.name)[:33]:<33} {rating:>4} {'':>3} {'':>11} {'':>10} "
            f"{halves / 2:>4.1f} {ranks[player]:>4}"
            + "".join(f"  {_round(each, player, numbers)}" for each in rounds[player])
        )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _round(each: Game | int, player: str, numbers: dict[str, int]) -> str:
    if isinstance(each, int):
        return f"0000 - {_UNPAIRED[each]}"
    assert each.result is not None
    points = each.points(player)
    shown = "0=1"[points] if each.result.played else "+" if points else "-"
    return f"{numbers[each.opponent(player)]:>4} {'w' if player == each.first else 'b'} {shown}"


def _day(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y/%m/%d}" if at else ""


def _text(name: str) -> str:
    return "".join(each if unicodedata.category(each)[0] not in "CZ" else " " for each in name)
