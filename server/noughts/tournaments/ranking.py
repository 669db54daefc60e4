"""The standings of a tournament, with the tie-breaks of the field, and its cross table. Pure; does no I/O.

The tie-breaks are those of FIDE's handbook, C.07, in the version of 2024; articles are its. Sums of points are kept in
whole numbers, halves or quarters of a point, until they are shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from noughts.glicko2 import provisional
from noughts.tournaments.events import DRAW, WIN, Format
from noughts.tournaments.tournament import UNRATED, Game, Tally, Tournament
from noughts.value import value

PERFORMANCE = (
    *(0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166, 175, 184, 193),
    *(202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401, 422, 444, 470, 501, 538),
    *(589, 677, 800),
)
"""The difference in rating that goes with a score of 50 to 100 %, by the hundredth: FIDE's handbook, B.02, table
8.1.1. Below one half it is the same with the sign changed."""

ORDERS: dict[Format, tuple[str, ...]] = {
    "swiss": ("points", "buchholz", "sonneborn_berger", "direct_encounter", "wins"),
    "round_robin": ("points", "direct_encounter", "sonneborn_berger", "wins"),
    "gauntlet": ("share", "direct_encounter", "sonneborn_berger", "wins"),
    "arena": ("points", "performance"),
    "ladder": ("established", "rating"),
}
"""The criteria that decide the places, one after the other, by format."""

Rounds = Sequence[Game | int]
"""The rounds of a player: in each a game, or the halves of a point that it got without one."""


@dataclass(frozen=True)
class Field:
    """Entrants and what they have played. ``players`` are in the order of their pairing numbers.

    ``rounds``: how many have been paired. ``byes`` are rounds with those who got a point without a game in them;
    ``since`` has the first rounds of those who came late. ``annulled`` players have played less than half of a round
    robin before they withdrew, so that their games do not count. ``tallies`` are an arena's or a ladder's.
    """

    format: Format
    players: Sequence[str]
    games: Sequence[Game]
    rounds: int = 0
    byes: Sequence[tuple[int, str]] = ()
    since: Mapping[str, int] | None = None
    withdrawn: frozenset[str] = frozenset()
    annulled: frozenset[str] = frozenset()
    ratings: Mapping[str, int] | None = None
    tallies: Mapping[str, Tally] | None = None


@value
class Score:
    """Games won, drawn and lost; byes are none."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        """The number of games that count."""
        return self.won + self.drawn + self.lost

    @property
    def points(self) -> float:
        """1 for each win, 1/2 for each draw."""
        return self.won + self.drawn / 2


@value
class Row:
    """A player in the standings. ``place`` counts from 1; those who cannot be told apart share one.

    ``points`` and the tie-breaks are in points, as they are shown. A tie-break that does not decide in this format is
    None, and so is a direct encounter of players who are not tied or have not all met. ``performance`` is None before
    the first game. ``rating`` and its ``deviation`` are those on a ladder, where those with a certain rating, who are
    ``established``, come first.
    """

    place: int
    player: str
    points: float
    score: Score
    buchholz: float | None = None
    sonneborn_berger: float | None = None
    direct_encounter: float | None = None
    wins: int = 0
    performance: int | None = None
    rating: float | None = None
    deviation: float = 0.0

    @property
    def share(self) -> float:
        """The share of the points that the player could have got, and less than nothing before the first game.

        The opponents of a gauntlet play more games than the others.
        """
        return self.points / self.score.games if self.score.games else -1

    @property
    def established(self) -> bool:
        """True on a ladder if the rating is not provisional."""
        return self.rating is not None and not provisional(self.deviation)


def field_of(now: Tournament) -> Field:
    """A tournament as its standings see it."""
    withdrawn = frozenset(player for player, entry in now.entries.items() if entry.withdrawn)
    players, games = now.order or tuple(now.entries), tuple(now.games.values())
    annulled = frozenset[str]()
    if now.terms.format == "round_robin":
        half = now.terms.rounds * (len(players) - 1) / 2
        annulled = frozenset(player for player in withdrawn if _played(player, games) < half)
    return Field(
        now.terms.format,
        players,
        games,
        now.round,
        now.byes,
        {player: entry.since for player, entry in now.entries.items() if entry.since > 1},
        withdrawn,
        annulled,
        {player: entry.player.rating for player, entry in now.entries.items() if entry.player.rating is not None},
        now.tallies,
    )


def _played(player: str, games: Iterable[Game]) -> int:
    """The number of games that a player has really played."""
    return sum(
        1 for game in games if player in (game.first, game.second) and game.result is not None and game.result.played
    )


def counting(field: Field) -> list[Game]:
    """The games that count: those with a result, but for players who are annulled."""
    return [game for game in field.games if game.result is not None and not field.annulled & {game.first, game.second}]


def rounds_of(field: Field) -> dict[str, list[Game | int]]:
    """The rounds of each player that were paired: see :data:`Rounds`.

    Whoever came late gets half a point for the last of the rounds before, and nothing for the others.
    """
    since = field.since or {}
    found: dict[str, list[Game | int]] = {
        player: [DRAW if number + 2 == since.get(player, 1) else 0 for number in range(field.rounds)]
        for player in field.players
    }
    for number, player in field.byes:
        found[player][number - 1] = WIN
    for game in field.games:
        for player in (game.first, game.second):
            found[player][game.round - 1] = game
    return found


def crosstable(games: Iterable[Game]) -> dict[tuple[str, str], Score]:
    """The score of each player against each opponent whom it has met, by both ids."""
    counts: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for game in games:
        if game.result is not None:
            for player in (game.first, game.second):
                counts[player, game.opponent(player)][WIN - game.points(player)] += 1
    return {pair: Score(*count) for pair, count in counts.items()}


def scores(players: Iterable[str], games: Iterable[Game]) -> dict[str, Score]:
    """The score of each of ``players`` in ``games``, of which those without a result do not count."""
    of_player = _by_player(games)
    return {player: _score(player, of_player[player]) for player in players}


def standings(field: Field) -> list[Row]:
    """The players, the best first; those who are annulled come last."""
    if field.format in ("arena", "ladder"):
        return _continuous_standings(field)
    of_player = _by_player(counting(field))
    scored = {player: _score(player, of_player[player]) for player in field.players}
    halves = {player: 2 * score.won + score.drawn for player, score in scored.items()}
    if field.format == "swiss":
        rounds = rounds_of(field)
        for player in field.players:
            halves[player] += sum(each for each in rounds[player] if isinstance(each, int))
        buchholz, sonneborn = _swiss_sums(field, rounds, halves)
    else:
        buchholz, sonneborn = {}, _sonneborn_berger(of_player, halves)
    rows = {
        player: Row(
            0,
            player,
            halves[player] / 2,
            scored[player],
            buchholz[player] / 2 if player in buchholz else None,
            sonneborn[player] / 4 if player in sonneborn else None,
            wins=sum(1 for game in of_player[player] if game.result and game.result.played and _won(game, player)),
            performance=performance(player, of_player[player], field.ratings or {}),
        )
        for player in field.players
    }
    groups = _by(field.players, lambda player: player not in field.annulled)
    groups = _split(groups, ORDERS[field.format], rows, of_player)
    return _placed(groups, rows)


def _placed(groups: Iterable[Sequence[str]], rows: Mapping[str, Row]) -> list[Row]:
    """The rows with their places, by groups of players who share one."""
    placed: list[Row] = []
    for group in groups:
        place = len(placed) + 1
        for player in group:
            row = rows[player]
            row.place = place  # type: ignore[misc]  # while it is being built
            placed.append(row)
    return placed


def _continuous_standings(field: Field) -> list[Row]:
    """The standings of an arena or a ladder from its tallies alone: it may have any number of games."""
    rows, ladder = {}, field.format == "ladder"
    for player in field.players:
        tally = (field.tallies or {}).get(player, Tally())
        score, reached = Score(tally.won, tally.drawn, tally.lost), None
        if tally.played and not ladder:
            reached = _performance(tally.against / tally.played, tally.halves, tally.played)
        rows[player] = row = Row(0, player, tally.points, score, wins=tally.wins, performance=reached)
        if ladder:
            row.points = tally.points / 2  # type: ignore[misc]  # while it is being built
            row.rating, row.deviation = tally.rating.rating, tally.rating.deviation  # type: ignore[misc]
    return _placed(_split([list(field.players)], ORDERS[field.format], rows, {}), rows)


def performance(player: str, games: Iterable[Game], ratings: Mapping[str, int]) -> int | None:
    """The rating with which a player would have been expected to score as it did, by FIDE's handbook, B.02, 1.4.8:
    the mean of the opponents' and the difference that goes with the score. Only games that were played count."""
    played = [game for game in games if game.result is not None and game.result.played]
    if not played:
        return None
    mean = sum(ratings.get(game.opponent(player), UNRATED) for game in played) / len(played)
    return _performance(mean, sum(game.points(player) for game in played), len(played))


def _performance(mean: float, halves: int, games: int) -> int:
    hundredth = int(50 * halves / games + 0.5)
    return round(mean + (PERFORMANCE[hundredth - 50] if hundredth >= 50 else -PERFORMANCE[50 - hundredth]))


def _by_player(games: Iterable[Game]) -> defaultdict[str, list[Game]]:
    """The games with a result of each player."""
    found: defaultdict[str, list[Game]] = defaultdict(list)
    for game in games:
        if game.result is not None:
            found[game.first].append(game)
            found[game.second].append(game)
    return found


def _won(game: Game, player: str) -> bool:
    return game.points(player) == WIN


def _score(player: str, games: Iterable[Game]) -> Score:
    counts = [0, 0, 0]
    for game in games:
        counts[WIN - game.points(player)] += 1
    return Score(*counts)


def _sonneborn_berger(of_player: Mapping[str, Sequence[Game]], halves: Mapping[str, int]) -> dict[str, int]:
    """Article 9.1, in quarters: the points of each opponent, times those that were won from it."""
    return {
        player: sum(game.points(player) * halves[game.opponent(player)] for game in games)
        for player, games in of_player.items()
    }


def _swiss_sums(
    field: Field, rounds: Mapping[str, Rounds], halves: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """Buchholz, in halves, and Sonneborn-Berger, in quarters, of all players of Swiss: articles 8.1, 9.1 and 16.

    A round that a player did not play counts as if against an opponent with as many points as itself (16.4). For its
    opponents, the rounds that a player missed at the end, of its own will, count as draws (16.3).
    """
    adjusted = {player: halves[player] + _missed(rounds[player], player) for player in field.players}
    buchholz, sonneborn = {}, {}
    for player in field.players:
        sums = products = 0
        for each in rounds[player]:
            if isinstance(each, int):
                points, opponents = each, halves[player]
            elif each.result is None:
                continue
            else:
                points = each.points(player)
                opponents = adjusted[each.opponent(player)] if each.result.played else halves[player]
            sums += opponents
            products += points * opponents
        buchholz[player], sonneborn[player] = sums, products
    return buchholz, sonneborn


def _missed(rounds: Rounds, player: str) -> int:
    """The halves of a point that are added for the rounds which a player missed at the end."""
    missed = 0
    for each in reversed(rounds):
        stayed_away = each != WIN if isinstance(each, int) else each.result is not None and not each.result.played
        got = each if isinstance(each, int) else 0 if each.result is None else each.points(player)
        if not stayed_away or got == WIN:
            break
        missed += DRAW - got
    return missed


def _split(
    groups: list[list[str]], order: Sequence[str], rows: Mapping[str, Row], of_player: Mapping[str, Sequence[Game]]
) -> list[list[str]]:
    """Groups of tied players, the best first, apart by the criteria of ``order``, one after the other."""
    for criterion in order:
        apart: list[list[str]] = []
        for group in groups:
            if criterion == "direct_encounter":
                _meet(group, rows, of_player)
            apart += _by(group, lambda player: getattr(rows[player], criterion) or 0)  # noqa: B023
        groups = apart
    return groups


def _by(group: Sequence[str], key: Callable[[str], float]) -> list[list[str]]:
    found: dict[float, list[str]] = {}
    for player in group:
        found.setdefault(key(player), []).append(player)
    return [found[each] for each in sorted(found, reverse=True)]


def _meet(group: Sequence[str], rows: Mapping[str, Row], of_player: Mapping[str, Sequence[Game]]) -> None:
    """Note the points that tied players got from each other, if all of them have met: article 6."""
    if not 1 < len(group) <= _most_tied(group, of_player):
        return
    tied = set(group)
    among = {player: [game for game in of_player[player] if game.opponent(player) in tied] for player in group}
    if all(len({game.opponent(player) for game in games}) == len(group) - 1 for player, games in among.items()):
        for player, games in among.items():
            rows[player].direct_encounter = sum(game.points(player) for game in games) / 2  # type: ignore[misc]


def _most_tied(group: Sequence[str], of_player: Mapping[str, Sequence[Game]]) -> int:
    """No more than so many players can all have met."""
    return min(len(of_player[player]) for player in group) + 1
