"""The kit's bot passes every check of a bot that connects by itself, and each check finds one that does wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from noughts.conformance.caller import CHECKS, Caller, check_caller
from noughts.conformance.report import Fault

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"

RAW = (EXAMPLES / "raw_bot.py").read_text()
"""A bot of some 30 lines that neither waits nor comes back."""

HELLO = 'send(type="hello", protocol=1, name="raw-bot", bot=True)'
CREATE = 'send(type="create", game="tictactoe", seats={"first": "me", "second": "computer:easy"})'
PLAY = 'turn=state["turn"], move=random.choice(state["legal_moves"])'

ENDLESS = f"""
import itertools, sys
from websockets.exceptions import ConnectionClosed
source = open({str(EXAMPLES / "raw_bot.py")!r}).read()
for _ in itertools.repeat(None):
    try:
        exec(source)
    except ConnectionClosed:
        pass
"""
"""Comes back, but as somebody else."""


def caller(folder: Path, source: str, patience_s: float = 30) -> Caller:
    file = folder / "bot.py"
    file.write_text(source)
    return Caller(f"{sys.executable} {file} {{url}}", patience_s)


async def test_the_kits_bot_passes() -> None:
    checks = [check async for check in check_caller(Caller(f"{sys.executable} {EXAMPLES / 'bot.py'} {{url}}", 30))]
    assert [(check.name, check.fault) for check in checks] == [(name, None) for name in CHECKS]


@pytest.mark.parametrize(
    "create",
    [
        'send(type="create", game="connect4")',
        'send(type="create", game="tictactoe", seats={"first": "open", "second": "me"})',
        'send(type="seek", game="tictactoe")',
    ],
)
async def test_a_bot_finds_an_opponent_however_it_looks_for_one(create: str, tmp_path: Path) -> None:
    await CHECKS["it says hello and plays a whole game"](caller(tmp_path, RAW.replace(CREATE, create)))


FAULTS = [
    (
        "it says hello and plays a whole game",
        RAW.replace(", bot=True", ""),
        "its hello should say that it is a `bot`",
        '< {"type": "hello"',
    ),
    (
        "it says hello and plays a whole game",
        RAW.replace(HELLO, 'send(type="ping")'),
        "its first message should be `hello`",
        '< {"type": "ping"}',
    ),
    (
        "it says hello and plays a whole game",
        RAW.replace(HELLO, HELLO.replace("protocol=1, ", "")),
        "its first message is no request: protocol: required",
        '< {"type": "hello"',
    ),
    (
        "it says hello and plays a whole game",
        RAW.replace("sys.exit(", "print(").replace(CREATE, CREATE + '; send(type="dance")'),
        "it sent what is no request: type: the name of a request",
        '< {"type": "dance"}',
    ),
    (
        "it says hello and plays a whole game",
        RAW.replace("sys.exit(", "print(").replace(
            PLAY, PLAY + ', id=1); send(type="play", room=message["room"], turn=99, move="1", id=2'
        ),
        "it got `stale`",
        '< {"type": "play"',
    ),
    ("it says hello and plays a whole game", "raise SystemExit('no url')", "it did not connect", "! no url"),
    (
        "it says hello and plays a whole game",
        "import sys, time\nfor part in ('one ', 'line'):\n    print(part, end='', flush=True); time.sleep(0.2)",
        "it ended with the exit status 0; does it use its argument {url}?",
        "! one line",
    ),
    (
        "it says hello and plays a whole game",
        RAW.replace('if message["type"] not in', 'if state_of("x") or message["type"] not in'),
        "its game did not come to an end",
        "! NameError: name 'state_of' is not defined",
    ),
    (
        "it ignores messages and fields that it does not know",
        RAW.replace('if message["type"] == "error"', 'if message["type"] not in ("room", "update", "ok")'),
        "its game did not come to an end",
        '> {"type":"news_of_another_version"',
    ),
    (
        "it sends a move again when it was told to wait",
        RAW,
        "it did not send the refused move again",
        '> {"type": "error", "code": "rate_limited"',
    ),
    ("it comes back when its connection breaks", RAW, "it did not connect again", '< {"type": "play"'),
    (
        "it comes back when its connection breaks",
        ENDLESS,
        "its hello should have the token that it got",
        '< {"type": "hello"',
    ),
]


@pytest.mark.parametrize(("name", "source", "problem", "quote"), FAULTS)
async def test_a_fault_is_found(name: str, source: str, problem: str, quote: str, tmp_path: Path) -> None:
    with pytest.raises(Fault) as fault:
        await CHECKS[name](caller(tmp_path, source))
    assert problem in fault.value.problem
    assert any(line.startswith(quote) for line in fault.value.quotes), fault.value.quotes


async def test_a_program_that_does_not_exist_is_one_fault() -> None:
    (check,) = [check async for check in check_caller(Caller("no-such-program {url}", 1))]
    assert check.fault is not None
    assert check.fault.problem == "There is no program no-such-program."
