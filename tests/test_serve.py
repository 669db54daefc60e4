"""What a server says of itself, where that takes no server."""

import pytest

from noughts.serve import searched_slowly

ADVICE = "searched slowly, without the fast kernels: pip install 'noughts[fast]'"


@pytest.mark.parametrize(
    ("titles", "said"),
    [
        (["Reversi"], f"Reversi is {ADVICE}"),
        (["Reversi", "Gomoku"], f"Reversi and Gomoku are {ADVICE}"),
        (["Connect Four", "Reversi", "Gomoku"], f"Connect Four, Reversi and Gomoku are {ADVICE}"),
    ],
)
def test_games_without_their_kernels_are_told_however_many(titles: list[str], said: str) -> None:
    assert searched_slowly(titles) == said
