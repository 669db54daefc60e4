"""A review as text: each move with its mark, the better lines, and what decided the game. Pure; does no I/O."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from types import MappingProxyType

from noughts.columns import printable, table
from noughts.protocol.messages import GameInfo, MoveWorth, Review, ReviewedMoveInfo
from noughts.protocol.words import BY_THE_BOARD, ending
from noughts_client.terminal.table import SIDES

MARKS = {
    "kept": "result kept",
    "faster_win_missed": "faster win missed",
    "larger_win_missed": "larger win missed",
    "win_thrown_away": "win thrown away",
    "draw_thrown_away": "draw thrown away",
    "probable_mistake": "probably a mistake",
    "no_mistake_seen": "no mistake seen",
}
KEPT = {"win": "keeps the win", "draw": "keeps the draw", "loss": "lost anyway", None: "result kept"}
GIVEN_UP = {
    "win_thrown_away": "a won position",
    "draw_thrown_away": "a drawn position",
    "probable_mistake": "a position that was probably not lost",
}
"""What somebody resigned."""
UNPROVED = ("probable_mistake", "no_mistake_seen")

INDENT = 4


def mark_in_words(move: ReviewedMoveInfo) -> str:
    """What a move did."""
    return KEPT[move["after"]["result"]] if move["mark"] == "kept" else MARKS[move["mark"]]


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
    return f"{probably}better: {printable(' '.join(better['line']))} ({worth_in_words(better, by=by)})"


def decided_by(review: Review, game: GameInfo) -> str:
    """What decided the game, in a sentence. Only what is proved is said without "probably"."""
    if not review["complete"]:
        return f"{len(review['moves'])} of {_moves(review['plies'])} reviewed."
    given_up, ended = review.get("resignation"), _ended(review, game)
    found = next((move for move in review["moves"] if move["ply"] == review["decisive"]), None)
    if found is None and given_up is not None:
        return f"{game['sides'][given_up['side']]['name']} decided the game by resigning {GIVEN_UP[given_up['mark']]}."
    if found is None:
        return f"No mistake{' on the board' if ended else ''} that decided the game was found.{ended}"
    side, number = game["sides"][found["side"]]["name"], found["ply"] + 1
    name = printable(found["move"])
    if found["mark"] == "probable_mistake":
        decided = "probably decided the game: by estimates it was much worse than the best."
    else:
        decided = f"decided the game: it threw {'a win' if found['mark'] == 'win_thrown_away' else 'a draw'} away."
    decided = f"Move {number}, {side} {name}, {decided}{_draw_thrown_away_later(review, found)}"
    return (
        f"{decided}{ended}"
        if given_up is None
        else f"{decided} In the end {side} resigned {GIVEN_UP[given_up['mark']]}."
    )


def _draw_thrown_away_later(review: Review, decisive: ReviewedMoveInfo) -> str:
    """After a win was thrown away, the same side may have had a draw for a while. A sentence on its last one."""
    side, win = decisive["side"], decisive["mark"] == "win_thrown_away"
    later = [each["ply"] for each in review["moves"] if each["side"] == side and each["mark"] == "draw_thrown_away"]
    return (
        f" Later, move {later[-1] + 1} threw a draw away, too." if win and later and later[-1] > decisive["ply"] else ""
    )


def _ended(review: Review, game: GameInfo) -> str:
    """How a game ended that the board did not decide, as a sentence after a blank; else empty."""
    outcome = review.get("outcome")
    if outcome is None or outcome["reason"] in BY_THE_BOARD:
        return ""
    if outcome["winner"] is None:
        return " The players agreed on a draw." if outcome["reason"] == "agreement" else " Nobody won."
    loser = game["sides"]["second" if outcome["winner"] == "first" else "first"]["name"]
    return f" {loser} {ending(outcome['reason']).loser or 'lost'}."


def in_words(review: Review, game: GameInfo, width: int, notes: Mapping[int, str] = MappingProxyType({})) -> str:
    """The whole review, in lines of ``width`` columns if possible, with the ``notes`` of the players by plies."""
    lines = [f"{game['title']}, {_moves(review['plies'])}", ""]
    sides = {side: game["sides"][side]["name"] for side in SIDES}
    number_width = len(str(review["plies"]))
    rows = []
    for move in review["moves"]:
        marked = mark_in_words(move)
        if "better" in move:
            marked += f" ({worth_in_words(move['worth'], by=move['mark'] == 'larger_win_missed')})"
        rows.append((sides[move["side"]], move["move"], marked))
    for move, line in zip(review["moves"], table(rows), strict=True):
        lines.append(f"{move['ply'] + 1:{number_width}}. {line}")
        lines += _wrapped(better_in_words(move), width, INDENT + number_width)
        if note := printable(" ".join(notes.get(move["ply"], "").split())):
            lines += _wrapped(f"note: {note}", width, INDENT + number_width)
    lines += ["", *textwrap.wrap(decided_by(review, game), width)]
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
