"""The protocol's own words, for clients that load nothing else of the server. Pure; imports nothing.

The rooms and the engine have the same words as types of their own; tests/protocol/test_words.py compares them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

PROTOCOL = 1
"""The version that a client names in ``hello``."""

Level = Literal["perfect", "best", "hard", "medium", "easy"]
"""The computer's levels, the strongest first. A game has either ``perfect`` or ``best``."""

LEVELS: tuple[Level, ...] = get_args(Level)

Method = Literal["minimax", "alphabeta", "ordered", "table"]
"""How a tree is searched."""

Pool = Literal["bullet", "blitz", "rapid", "classical"]
"""The kinds of clocks, each with ratings of its own."""

Unrated = Literal["same_address", "pair_limit"]
"""Why a game that was to be rated is not."""

RefusalCode = Literal[
    "unknown_game",
    "seat_taken",
    "not_seated",
    "not_your_turn",
    "illegal_move",
    "malformed_move",
    "stale",
    "game_over",
    "not_allowed",
]
"""Why a room refuses a command."""

ErrorCode = (
    RefusalCode
    | Literal[
        "bad_json",
        "bad_message",
        "unsupported_protocol",
        "not_identified",
        "bad_token",
        "bad_code",
        "banned",
        "name_taken",
        "unknown_player",
        "unknown_room",
        "unknown_seek",
        "rate_limited",
        "room_limit",
        "overloaded",
        "internal",
    ]
)
"""Why a request is refused."""


class Ending(NamedTuple):
    """How the end of a game is put in the terminal, by bots and in move lists. The page has texts of its own.

    ``how`` follows "won", "lost" or "drawn". ``winner`` or ``loser`` follows the name of that side, where it has done
    something. ``nobody`` is a sentence for a game that nobody has won. Each is empty where there is nothing to say.
    """

    how: str = ""
    winner: str = ""
    loser: str = ""
    nobody: str = ""


ENDINGS = {
    "line": Ending("by a line", winner="has a line"),
    "count": Ending("by count", winner="has more", nobody="Draw: both sides have the same number."),
    "draw": Ending(nobody="Draw."),
    "agreement": Ending("by agreement", nobody="Draw by agreement."),
    "resignation": Ending("by resignation", loser="resigned"),
    "time": Ending("on time", loser="ran out of time"),
    "abandonment": Ending(
        "by abandonment", loser="did not come back", nobody="Both players left, and the game was closed."
    ),
    "forfeit": Ending("by forfeit", loser="forfeited the game"),
    "aborted": Ending(nobody="The game was closed before it began."),
    "fault": Ending(nobody="The server has ended the game without a result, because the computer could not move."),
}
"""The reasons for which games end."""

BY_THE_BOARD = frozenset({"line", "count", "draw"})
"""Reasons that come from the board. The others come from players, the clock or a fault."""

WITHOUT_RESULT = frozenset({"aborted", "abandonment", "fault"})
"""Reasons for which a game without a winner has no result. One for any other reason is a draw."""


def ending(reason: str) -> Ending:
    """The ending for a reason, which may be one that only a newer server knows."""
    return ENDINGS.get(reason) or Ending(f"by {reason}", nobody=f"Draw ({reason}).")


TREE_CHARACTERS = 4000
"""How long the text of a tree of leaves may be."""

TREE_PLIES = 20
"""How deep a tree may be, from the root to a leaf."""
