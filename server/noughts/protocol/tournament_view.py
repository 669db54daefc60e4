"""Tournaments as clients are shown them. Does no I/O."""

from __future__ import annotations

from collections.abc import Mapping

from noughts.games.catalogue import parts_of
from noughts.protocol.messages import (
    EntrantInfo,
    PlayerInfo,
    RoundInfo,
    StandingRow,
    TournamentFields,
    TournamentGame,
    TournamentListing,
)
from noughts.protocol.render import time_control, timestamp
from noughts.rooms import Player
from noughts.tournaments.events import Result
from noughts.tournaments.ranking import Row, field_of, rounds_of, standings
from noughts.tournaments.rounds import rounds_in_all
from noughts.tournaments.tournament import Game, Tournament

ROWS = 100
"""The most rows of standings in a message; a client can ask for the next."""

GAMES = 100
"""The most games in a message: those of the round under way, or the last of an arena."""

ROUNDS = 50
"""The most results of a player in a row of the cross table, the last."""


def tournament_listing(now: Tournament) -> TournamentListing:
    """A tournament in a list."""
    terms = now.terms
    game, setup = parts_of(terms.game)
    shown: TournamentListing = {
        "tournament": now.id,
        "name": terms.name,
        "by": _player(now.by),
        "format": terms.format,
        "game": game,
        "clock": time_control(terms.clock),
        "rated": terms.rated,
        "kinds": terms.kinds,
        "registered": terms.registered,
        "private": terms.private,
        "status": now.status,
        "players": len(now.active),
        "most": terms.most,
        "round": now.round,
        "rounds": rounds_in_all(now),
    }
    if setup:
        shown["setup"] = dict(setup)
    if terms.minutes:
        shown["minutes"] = terms.minutes
    if terms.starts_at is not None:
        shown["starts_at"] = timestamp(terms.starts_at)
    if now.ends_at is not None:
        shown["ends_at"] = timestamp(now.ends_at)
    return shown


def tournament_fields(now: Tournament, *, after: int = 0, results: bool = False) -> TournamentFields:
    """All that is shown of a tournament: its standings after the first ``after`` rows, and the games of the round.

    With ``results`` each row has what the player did in each round, which makes a cross table.
    """
    field = field_of(now)
    rows = standings(field)
    numbers = {player: number for number, player in enumerate(field.players, 1)}
    rounds = _rounds(now) if results else {}
    shown: TournamentFields = {
        "tournament": tournament_listing(now),
        "version": now.version,
        "paused": now.paused,
        "standings": [_row(now, row, numbers) for row in rows[after : after + ROWS]],
        "games": [_game(now, game) for game in _latest(now)],
    }
    if results:
        for row in shown["standings"]:
            row["results"] = [_round(each, row["player"]["id"], numbers) for each in rounds[row["player"]["id"]]]
    if len(rows) > after + ROWS:
        shown["more"] = after + ROWS
    return shown


def game_called(now: Tournament, game: Game, player: str) -> Mapping[str, object]:
    """The message that calls a player to a game."""
    return {
        "type": "tournament_game",
        "tournament": now.id,
        "name": now.terms.name,
        "round": game.round,
        "room": game.room,
        "seat": "first" if player == game.first else "second",
        "opponent": _player(now.entries[game.opponent(player)].player),
    }


def _latest(now: Tournament) -> list[Game]:
    """The games to show: those under way, and of the last round those that are over, too."""
    over: list[Game] = []
    for game in reversed(now.games.values()):
        if len(over) == GAMES or game.round != now.round:
            break
        if game.result is not None:
            over.append(game)
    return [*(now.games[room] for room in sorted(now.live)), *reversed(over)][:GAMES]


def _player(player: Player) -> PlayerInfo:
    shown: PlayerInfo = {"id": player.id, "name": player.name, "kind": player.kind}
    if player.registered:
        shown["registered"] = True
    return shown


def _row(now: Tournament, row: Row, numbers: Mapping[str, int]) -> StandingRow:
    entry = now.entries[row.player]
    player: EntrantInfo = {**_player(entry.player)}  # type: ignore[typeddict-item]
    if entry.player.rating is not None:
        player["rating"] = entry.player.rating
    shown: StandingRow = {
        "place": row.place,
        "number": numbers[row.player],
        "player": player,
        "points": row.points,
        "won": row.score.won,
        "drawn": row.score.drawn,
        "lost": row.score.lost,
        "wins": row.wins,
    }
    if row.buchholz is not None:
        shown["buchholz"] = row.buchholz
    if row.sonneborn_berger is not None:
        shown["sonneborn_berger"] = row.sonneborn_berger
    if row.direct_encounter is not None:
        shown["direct_encounter"] = row.direct_encounter
    if row.performance is not None:
        shown["performance"] = row.performance
    if now.terms.format == "arena" and (tally := now.tallies.get(row.player)) is not None and tally.streak:
        shown["streak"] = tally.streak
    if entry.withdrawn:
        shown["withdrawn"] = "left" if entry.withdrawn == row.player else "removed"
    return shown


def _game(now: Tournament, game: Game) -> TournamentGame:
    shown: TournamentGame = {
        "room": game.room,
        "round": game.round,
        "first": _player(now.entries[game.first].player),
        "second": _player(now.entries[game.second].player),
        "points": _points(game.result),
    }
    if game.result is not None and not game.result.played:
        shown["played"] = False
    if game.adjudicated:
        shown["adjudicated"] = True
    return shown


def _points(result: Result | None) -> list[float] | None:
    return None if result is None else [result.first / 2, result.second / 2]


def _rounds(now: Tournament) -> dict[str, list[Game | int]]:
    """The rounds of each player; of an arena, where they are nobody's own, the games alone."""
    if now.terms.format == "swiss":
        return rounds_of(field_of(now))
    found: dict[str, list[Game | int]] = {player: [] for player in now.entries}
    for game in now.games.values():
        found[game.first].append(game)
        found[game.second].append(game)
    return {player: games[-ROUNDS:] for player, games in found.items()}


def _round(each: Game | int, player: str, numbers: Mapping[str, int]) -> RoundInfo:
    if isinstance(each, int):
        return {"opponent": None, "points": each / 2}
    return {
        "opponent": numbers[each.opponent(player)],
        "side": "first" if player == each.first else "second",
        "points": None if each.result is None else each.points(player) / 2,
        "played": each.result is None or each.result.played,
        "room": each.room,
    }
