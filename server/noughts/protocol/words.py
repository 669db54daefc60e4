"""The protocol's own words, for clients that load nothing else of the server. Pure; imports nothing.

The rooms and the engine have the same words as types of their own; tests/protocol/test_words.py compares them.
"""

from __future__ import annotations

from typing import Literal, get_args

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

TREE_CHARACTERS = 4000
"""How long the text of a tree of leaves may be."""

TREE_PLIES = 20
"""How deep a tree may be, from the root to a leaf."""
