"""The protocol's own words, for clients that load nothing else of the server. Pure; loads nothing of the server.

The rooms and the engine have the same words as types of their own; tests/protocol/test_words.py compares them.

Whatever is named by a code stands in one table here. ``welcome`` sends ``WORDS``, the tables that clients show, so the
page, the terminal, bots, move lists and reports put a thing in the same way, and a client shows a code that is newer
than itself. A game that ends in a way of its own, such as checkmate, takes two lines: the reason in
:class:`noughts.games.Reason`, and in ``REASONS`` here ``"checkmate": ("the king cannot escape", {"how": "by checkmate",
"board": True})``. The tables of docs/protocol.md follow by ``scripts/generate.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, NotRequired, get_args

from typing_extensions import TypedDict

PROTOCOL = 1
"""The version that a client names in ``hello``."""

Level = Literal["perfect", "best", "hard", "medium", "easy"]
"""The computer's levels, the strongest first. A game has either ``perfect`` or ``best``."""

LEVELS: tuple[Level, ...] = get_args(Level)

Method = Literal["minimax", "alphabeta", "ordered", "table"]
"""The method of searching a tree."""

Pool = Literal["bullet", "blitz", "rapid", "classical"]
"""The kinds of clocks, each with ratings of its own."""

DAY_S, MOST_DAYS = 86_400, 14
"""A clock with at least a day for each move is one of days, in seconds, and the most days that it can have."""

Unrated = Literal["same_address", "pair_limit"]
"""The reason why a game that was to be rated is not."""

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
"""The reason why a room refuses a command."""

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
        "not_invited",
        "name_taken",
        "unknown_player",
        "unknown_room",
        "unknown_seek",
        "unknown_tournament",
        "unknown_class",
        "unknown_puzzle",
        "rate_limited",
        "room_limit",
        "overloaded",
        "internal",
    ]
)
"""The reason why a request is refused."""


class Meaning(NamedTuple):
    """The meaning of a code: when a client gets it and what it should do then, in Markdown. ``retry``: it may succeed
    by itself later."""

    when: str
    advice: str
    retry: bool = False


ERRORS: dict[ErrorCode, Meaning] = {
    "bad_json": Meaning(
        "not JSON; it contains `NaN` or a lone surrogate; it is nested more than 200 deep",
        "fix the client",
    ),
    "bad_message": Meaning(
        "JSON, but not a request: an unknown type or field, a missing field, or a value that is not allowed",
        "fix the client",
    ),
    "unsupported_protocol": Meaning(
        "`hello` for a protocol version that the server does not speak",
        "use a client for the version that `message` names",
    ),
    "not_identified": Meaning(
        "a request before `hello`",
        "say `hello` first",
    ),
    "bad_code": Meaning(
        "`redeem` or `enter` with a code that is not valid: mistyped, used, replaced or too old",
        "ask for a new code",
    ),
    "bad_token": Meaning(
        "`hello` with an unknown token; without an `id`: the token was signed out, renewed or revoked, and the "
        "connection is closed with 1008",
        "say `hello` with the new token, or without one as a new player",
    ),
    "banned": Meaning(
        "the player is banned; without an `id`, since just now, and the connection is closed with 1008",
        "do not reconnect before the time in `message`, if there is one",
    ),
    "not_invited": Meaning(
        "the server is for registered or invited players, and the player is neither; `registration` and `may` in "
        "`welcome` said so",
        "`enter` by an invitation, or say `hello` with the token of a player who may",
    ),
    "name_taken": Meaning(
        "a name that is registered to somebody else, is the computer's or reserved, or looks like one of these; "
        "or a name of a class that somebody has taken",
        "choose another name, or send the token of the player who registered it",
    ),
    "unknown_player": Meaning(
        "no player has that id or registered name; the computer's levels are only on the `leaderboard`",
        "check the id or name",
    ),
    "unknown_game": Meaning(
        "the server has no such game",
        "choose one of the `games` in `welcome`",
    ),
    "unknown_room": Meaning(
        "there is no such room",
        "check the id",
    ),
    "unknown_seek": Meaning(
        "there is no such open seek: it was taken or has ended",
        "choose another one from the lobby",
    ),
    "unknown_tournament": Meaning(
        "there is no such tournament",
        "check the id",
    ),
    "unknown_class": Meaning(
        "there is no such class, or no such name in it",
        "check the id and the name",
    ),
    "unknown_puzzle": Meaning(
        "there is no such puzzle, or no such set of puzzles",
        "check the id",
    ),
    "seat_taken": Meaning(
        "no seat is open, or not the one you asked for; also for `invite`",
        "`watch` the room, or join another",
    ),
    "not_seated": Meaning(
        "you have no seat in the room",
        "`join` it, if a seat is open",
    ),
    "not_your_turn": Meaning(
        "the other side is to move",
        "wait until `to_move` is your side",
    ),
    "malformed_move": Meaning(
        "the game has no move of that name; in the answer to `play`, `legal_moves` has those that can be played now",
        "choose one of `legal_moves`",
    ),
    "illegal_move": Meaning(
        "the move cannot be played then, as the game explains in `message`; `legal_moves` as above",
        "choose one of `legal_moves`",
    ),
    "stale": Meaning(
        "the move answers an earlier or later turn than the current one; the ply to analyse has not been played yet",
        "choose again from the newest state",
    ),
    "game_over": Meaning(
        "the game is over, also for `join` and `invite`; or your time is up and the game is about to end",
        "wait for the `update`, or open a new room",
    ),
    "not_allowed": Meaning(
        "not possible here or now; `message` says why",
        "depends on `message`",
    ),
    "rate_limited": Meaning(
        "more than a limit allows you or your address; a request for a page while you have much unread; or the "
        "computer is too busy to analyse",
        "wait `retry_after_s` seconds",
        retry=True,
    ),
    "room_limit": Meaning(
        "too many rooms that are not over, yours or of your address; too many in which only computers play; or the "
        "connection watches too many; too many tournaments or classes; also for `seek` and a "
        "rematch, which open a room in the end",
        "finish, abort or `leave` some rooms",
    ),
    "overloaded": Meaning(
        "storing the request failed or took too long, or the server has too much to do; the outcome is unknown, and "
        "the connection is closed with 1013",
        "reconnect later, and `watch` the room or repeat the request if it is safe to repeat",
        retry=True,
    ),
    "internal": Meaning(
        "a mistake of the server, or a room that was written by a newer server",
        "tell the operator; it may work later, but probably will not",
        retry=True,
    ),
}
"""Every code of an error. A refused request has changed nothing, except that after ``overloaded`` the outcome is
unknown. The messages stand with what raises them.
"""

CLOSES: dict[int, Meaning] = {
    1002: Meaning(
        "you sent an invalid WebSocket frame",
        "fix the client",
    ),
    1003: Meaning(
        "you sent a binary message",
        "fix the client",
    ),
    1007: Meaning(
        "you sent text that is not UTF-8",
        "fix the client",
    ),
    1008: Meaning(
        "you did not say hello in time, or sent far too many messages or frames; or your token is no longer "
        "valid or you are banned, as an error before it says",
        "do not reconnect in the same way",
    ),
    1009: Meaning(
        "you sent a message that is too long, or in thousands of fragments",
        "fix the client",
    ),
    1011: Meaning(
        "the server made a mistake, or your end did not answer a WebSocket ping within 20 seconds",
        "reconnect",
        retry=True,
    ),
    1012: Meaning(
        "the server restarts, or this node of several stops",
        "reconnect",
        retry=True,
    ),
    1013: Meaning(
        "the server is overloaded, or cannot show a room that you watch",
        "reconnect",
        retry=True,
    ),
    1006: Meaning(
        "there was no close frame: the network failed, the server was killed, or you read too slowly",
        "reconnect",
        retry=True,
    ),
}
"""Every code with which a WebSocket may close."""


class Ending(TypedDict, total=False):
    """The words for the end of a game. A reason without a field has nothing to say there.

    ``how`` follows "won", "lost" or "Draw". ``lines`` says what the winner had, by the number of cells that decided the
    game, where these are known; ``boards`` says it for a game of boards within the board (``block``). ``closed`` is a
    sentence for a game that nobody has won and that therefore has no result; where there is none, a game without a
    winner is a draw. ``board``: the board decided the game, and not the players, the clock or a fault.
    """

    how: str
    lines: dict[str, str]
    boards: str
    closed: str
    board: bool


REASONS: dict[str, tuple[str, Ending]] = {
    "line": (
        "a line on the board, whose cells are in `cells`",
        # Five cells may be five in a row, or two rows of three.
        {
            "how": "by a full row",
            "lines": {"3": "three in a row", "4": "four in a row"},
            "boards": "three boards in a row",
            "board": True,
        },
    ),
    "count": ("one side has more on the board, as in Reversi", {"how": "by count", "board": True}),
    "draw": ("a draw on the board, or one that was claimed from a player who had left", {"board": True}),
    "agreement": ("both players agreed on a draw", {"how": "by agreement"}),
    "resignation": ("a player resigned", {"how": "by resignation"}),
    "time": ("a player's time ran out", {"how": "on time"}),
    "abandonment": (
        "the winner claimed the game of a player who had left; without a winner, nobody came back to the game",
        {"how": "by abandonment", "closed": "Both players left, and the game was closed."},
    ),
    "adjudication": ("the operator decided the game", {"how": "by adjudication"}),
    "forfeit": ("a player of a league failed; a server gives no such reason itself", {"how": "by forfeit"}),
    "aborted": (
        "the game had not begun: somebody closed the room, it did not fill within an hour, or a first move did not "
        "come in time",
        {"closed": "The game was closed before it began."},
    ),
    "fault": (
        "the server ended the game without a result, because the computer could not move: five searches in a row "
        "failed, or the game refused the move. `side` of the event is the computer's",
        {"closed": "The game was closed without a result, because the computer could not move."},
    ),
    "unfinished": (
        "the file of another program has no result for the game; a server gives no such reason itself",
        {"closed": "The file has no result for this game."},
    ),
    "rules": (
        "the rules of the game have changed since a move that they no longer allow, and a player, the operator or the "
        "clock closed the game",
        {"closed": "The game was closed without a result, because its rules have changed."},
    ),
}
"""Every reason for which a game may end: when it does, in Markdown, and how that is put."""

ENDINGS = {reason: put for reason, (_, put) in REASONS.items()}
"""By each reason, how it is put."""

UNRATED: dict[str, str] = {
    "same_address": "This game is not rated: its players share a public address.",
    "pair_limit": (
        "This game is not rated: its players have had enough rated games with each other in the last 24 hours."
    ),
}
"""By each reason for which a game is not rated although it was to be, a sentence that says so."""

RULES_CHANGED = (
    "The rules have changed since this game began. The board shows it up to the first move that they no longer allow, "
    "and nobody can play on."
)
"""The sentence for a room with ``rules_changed``."""

ReviewMark = Literal[
    "kept",
    "faster_win_missed",
    "larger_win_missed",
    "win_thrown_away",
    "draw_thrown_away",
    "probable_mistake",
    "no_mistake_seen",
]
"""The mark of a move. ``probable_mistake`` rests on estimates; ``no_mistake_seen`` says that nothing is proved."""

MARKS: dict[str, str] = {
    "kept": "result kept",
    "faster_win_missed": "faster win missed",
    "larger_win_missed": "larger win missed",
    "win_thrown_away": "win thrown away",
    "draw_thrown_away": "draw thrown away",
    "probable_mistake": "probably a mistake",
    "no_mistake_seen": "no mistake seen",
}
"""By each mark that a review gives a move, what the move did."""


class Words(TypedDict):
    """The words in which a server puts what it names by a code, by these codes.

    ``endings``: the ``reason`` of an outcome. ``unrated``: ``unrated_because``. ``marks``: the ``mark`` of a move.
    ``rules_changed``: a sentence for a room whose state has that field.
    """

    endings: dict[str, Ending]
    unrated: dict[str, str]
    marks: dict[str, str]
    rules_changed: NotRequired[str]


WORDS: Words = {"endings": ENDINGS, "unrated": UNRATED, "marks": MARKS, "rules_changed": RULES_CHANGED}
"""The words in ``welcome``, and of a client whose server does not say them."""


def ending(reason: str, words: Words = WORDS) -> Ending:
    """The ending for a reason, which may be one that only a newer server knows."""
    return words["endings"].get(reason) or {"how": f"by {reason}"}


def has_result(winner: str | None, reason: str, words: Words = WORDS) -> bool:
    """True if somebody has won, or the game is a draw; otherwise it was closed."""
    return winner is not None or "closed" not in ending(reason, words)


def how_ended(
    reason: str,
    cells: Sequence[str],
    *,
    lost: bool,
    words: Words = WORDS,
    boards: bool = False,
    score: Sequence[int] | None = None,
) -> str:
    """The words after "won", "lost" or "Draw": ``with four in a row``, ``to four in a row``, ``51 to 13``, or none.

    ``boards``: the game is one of boards within the board. ``score`` is what the sides have, if the game counts it.
    """
    put = ending(reason, words)
    row = put.get("boards") if boards else put.get("lines", {}).get(str(len(cells)))
    if row:
        return f"{'to' if lost else 'with'} {row}"
    if reason == "count" and score:
        return " to ".join(map(str, sorted(score, reverse=not lost)))
    return put.get("how", "")


def ended(
    who_won: str | None,
    reason: str,
    words: Words = WORDS,
    *,
    lost: bool = False,
    cells: Sequence[str] = (),
    lead: float | None = None,
    boards: bool = False,
    score: Sequence[int] | None = None,
) -> str:
    """The end of a game, in a sentence. ``who_won`` is such as "Ann won", None if nobody has won.

    ``lost``: it is such as "You lost". ``cells`` decided the game; ``lead`` are the points by which the winner has won,
    where the game tells them. ``boards`` and ``score`` are as for :func:`how_ended`.
    """
    put = ending(reason, words)
    if who_won is None and "closed" in put:
        return put["closed"]
    how = how_ended(reason, cells, lost=lost, words=words, boards=boards, score=score)
    told = f"by {lead:g} point{'' if lead == 1 else 's'}" if lead else how
    return f"{' '.join(filter(None, (who_won or 'Draw', told)))}."


TREE_CHARACTERS = 4000
"""The greatest length of the text of a tree of leaves."""

TREE_PLIES = 20
"""The greatest depth of a tree, from the root to a leaf."""

TRACED_PLAYOUTS = 200
"""The number of playouts that a lecture can show at most."""
