"""The pairings of a Swiss tournament, by FIDE's Dutch system. Pure; does no I/O.

`py4swiss` has the rules (FIDE handbook, C.04.3, as in force until 31 January 2026). It is in the extra ``swiss``,
because not every platform has its compiled wheel; this module only tells it of the tournament. It takes seconds for a
thousand players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib.util import find_spec

from noughts.tournaments.ranking import Field, Rounds, rounds_of
from noughts.tournaments.rounds import Pairs
from noughts.tournaments.tournament import Game


def installed() -> bool:
    """True if Swiss tournaments can be paired here."""
    return find_spec("py4swiss") is not None


def swiss_pairs(field: Field, rounds: int) -> Pairs:
    """The pairs of the next round of ``rounds`` in all, the first side first; None for the one who has no opponent.

    Nobody meets an opponent twice, or has no opponent twice, unless FIDE's rules leave no other way; then those are
    paired again who have met least often.
    """
    from py4swiss.engines import DutchEngine  # noqa: PLC0415
    from py4swiss.engines.common import PairingError  # noqa: PLC0415
    from py4swiss.trf import ParsedTrf  # noqa: PLC0415
    from py4swiss.trf.codes import PlayerCode  # noqa: PLC0415
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult  # noqa: PLC0415
    from py4swiss.trf.sections import PlayerSection, XSection  # noqa: PLC0415

    numbers = {player: number for number, player in enumerate(field.players, 1)}
    results = rounds_of(field)

    def told(player: str, round_: Game | int) -> RoundResult:
        """A round of a player: a game, or the halves of a point that it got without one."""
        if isinstance(round_, int):
            token = (ResultToken.ZERO_POINT_BYE, ResultToken.HALF_POINT_BYE, ResultToken.PAIRING_ALLOCATED_BYE)[round_]
            return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=token)
        assert round_.result is not None
        points = round_.points(player)
        if round_.result.played:
            token = (ResultToken.LOSS, ResultToken.DRAW, ResultToken.WIN)[points]
        else:
            token = ResultToken.FORFEIT_WIN if points else ResultToken.FORFEIT_LOSS
        color = ColorToken.WHITE if player == round_.first else ColorToken.BLACK
        return RoundResult(id=numbers[round_.opponent(player)], color=color, result=token)

    sections = []
    for player, number in numbers.items():
        told_rounds = [told(player, round_) for round_ in results[player]]
        halves = sum(round_ if isinstance(round_, int) else round_.points(player) for round_ in results[player])
        section = PlayerSection(
            code=PlayerCode.PLAYER,
            starting_number=number,
            points_times_ten=5 * halves,
            rank=number,
            results=told_rounds,
        )
        sections.append(section)
    gone = {numbers[player] for player in field.withdrawn}
    trf = ParsedTrf(player_sections=sections, x_section=XSection(number_of_rounds=rounds, zeroed_ids=gone))
    try:
        found = DutchEngine.generate_pairings(trf)
    except PairingError:
        return _pairs_again(field, results)
    names = dict(enumerate(field.players, 1))
    return [(names[pair.white], names[pair.black] if pair.black else None) for pair in found]


def _pairs_again(field: Field, results: Mapping[str, Rounds]) -> Pairs:
    """Pairs for a round that FIDE's rules leave no pairs for, as too few players have met too often."""
    met: Counter[frozenset[str]] = Counter()
    firsts: Counter[str] = Counter()
    for game in field.games:
        met[frozenset((game.first, game.second))] += 1
        firsts[game.first] += 1
        firsts[game.second] -= 1
    points = {
        player: sum(each if isinstance(each, int) else each.points(player) for each in results[player])
        for player in field.players
    }
    free = sorted((player for player in field.players if player not in field.withdrawn), key=lambda one: -points[one])
    pairs: list[tuple[str, str | None]] = []
    if len(free) % 2:
        rested = Counter(player for _, player in field.byes)
        bye = min(reversed(free), key=lambda player: rested[player])
        free.remove(bye)
        pairs.append((bye, None))
    while free:
        one = free.pop(0)
        other = min(free, key=lambda other: met[frozenset((one, other))])
        free.remove(other)
        pairs.insert(0, (other, one) if firsts[one] > firsts[other] else (one, other))
    return pairs
