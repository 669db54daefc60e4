"""A review as text: each move with its mark, the better lines, and what decided the game. Pure; does no I/O."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from types import MappingProxyType

from noughts.columns import printable, table
from noughts.games.notation import numbered
from noughts.protocol.messages import GameInfo
from noughts.protocol.study_messages import MoveWorth, Review, ReviewedMoveInfo
from noughts.protocol.words import Words, ending
from noughts_client.terminal.table import SIDES

KEPT = {"win": "keeps the win", "draw": "keeps the draw", "loss": "lost anyway"}
"""The words for ``kept``, of a move that kept a proved result."""
GIVEN_UP = {
    "win_thrown_away": "a won position",
    "draw_thrown_away": "a drawn position",
    "probable_mistake": "a position that was probably not lost",
}
"""A resigned position, in words."""
UNPROVED = ("probable_mistake", "no_mistake_seen")

INDENT = 4


def mark_in_words(move: ReviewedMoveInfo, words: Words) -> str:
    """The mark of a move, in words."""
    kept = KEPT.get(move["after"]["result"] or "") if move["mark"] == "kept" else None
    return kept or words["marks"].get(move["mark"], move["mark"])


def worth_in_words(worth: MoveWorth, *, by: bool = False) -> str:
    """``win in 5``, or ``win by 5`` with ``by``; ``draw``, ``at most 3``, or ``estimate -12``."""
    value, distance = worth["value"], worth["distance"]
    if by and worth["exact"] and value:
        return f"win by {value}" if value > 0 else f"loss by {-value}"
    if not worth["exact"]:
        return {"upper": "at most ", "lower": "at least ", None: "estimate "}[worth.get("bound")] + str(value)
    result = "win" if value > 0 else "loss" if value < 0 else "draw"
    return result if value == 0 or distance is None else f"{result} in {distance}"


def better_in_words(move: ReviewedMoveInfo) -> str:
    """The better line, empty if the mark names none."""
    if "better" not in move:
        return ""
    better, by = move["better"]["worth"], move["mark"] == "larger_win_missed"
    probably = "probably " if move["mark"] == "probable_mistake" else ""
    line = numbered(better.get("names", better["line"]), move.get("number"), second=move["side"] == "second")
    return f"{probably}better: {printable(' '.join(line))} ({worth_in_words(better, by=by)})"


def decided_by(review: Review, game: GameInfo, words: Words) -> str:
    """A sentence on what decided the game. Only what is proved is said without "probably"."""
    if not review["complete"]:
        return f"{len(review['moves'])} of {_moves(review['plies'])} reviewed."
    given_up, how = review.get("resignation"), _off_the_board(review, words)
    found = next((move for move in review["moves"] if move["ply"] == review["decisive"]), None)
    if found is None and given_up is not None:
        return f"{game['sides'][given_up['side']]['name']} decided the game by resigning {GIVEN_UP[given_up['mark']]}."
    if found is None:
        return f"No mistake that decided the game was found{how and f': it ended {how}'}."
    side, name = game["sides"][found["side"]]["name"], printable(found.get("name", found["move"]))
    move = f"Move {found['ply'] + 1}"
    if found["mark"] == "probable_mistake":
        decided = f"{move} probably decided the game: by estimates, {side} did much worse with {name} than necessary."
    else:
        lost = "a win" if found["mark"] == "win_thrown_away" else "a draw"
        decided = f"{move} decided the game: with {name}, {side} threw {lost} away."
    decided += _win_thrown_away_before(review, found)
    if given_up is not None:
        return f"{decided} In the end {side} resigned {GIVEN_UP[given_up['mark']]}."
    return f"{decided}{how and f' It ended {how}.'}"


def _win_thrown_away_before(review: Review, decisive: ReviewedMoveInfo) -> str:
    """A sentence on the win that a side had thrown away before it threw the draw away that was left; else empty."""
    side, draw = decisive["side"], decisive["mark"] == "draw_thrown_away"
    wins = [each["ply"] for each in review["moves"] if each["side"] == side and each["mark"] == "win_thrown_away"]
    before = [ply for ply in wins if ply < decisive["ply"]]
    return f" Before, move {before[-1] + 1} threw a win away." if draw and before else ""


def _off_the_board(review: Review, words: Words) -> str:
    """The end of a game that the board did not decide, such as "on time"; else empty."""
    put = ending(review["outcome"]["reason"], words) if "outcome" in review else {}
    return "" if put.get("board") else printable(put.get("how", ""))


def in_words(
    review: Review, game: GameInfo, words: Words, width: int, notes: Mapping[int, str] = MappingProxyType({})
) -> str:
    """The whole review, in lines of ``width`` columns if possible, with the ``notes`` of the players by plies."""
    lines = [f"{game['title']}, {_moves(review['plies'])}", ""]
    sides = {side: game["sides"][side]["name"] for side in SIDES}
    number_width = len(str(review["plies"]))
    rows = []
    for move in review["moves"]:
        marked = mark_in_words(move, words)
        if "better" in move:
            marked += f" ({worth_in_words(move['worth'], by=move['mark'] == 'larger_win_missed')})"
        rows.append((sides[move["side"]], move.get("name", move["move"]), marked))
    for move, line in zip(review["moves"], table(rows), strict=True):
        lines.append(f"{move['ply'] + 1:{number_width}}. {line}")
        lines += _wrapped(better_in_words(move), width, INDENT + number_width)
        if note := printable(" ".join(notes.get(move["ply"], "").split())):
            lines += _wrapped(f"note: {note}", width, INDENT + number_width)
    lines += ["", *textwrap.wrap(decided_by(review, game, words), width)]
    if any(move["mark"] in UNPROVED for move in review["moves"]):
        points = round(100 * review["swing"])
        lines += textwrap.wrap(
            f'Not every value is proved. "Probably a mistake" is a move that cost at least {points} of 100 points of '
            'the expected result by estimates; "no mistake seen" is not a proof.',
            width,
        )
    return "\n".join(lines)


def _moves(count: int) -> str:
    return "1 move" if count == 1 else f"{count} moves"


def _wrapped(words: str, width: int, indent: int) -> list[str]:
    blank = " " * indent
    return textwrap.wrap(words, max(width, indent + 20), initial_indent=blank, subsequent_indent=f"{blank}  ")
