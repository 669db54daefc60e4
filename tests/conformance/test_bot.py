"""A good bot passes every check, and each check finds a bot that does wrong what it is about."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from noughts.conformance.bot import CHECKS, Subject, _ends, check_bot
from noughts.conformance.report import Check, Fault
from noughts_client.bots.program import BotSpec

pytestmark = pytest.mark.slow

PYTHON = """
def choose(state):
    print("thinking about", state["ply"])
    return state["legal_moves"][0], "the first that I saw"
"""

HEAD = "import json, sys, time\n"

PROGRAM = """
for line in sys.stdin:
    turn = json.loads(line)
    print(turn["legal_moves"][0], flush=True)
"""


def bot(folder: Path, source: str, kind: str = "exec") -> BotSpec:
    """The bot with this source."""
    file = folder / "bot.py"
    file.write_text(source if kind == "python" else HEAD + source)
    return BotSpec("python", str(file), "bot") if kind == "python" else BotSpec("exec", f"{sys.executable} {file}", "b")


async def checked(spec: BotSpec, game: str = "tictactoe", patience_s: float = 30) -> dict[str, Check]:
    """The checks of a bot, by their names."""
    subject = Subject(spec, game, patience_s)
    return {check.name.partition(": ")[2]: check async for check in check_bot(subject)}


@pytest.mark.parametrize(
    ("kind", "source", "game"),
    [("python", PYTHON, "tictactoe"), ("exec", PROGRAM, "connect4"), ("exec", PROGRAM, "reversi")],
)
async def test_a_good_bot_passes(kind: str, source: str, game: str, tmp_path: Path) -> None:
    checks = await checked(bot(tmp_path, source, kind), game)
    assert list(checks) == list(CHECKS)
    assert [check for check in checks.values() if check.fault is not None] == []


FAULTS = [
    (
        "it writes nothing but answers to stdout",
        PROGRAM.replace("    print(", "    print('thinking')\n    print("),
        "'thinking', which is not a legal move",
    ),
    (
        "it writes nothing but answers to stdout",
        PROGRAM.replace("    print(", "    print('let me think')\n    print("),
        "'let me think', which is not a move",
    ),
    (
        "it plays legal moves in the middle of games",
        PROGRAM.replace('turn["legal_moves"][0]', 'turn["legal_moves"][0] if turn["ply"] < 3 else "1"'),
        "is not a legal move",
    ),
    (
        "it plays legal moves in the middle of games",
        PROGRAM.replace("[0]", "[0] if turn['to_move'] == 'first' else 5"),
        "5",
    ),
    (
        "it plays a whole game with the first move",
        PROGRAM.replace("    print", "    if turn['ply'] == 6: raise SystemExit(7)\n    print"),
        "ended with exit code 7",
    ),
    (
        "it plays a whole game with the second move",
        PROGRAM.replace("    print", "    if len(turn['moves']) == 5: turn['legal_moves'] = ['x']\n    print"),
        "is not a legal move",
    ),
    (
        "it follows a takeback",
        "seen = 0\n"
        + PROGRAM.replace("    print", "    assert turn['ply'] >= seen\n    seen = turn['ply']\n    print"),
        "ended with exit code 1",
    ),
    (
        "it answers in time with a second left",
        PROGRAM.replace("    print", "    time.sleep(3 if turn['time_ms'] else 0)\n    print"),
        "no answer within 1 s",
    ),
    (
        "it writes nothing but answers to stdout",
        PROGRAM + "\nprint('bye')\n",
        "it wrote to stdout after its last answer",
    ),
    ("it ends when its input ends", PROGRAM + "\ntime.sleep(60)\n", "it was still running 2 s after the end"),
    ("it ends when its input ends", PROGRAM + "\nraise SystemExit(3)\n", "it ended with the exit status 3"),
]


@pytest.mark.parametrize(("name", "source", "problem"), FAULTS)
async def test_a_fault_is_found(name: str, source: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(Fault) as fault:
        await CHECKS[name](Subject(bot(tmp_path, source), "tictactoe", 30))
    assert problem in fault.value.problem
    assert any(quote.startswith('> {"game":"tictactoe"') for quote in fault.value.quotes)


@pytest.mark.parametrize(
    ("source", "problem", "quote"),
    [
        ("print('hello', flush=True)\n" + PROGRAM, "is not a legal move", "< hello"),
        (PROGRAM.replace("print(", "print('my move:', "), "is not a move", "< my move: 1"),
        ("raise RuntimeError('no such book')", "ended with exit code 1", "! RuntimeError: no such book"),
        ("time.sleep(60)", "no answer within 1 s. Does it flush its output?", '> {"game"'),
    ],
)
async def test_a_bot_that_does_not_play_at_all_has_one_fault(
    source: str, problem: str, quote: str, tmp_path: Path
) -> None:
    checks = await checked(bot(tmp_path, source), patience_s=1 if "1 s" in problem else 30)
    fault = checks["it starts and plays a legal move"].fault
    assert fault is not None
    assert any(line.startswith(quote) for line in fault.quotes), fault.quotes
    assert len(checks) == 1
    assert problem in fault.problem


async def test_a_python_bot_is_told_its_own_line(tmp_path: Path) -> None:
    source = "def choose(state):\n    return state['legal_moves'][99]\n"
    fault = (await checked(bot(tmp_path, source, "python")))["it starts and plays a legal move"].fault
    assert fault is not None
    assert fault.problem == "The bot raised IndexError: list index out of range"
    assert "!     return state['legal_moves'][99]" in fault.quotes


async def test_a_program_that_does_not_exist_is_one_fault() -> None:
    (check,) = (await checked(BotSpec("exec", "no-such-program", "none"))).values()
    assert check.fault is not None
    assert check.fault.problem == "There is no program no-such-program"


def test_of_a_long_log_the_beginning_and_the_end_are_quoted() -> None:
    lines = [str(number) for number in range(40)]
    assert _ends(lines) == [*lines[:8], "...", *lines[-8:]]
    assert _ends(lines[:16]) == lines[:16]
