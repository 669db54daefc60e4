"""What is said of a game that is over: why it ended, how a bot failed, and how to see that again. Pure; does no I/O."""

from __future__ import annotations

import shlex
from pathlib import PurePath

from noughts.columns import printable
from noughts.league.records import Record
from noughts.league.summary import failure_in_words, reason_in_words
from noughts.protocol.words import ending
from noughts_client.bots.failure import Failure


def why(record: Record) -> str:
    """Why a game ended: a few words, or who failed and how."""
    failure = record["failure"]
    if failure is None:
        return reason_in_words(record["reason"])
    return f"{record[failure['side']]} failed ({failure_in_words(failure['kind'])}): {failure['message']}"


def replay_command(folder: PurePath, game: int, player: str) -> str:
    """The command that asks a bot again what it was asked in a game of the league in ``folder``."""
    words = ["noughts", "league", "replay", str(game), "--bot", player, "--folder", str(folder)]
    return printable(shlex.join(words))


def review_command(folder: PurePath, record: Record) -> str:
    """The command that shows where a game of the league in ``folder`` was lost; empty if not on the board."""
    if record["result"] not in ("first", "second") or not ending(record["reason"]).get("board"):
        return ""
    return printable(shlex.join(["noughts", "league", "review", str(record["game"]), "--folder", str(folder)]))


def failure_lines(failure: Failure) -> list[str]:
    """All that is known of a failure, for the bot's author."""
    lines = [f"{failure_in_words(failure.kind)}: {failure.message}"]
    lines += [f"< {failure.answer}"] if failure.answer else []
    lines += failure.traceback.splitlines()
    lines += ["stderr:", *failure.stderr.splitlines()] if failure.stderr.strip() else []
    return [printable(line) for line in lines]
