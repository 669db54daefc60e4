import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from noughts.games import GAMES
from noughts.games.sentences import POSITION_HAS
from noughts_client.failure import SHOWN_LINES, own_traceback


def told(error: BaseException) -> list[str]:
    """The functions in the traceback, without the test itself."""
    return [name for name in re.findall(r"line \d+, in (\w+)", own_traceback(error)) if not name.startswith("test_")]


def fail(depth: int) -> None:
    if depth:
        fail(depth - 1)
    GAMES["tictactoe"].start.play("0")


def fail_again() -> None:
    try:
        fail(0)
    except ValueError as error:
        raise KeyError("e4") from error


def odd(n: int) -> None:
    even(n + 1)


def even(n: int) -> None:
    odd(n + 1)


def test_frames_of_the_library_are_left_out() -> None:
    with pytest.raises(ValueError, match="a move is a cell") as failed:
        asyncio.run(asyncio.to_thread(fail, 1))
    assert told(failed.value) == ["fail", "fail"]
    *_, error, note = own_traceback(failed.value).splitlines()
    assert error.endswith("MalformedMove: a move is a cell, 1 to 9")
    assert note == "The move was '0'. Legal moves: 1, 2, 3, 4, 5, 6, 7, 8, 9."


def test_a_traceback_says_what_a_position_has() -> None:
    position: Any = GAMES["tictactoe"].start
    mistakes: list[Callable[[], object]] = [
        lambda: position.make_move("1"),
        lambda: position.legal_moves()[0],
        lambda: position.rows()[0],
    ]
    for wrong in mistakes:
        with pytest.raises((AttributeError, TypeError)) as failed:
            wrong()
        assert own_traceback(failed.value).splitlines()[-1] == POSITION_HAS
    others: list[Callable[[], object]] = [lambda: position.rows.moves, lambda: position.rows[0]() + "x"]
    for other in others:
        with pytest.raises((AttributeError, TypeError)) as failed:
            other()
        assert POSITION_HAS not in own_traceback(failed.value).splitlines()


def test_the_exceptions_before_it_are_shown_the_same_way() -> None:
    with pytest.raises(KeyError) as failed:
        fail_again()
    assert told(failed.value) == ["fail_again", "fail", "fail_again"]
    assert "The above exception was the direct cause" in own_traceback(failed.value)


def test_a_long_traceback_has_no_middle() -> None:
    with pytest.raises(RecursionError) as failed:
        odd(1)
    lines = own_traceback(failed.value).splitlines()
    assert len(lines) == 2 * SHOWN_LINES + 1
    assert re.fullmatch(r"  \.\.\. \d+ more lines \.\.\.", lines[SHOWN_LINES])
    assert lines[-1].startswith("RecursionError")
