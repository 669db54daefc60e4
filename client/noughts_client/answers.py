"""What a bot may answer, and what is said of any other answer and its state. Pure; does no I/O."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.games.sentences import listed
from noughts_client.state import BotState

NOTE_BYTES = 1024
"""The server's limit for a note, in UTF-8."""

SHOWN_ANSWER = 80
"""How many characters of a wrong answer are shown."""


class WrongAnswer(ValueError):
    """The answer is not a move. The text is a sentence without its subject: ``answered 5, which is not a string``."""


def fields(answer: object, legal_moves: Sequence[str]) -> dict[str, str]:
    """The fields of the ``play`` that a bot's answer stands for: ``move``, perhaps illegal, and ``note`` unless empty.

    Raises :class:`WrongAnswer`.
    """
    match answer:
        case str(move):
            return {"move": move}
        case (str(move), str(note)):
            note = note.encode(errors="replace")[:NOTE_BYTES].decode(errors="ignore")
            return {"move": move, "note": note} if note else {"move": move}
        case None:
            what = "is not a move: choose must return one in every case"
        case _ if str(answer) in legal_moves:
            what = f"is not a string: return {str(answer)!r}"
        case _:
            what = "is not a move, or a move and a note, as strings"
    raise WrongAnswer(wrong(answer, what, legal_moves))


def illegal(answer: object, legal_moves: Sequence[str]) -> str:
    """What is said of an answer that can be read, but is not one of the legal moves."""
    return wrong(answer, "is not a legal move", legal_moves)


def wrong(answer: object, what: str, legal_moves: Sequence[str]) -> str:
    """What is said of a wrong answer, as a sentence without its subject. ``what`` goes on after ``which``."""
    shown = repr(answer)
    shown = shown if len(shown) <= SHOWN_ANSWER else f"{shown[:SHOWN_ANSWER]}..."
    return f"answered {shown}, which {what}. Legal moves: {listed(legal_moves)}."


def where(state: BotState) -> str:
    """The room, side and turn, to follow what happened there."""
    return f"in room {state.room}, with {state.symbol!r} at turn {state.told['turn']}"


def board(state: BotState) -> str:
    """The rows, each in a line of its own, to follow a heading."""
    return "".join(f"\n  {row}" for row in state.told["rows"])
