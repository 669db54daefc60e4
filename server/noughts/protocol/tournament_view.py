"""Tournaments as clients are shown them. Does no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from noughts.games.catalogue import parts_of
from noughts.protocol.render import time_control, timestamp
from noughts.protocol.room_messages import PlayerInfo
from noughts.protocol.tournament_messages import (
    EntrantInfo,
    OrganiserAct,
    RoundInfo,
    StandingRow,
    TournamentFields,
    TournamentGame,
    TournamentListing,
)
from noughts.rooms import Player
from noughts.tournaments.events import DRAW, WIN, Adjudicated, Finished, Paused, Result, Resumed, Withdrawn
from noughts.tournaments.ladder import left_today, rests
from noughts.tournaments.ranking import Field, Row, field_of, rounds_of, standings
from noughts.tournaments.rounds import rounds_in_all
from noughts.tournaments.tournament import Act, Game, Tournament

ROWS = 100
"""The most rows of standings in a message; a client can ask for the next."""

GAMES = 100
"""The most games in a message: those of the round under way, or the last of an arena or a ladder."""

ROUNDS = 50
"""The most results of a player in a row of the cross table, the last."""

FORM = 12
"""The most results in the form of a player, the last."""

UNDER_WAY = "."
"""The sign of a game that goes on in the form of a player."""


Ranked = dict[str, tuple[Field, list[Row]]]
"""Standings as they were computed last: of now, and of before the last round, which its results do not change."""


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
    if terms.budget:
        shown["budget"] = terms.budget
    if terms.minutes:
        shown["minutes"] = terms.minutes
    if terms.starts_at is not None:
        shown["starts_at"] = timestamp(terms.starts_at)
    if now.ends_at is not None:
        shown["ends_at"] = timestamp(now.ends_at)
    return shown


def tournament_fields(
    now: Tournament,
    *,
    after: int = 0,
    results: bool = False,
    whole: bool = False,
    pairs_at: int | None = None,
    ranked: Ranked | None = None,
) -> TournamentFields:
    """All that is shown of a tournament: its standings after the first ``after`` rows, and the games of the round.

    With ``results`` each row has what the player did in each round, which makes a cross table. ``whole``: all rows and
    all games there are, for a file. ``pairs_at`` is the time at which the next round begins, in ms since the epoch;
    None while one is played. Whoever asks again and again gives the same dictionary as ``ranked``.
    """
    ranked = {} if ranked is None else ranked
    most = len(now.entries) if whole else ROWS
    field = field_of(now)
    rows = _standings("now", field, ranked)
    numbers = {player: number for number, player in enumerate(field.players, 1)}
    rounds, names = _rounds(now) if now.round else {}, _names(now)
    shown: TournamentFields = {
        "tournament": tournament_listing(now),
        "version": now.version,
        "paused": now.paused,
        "standings": [_row(now, row, numbers, names) for row in rows[after : after + most]],
        "games": [_game(now, game, names) for game in now.games.values()] if whole else _games(now, names),
    }
    before = _places_before(now, field, ranked)
    for row in shown["standings"]:
        player = row["player"]["id"]
        if player in before:
            first, last = before[player]
            row["was"] = min(max(row["place"], first), last)
        signs = "".join(_sign(each, player) for each in rounds.get(player, []))
        if form := (signs if now.status == "running" else signs.replace(UNDER_WAY, ""))[-FORM:]:
            row["form"] = form
        if results:
            row["results"] = [_round(each, player, numbers) for each in rounds.get(player, [])]
    if pairs_at is not None:
        shown["pairs_at"] = timestamp(pairs_at)
    if now.acts:
        shown["acts"] = [_act(now, act, names) for act in now.acts if _is_known(now, act)]
    if len(rows) > after + most:
        shown["more"] = after + most
    return shown


def game_called(now: Tournament, game: Game, player: str) -> Mapping[str, object]:
    """The message that calls a player to a game."""
    return {
        "type": "tournament_game",
        "tournament": now.id,
        "name": now.terms.name,
        "game": parts_of(now.terms.game)[0],
        "round": game.round,
        "room": game.room,
        "seat": "first" if player == game.first else "second",
        "opponent": _player(now.entries[game.opponent(player)].player, _names(now)),
    }


def _games(now: Tournament, names: Mapping[str, str]) -> list[TournamentGame]:
    """The games to show: those of the last round by their boards, or of an arena or a ladder those under way and the
    last that are over. If they are too many, those under way come first."""
    if now.continuous:
        live = sorted((now.games[room] for room in now.live), key=lambda game: (game.at, game.room))
        over = sorted((game for game in now.games.values() if game.result is not None), key=lambda game: -game.ended)
        return [_game(now, game, names) for game in [*live, *over][:GAMES]]
    games = [game for game in now.games.values() if game.round == now.round]
    if len(games) > GAMES:
        chosen = {game.room for game in sorted(games, key=lambda game: game.result is not None)[:GAMES]}
    else:
        chosen = {game.room for game in games}
    return [{**_game(now, game, names), "board": board} for board, game in enumerate(games, 1) if game.room in chosen]


def _standings(which: str, field: Field, ranked: Ranked) -> list[Row]:
    """The standings of ``field``, computed if they are not those that are ``ranked`` already."""
    known = ranked.get(which)
    if known is None or known[0] != field:
        ranked[which] = known = field, standings(field)
    return known[1]


def _places_before(now: Tournament, field: Field, ranked: Ranked) -> dict[str, tuple[int, int]]:
    """The places before the last round that was paired, from the second on. Arenas and ladders have none.

    Whoever shared a place had them all, from the first to the last: to leave a tie for one of them is not to fall.
    """
    if now.continuous or now.round < 2:
        return {}
    games = [game for game in field.games if game.round < now.round]
    byes = [bye for bye in field.byes if bye[0] < now.round]
    rows = _standings("before", replace(field, games=games, byes=byes, rounds=now.round - 1), ranked)
    shared = Counter(row.place for row in rows)
    return {
        row.player: (row.place, row.place + shared[row.place] - 1)
        for row in rows
        if now.entries[row.player].since < now.round
    }


def _sign(each: Game | int, player: str) -> str:
    """A result in the form of a player."""
    if isinstance(each, int):
        return "+" if each == WIN else "h" if each == DRAW else "-"
    if each.result is None:
        return UNDER_WAY
    points = each.points(player)
    return ("0=1" if each.result.played else "-h+")[points]


def _is_known(now: Tournament, act: Act) -> bool:
    """False for an act on a game that a ladder has forgotten."""
    return not isinstance(act, Adjudicated) or act.room in now.games


def _act(now: Tournament, act: Act, names: Mapping[str, str]) -> OrganiserAct:
    at = timestamp(act.at)
    match act:
        case Paused():
            return {"act": "paused", "at": at}
        case Resumed():
            return {"act": "resumed", "at": at}
        case Finished():
            return {"act": "ended", "at": at}
        case Withdrawn():
            return {"act": "removed", "at": at, "player": _player(now.entries[act.player].player, names)}
        case Adjudicated():
            game = now.games[act.room]
            first, second = (_player(now.entries[player].player, names) for player in (game.first, game.second))
            points = [act.result.first / 2, act.result.second / 2]
            return {
                "act": "adjudicated",
                "at": at,
                "room": act.room,
                "first": first,
                "second": second,
                "points": points,
            }


def _names(now: Tournament) -> dict[str, str]:
    """The names of the entrants who share one, by id: all but the first of them have a number."""
    counts: Counter[str] = Counter()
    names = {}
    for player, entry in now.entries.items():
        name = entry.player.name
        counts[name] += 1
        if counts[name] > 1:
            names[player] = f"{name} ({counts[name]})"
    return names


def _player(player: Player, names: Mapping[str, str] = {}) -> PlayerInfo:
    shown: PlayerInfo = {"id": player.id, "name": names.get(player.id, player.name), "kind": player.kind}
    if player.registered:
        shown["registered"] = True
    return shown


def _row(now: Tournament, row: Row, numbers: Mapping[str, int], names: Mapping[str, str]) -> StandingRow:
    entry = now.entries[row.player]
    player: EntrantInfo = {**_player(entry.player, names)}  # type: ignore[typeddict-item]
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
    if row.rating is not None:
        shown["rating"], shown["deviation"] = round(row.rating), round(row.deviation)
        shown["provisional"] = not row.established
        shown["left_today"] = max(0, left_today(now, row.player, now.at))
        if (why := rests(now, row.player, now.at)) is not None:
            shown["rests"] = why
    if entry.withdrawn:
        shown["withdrawn"] = "left" if entry.withdrawn == row.player else "removed"
    return shown


def _game(now: Tournament, game: Game, names: Mapping[str, str]) -> TournamentGame:
    shown: TournamentGame = {
        "room": game.room,
        "round": game.round,
        "first": _player(now.entries[game.first].player, names),
        "second": _player(now.entries[game.second].player, names),
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
    """The rounds of each player; of an arena or a ladder, where they are nobody's own, the games alone."""
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
        "round": each.round,
        "opponent": numbers[each.opponent(player)],
        "side": "first" if player == each.first else "second",
        "points": None if each.result is None else each.points(player) / 2,
        "played": each.result is None or each.result.played,
        "room": each.room,
    }
