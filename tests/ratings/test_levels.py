"""The ratings of the computer's levels, as measured and as documented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.matches.tournament import ANCHOR_RATING, rate
from noughts.engine import LEVELS, levels_of
from noughts.games import GAMES
from noughts.league.ratings import Meeting
from noughts.ratings import is_measured, rating_of

DOCS = Path(__file__).parents[2] / "docs" / "ratings.md"

NAMES = {
    "tic-tac-toe": "tictactoe",
    "Connect Four": "connect4",
    "Reversi": "reversi",
    "Gomoku": "gomoku",
    "ultimate tic-tac-toe": "ultimate",
    "draughts": "draughts",
    "Kalah": "kalah",
    "Dots and Boxes": "dots",
    "Breakthrough": "breakthrough",
    "Nine Men's Morris": "morris",
    "chess": "chess",
    "Go, 9x9": "go",
    "Hex, 11x11": "hex",
}
"""The games as the docs call them."""

# Games won, drawn and lost of each two in the tournament of each game (bench/results.md).
TOURNAMENTS: dict[str, dict[tuple[str, str], tuple[int, int, int]]] = {
    "tictactoe": {
        ("perfect", "hard"): (172, 228, 0),
        ("perfect", "medium"): (61, 39, 0),
        ("perfect", "easy"): (85, 15, 0),
        ("perfect", "random"): (88, 12, 0),
        ("hard", "medium"): (207, 128, 65),
        ("hard", "easy"): (82, 11, 7),
        ("hard", "random"): (84, 15, 1),
        ("medium", "easy"): (265, 63, 72),
        ("medium", "random"): (77, 9, 14),
        ("easy", "random"): (191, 57, 152),
    },
    "connect4": {
        ("perfect", "hard"): (360, 6, 34),
        ("perfect", "medium"): (96, 1, 3),
        ("perfect", "easy"): (100, 0, 0),
        ("perfect", "random"): (99, 0, 1),
        ("hard", "medium"): (326, 24, 50),
        ("hard", "easy"): (98, 0, 2),
        ("hard", "random"): (100, 0, 0),
        ("medium", "easy"): (339, 1, 60),
        ("medium", "random"): (99, 0, 1),
        ("easy", "random"): (332, 1, 67),
    },
    "reversi": {
        ("best", "hard"): (77, 0, 3),
        ("best", "medium"): (20, 0, 0),
        ("best", "easy"): (20, 0, 0),
        ("best", "random"): (20, 0, 0),
        ("hard", "medium"): (76, 1, 3),
        ("hard", "easy"): (20, 0, 0),
        ("hard", "random"): (20, 0, 0),
        ("medium", "easy"): (73, 0, 7),
        ("medium", "random"): (20, 0, 0),
        ("easy", "random"): (67, 0, 13),
    },
    "gomoku": {
        ("best", "hard"): (71, 0, 25),
        ("best", "medium"): (24, 0, 0),
        ("best", "easy"): (24, 0, 0),
        ("best", "random"): (24, 0, 0),
        ("hard", "medium"): (86, 0, 10),
        ("hard", "easy"): (24, 0, 0),
        ("hard", "random"): (24, 0, 0),
        ("medium", "easy"): (93, 0, 3),
        ("medium", "random"): (24, 0, 0),
        ("easy", "random"): (96, 0, 0),
    },
    "ultimate": {
        ("best", "hard"): (184, 16, 0),
        ("best", "medium"): (48, 2, 0),
        ("best", "easy"): (50, 0, 0),
        ("best", "random"): (50, 0, 0),
        ("hard", "medium"): (157, 30, 13),
        ("hard", "easy"): (50, 0, 0),
        ("hard", "random"): (50, 0, 0),
        ("medium", "easy"): (175, 15, 10),
        ("medium", "random"): (50, 0, 0),
        ("easy", "random"): (170, 10, 20),
    },
    "draughts": {
        ("best", "hard"): (37, 6, 5),
        ("best", "medium"): (12, 0, 0),
        ("best", "easy"): (12, 0, 0),
        ("best", "random"): (12, 0, 0),
        ("hard", "medium"): (42, 1, 5),
        ("hard", "easy"): (11, 1, 0),
        ("hard", "random"): (12, 0, 0),
        ("medium", "easy"): (40, 2, 6),
        ("medium", "random"): (12, 0, 0),
        ("easy", "random"): (48, 0, 0),
    },
    "kalah": {
        ("best", "hard"): (64, 1, 15),
        ("best", "medium"): (19, 1, 0),
        ("best", "easy"): (19, 0, 1),
        ("best", "random"): (20, 0, 0),
        ("hard", "medium"): (67, 4, 9),
        ("hard", "easy"): (18, 0, 2),
        ("hard", "random"): (20, 0, 0),
        ("medium", "easy"): (58, 3, 19),
        ("medium", "random"): (20, 0, 0),
        ("easy", "random"): (67, 2, 11),
    },
    "dots": {
        ("best", "hard"): (72, 0, 24),
        ("best", "medium"): (20, 0, 4),
        ("best", "easy"): (24, 0, 0),
        ("best", "random"): (24, 0, 0),
        ("hard", "medium"): (82, 0, 14),
        ("hard", "easy"): (21, 0, 3),
        ("hard", "random"): (24, 0, 0),
        ("medium", "easy"): (80, 0, 16),
        ("medium", "random"): (24, 0, 0),
        ("easy", "random"): (90, 0, 6),
    },
    "breakthrough": {
        ("best", "hard"): (35, 0, 13),
        ("best", "medium"): (12, 0, 0),
        ("best", "easy"): (12, 0, 0),
        ("best", "random"): (12, 0, 0),
        ("hard", "medium"): (45, 0, 3),
        ("hard", "easy"): (12, 0, 0),
        ("hard", "random"): (12, 0, 0),
        ("medium", "easy"): (45, 0, 3),
        ("medium", "random"): (12, 0, 0),
        ("easy", "random"): (48, 0, 0),
    },
    "morris": {
        ("best", "hard"): (26, 15, 7),
        ("best", "medium"): (11, 0, 1),
        ("best", "easy"): (12, 0, 0),
        ("best", "random"): (12, 0, 0),
        ("hard", "medium"): (41, 6, 1),
        ("hard", "easy"): (12, 0, 0),
        ("hard", "random"): (12, 0, 0),
        ("medium", "easy"): (47, 0, 1),
        ("medium", "random"): (12, 0, 0),
        ("easy", "random"): (48, 0, 0),
    },
    "chess": {
        ("best", "hard"): (48, 0, 0),
        ("best", "medium"): (12, 0, 0),
        ("best", "easy"): (12, 0, 0),
        ("best", "random"): (12, 0, 0),
        ("hard", "medium"): (45, 2, 1),
        ("hard", "easy"): (12, 0, 0),
        ("hard", "random"): (12, 0, 0),
        ("medium", "easy"): (48, 0, 0),
        ("medium", "random"): (12, 0, 0),
        ("easy", "random"): (48, 0, 0),
    },
    "go": {
        ("best", "hard"): (39, 0, 9),
        ("best", "medium"): (12, 0, 0),
        ("best", "easy"): (12, 0, 0),
        ("best", "random"): (12, 0, 0),
        ("hard", "medium"): (42, 0, 6),
        ("hard", "easy"): (12, 0, 0),
        ("hard", "random"): (12, 0, 0),
        ("medium", "easy"): (46, 0, 2),
        ("medium", "random"): (12, 0, 0),
        ("easy", "random"): (48, 0, 0),
    },
    "hex": {
        ("best", "hard"): (40, 0, 8),
        ("best", "medium"): (11, 0, 1),
        ("best", "easy"): (12, 0, 0),
        ("best", "random"): (12, 0, 0),
        ("hard", "medium"): (44, 0, 4),
        ("hard", "easy"): (12, 0, 0),
        ("hard", "random"): (12, 0, 0),
        ("medium", "easy"): (47, 0, 1),
        ("medium", "random"): (12, 0, 0),
        ("easy", "random"): (48, 0, 0),
    },
}


@pytest.mark.parametrize("game", TOURNAMENTS)
def test_levels_have_the_ratings_of_their_tournament(game: str) -> None:
    levels = levels_of(GAMES[game])
    meetings = [
        Meeting(*two, points, 1)
        for two, results in TOURNAMENTS[game].items()
        for points, count in zip((1, 0.5, 0), results, strict=True)
        for _ in range(count)
    ]
    found = rate([*levels, "random"], meetings)
    for level in levels:
        assert rating_of(game, level).rating == round((ANCHOR_RATING + found[level].elo) / 10) * 10


@pytest.mark.parametrize("game", [key for key in TOURNAMENTS if (rule := GAMES[key].heuristic) and rule.slip])
def test_easy_beats_random_moves_clearly_where_its_lapses_are_limited(game: str) -> None:
    won, drawn, lost = TOURNAMENTS[game]["easy", "random"]
    assert won + drawn / 2 >= 0.8 * (won + drawn + lost)


def test_a_game_whose_levels_have_not_met_in_a_tournament_says_that_its_ratings_are_a_guess() -> None:
    assert {*TOURNAMENTS} == {key for key in GAMES if is_measured(key)}


def test_the_docs_have_the_same_ratings() -> None:
    rows = {
        match[1]: [int(cell) for cell in match[2].split("|")]
        for match in re.finditer(r"^\| ([^|`]+?) \| ([\d |]+) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert rows == {
        name: [rating_of(key, level).rating for level in reversed(levels_of(GAMES[key]))] for name, key in NAMES.items()
    }


@pytest.mark.parametrize("game", [*GAMES, "another"])
def test_stronger_levels_have_higher_ratings(game: str) -> None:
    levels = levels_of(GAMES[game]) if game in GAMES else ("best", "hard", "medium", "easy")
    points = [rating_of(game, level).rating for level in levels]
    assert points == sorted(points, reverse=True)
    assert len(set(points)) == len(levels) == len(LEVELS) - 1
    assert rating_of(game, "medium").rating == 1500
