"""Bots in real processes, without a sandbox."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from noughts_client.bots.game_bot import GameBot, start
from noughts_client.bots.process import ProcessLimits
from noughts_client.bots.program import BotSpec
from noughts_client.failure import BotFailed, Failure
from noughts_client.state import BotState
from support.bots import state_after
from support.eventually import soon

PATIENCE_S = 60
PATIENT = ProcessLimits(start_s=60)


@asynccontextmanager
async def bot_of(folder: Path, code: str, limits: ProcessLimits = PATIENT) -> AsyncIterator[GameBot]:
    """The Python file with ``code`` as a bot."""
    (folder / "my_bot.py").write_text(code)
    bot = await start(BotSpec("python", str(folder / "my_bot.py"), "my_bot"), "tictactoe", limits=limits)
    try:
        yield bot
    finally:
        await bot.close()


async def failure_of(folder: Path, code: str, state: BotState | None = None, patience_s: float = PATIENCE_S) -> Failure:
    """The failure of the bot with ``code``."""
    with pytest.raises(BotFailed) as caught:
        async with bot_of(folder, code) as bot:
            await bot.choose(state or state_after(), patience_s=patience_s)
    return caught.value.failure


async def test_a_function_choose_is_a_whole_bot(tmp_path: Path) -> None:
    async with bot_of(tmp_path, "def choose(state):\n    return state['legal_moves'].pop()\n") as bot:
        assert await bot.choose(state_after(), patience_s=PATIENCE_S) == ("9", "")
        assert await bot.choose(state_after("9", "1"), patience_s=PATIENCE_S) == ("8", "")


async def test_the_ending_of_a_bots_file_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "BOT.PY").write_text("def choose(state):\n    return '5'\n")
    bot = await start(BotSpec("python", str(tmp_path / "BOT.PY"), "bot"), "tictactoe", limits=PATIENT)
    try:
        assert await bot.choose(state_after(), patience_s=PATIENCE_S) == ("5", "")
    finally:
        await bot.close()


async def test_a_bot_may_be_async_and_send_a_note(tmp_path: Path) -> None:
    code = "import asyncio\nasync def choose(state):\n    await asyncio.sleep(0)\n    return '5', 'the centre'\n"
    async with bot_of(tmp_path, code) as bot:
        assert await bot.choose(state_after(), patience_s=PATIENCE_S) == ("5", "the centre")


async def test_a_bot_gets_its_whole_state(tmp_path: Path) -> None:
    code = (
        "import time\n"
        "def choose(state):\n"
        "    left = state.deadline - time.monotonic()\n"
        "    note = [state.game, state.room, state.side, state.symbol, 1 < left < 90, state.position.text]\n"
        "    return state['legal_moves'][0], repr(note)\n"
    )
    state = state_after("1", deadline=time.monotonic() + 90)
    async with bot_of(tmp_path, code) as bot:
        _, note = await bot.choose(state, patience_s=PATIENCE_S)
    assert note == "['tictactoe', 'r', 'second', 'o', True, 'x../.../...']"


async def test_what_a_bot_prints_goes_to_its_stderr(tmp_path: Path) -> None:
    code = (
        "import os\nprint('loaded')\n"
        "def choose(state):\n    print('thinking')\n    os.system('echo a child')\n    return '1'\n"
    )
    async with bot_of(tmp_path, code) as bot:
        assert await bot.choose(state_after(), patience_s=PATIENCE_S) == ("1", "")
        assert await bot.choose(state_after(), patience_s=PATIENCE_S) == ("1", "")
        await soon(lambda: bot.stderr == "loaded\n" + 2 * "thinking\na child\n")


async def test_a_bot_reads_nothing_from_its_stdin(tmp_path: Path) -> None:
    code = "import sys\ndef choose(state):\n    return '1', repr(sys.stdin.read())\n"
    async with bot_of(tmp_path, code) as bot:
        assert await bot.choose(state_after(), patience_s=PATIENCE_S) == ("1", "''")


async def test_an_exception_is_told_with_the_bots_own_frames(tmp_path: Path) -> None:
    code = (
        "import json, sys\n"
        "def pick(table):\n    return table['e4']\n"
        "def choose(state):\n    print('before', file=sys.stderr)\n    return pick({})\n"
    )
    failure = await failure_of(tmp_path, code)
    assert (failure.kind, failure.message, failure.error) == ("crash", "The bot raised KeyError: 'e4'.", "KeyError")
    lines = [line for line in failure.traceback.splitlines() if "^" not in line]  # as of Python 3.13 there are more
    assert lines == [
        "Traceback (most recent call last):",
        f'  File "{tmp_path}/my_bot.py", line 6, in choose',
        "    return pick({})",
        f'  File "{tmp_path}/my_bot.py", line 3, in pick',
        "    return table['e4']",
        "KeyError: 'e4'",
    ]
    assert failure.stderr == "before\n"
    assert failure.line.startswith('{"game":"tictactoe","room":"r","side":"first","symbol":"x","turn":0')


async def test_the_exception_of_a_search_without_an_end_is_told_in_short(tmp_path: Path) -> None:
    code = "def one(n):\n    return two(n)\ndef two(n):\n    return one(n)\ndef choose(state):\n    return one(1)\n"
    failure = await failure_of(tmp_path, code)
    assert failure.error == "RecursionError"
    assert len(failure.traceback) <= 4096
    assert failure.traceback.endswith("RecursionError: maximum recursion depth exceeded")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise ValueError('x' * 100_000)", f"The bot raised ValueError: {'x' * 188}."),
        ("raise ValueError('\\ud800')", "The bot raised ValueError: ?."),
        ("raise Broken", "The bot raised Broken."),
    ],
    ids=["long", "half a character", "without a text"],
)
async def test_an_exception_can_have_any_text(tmp_path: Path, code: str, message: str) -> None:
    broken = "class Broken(Exception):\n    def __str__(self): return 1 / 0\n"
    failure = await failure_of(tmp_path, f"{broken}def choose(state):\n    {code}\n")
    assert (failure.kind, failure.message) == ("crash", message)
    failure.traceback.encode()


async def test_an_async_bot_keeps_one_event_loop(tmp_path: Path) -> None:
    code = (
        "import asyncio\nloops = []\n"
        "async def choose(state):\n"
        "    loops.append(asyncio.get_running_loop())\n"
        "    return state['legal_moves'][0], str(loops[0] is loops[-1])\n"
    )
    async with bot_of(tmp_path, code) as bot:
        for _ in range(2):
            assert await bot.choose(state_after(), patience_s=PATIENCE_S) == ("1", "True")


async def test_an_illegal_move_is_named(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, "def choose(state):\n    return '1'\n", state_after("1"))
    assert failure.kind == "illegal"
    assert failure.message == "The bot answered '1', which is not a legal move. Legal moves: 2, 3, 4, 5, 6, 7, 8, 9."


async def test_a_draw_is_claimed_while_the_state_says_so(tmp_path: Path) -> None:
    code, state = "def choose(state):\n    return 'claim_draw', 'enough'\n", state_after("1")
    failure = await failure_of(tmp_path, code, state)
    assert failure.kind == "illegal"
    assert failure.message.startswith("The bot answered 'claim_draw', which the rules do not allow now. Legal moves: ")
    claimable = BotState({**state, "claim_draw": "repetition"}, game=state.game, side=state.side, symbol=state.symbol)
    async with bot_of(tmp_path, code) as bot:
        assert await bot.choose(claimable, patience_s=PATIENCE_S) == ("claim_draw", "enough")


async def test_an_answer_that_is_not_a_move_is_told_with_the_legal_ones(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, "def choose(state):\n    return 4\n")
    assert (failure.kind, failure.error, failure.traceback) == ("illegal", "", "")
    assert failure.message == (
        "The bot answered 4, which is not a string: return '4'. Legal moves: 1, 2, 3, 4, 5, 6, 7, 8, 9."
    )


async def test_a_bot_that_exits_has_not_answered(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, "import os\ndef choose(state):\n    os._exit(3)\n")
    assert (failure.kind, failure.message) == ("exit", "The bot ended with exit code 3 instead of answering.")


async def test_a_bot_that_is_killed_has_crashed(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, "import os\ndef choose(state):\n    os.kill(os.getpid(), 11)\n")
    assert (failure.kind, failure.message) == ("crash", "The bot was killed by SIGSEGV.")


async def test_sys_exit_is_an_exception_of_the_bot(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, "import sys\ndef choose(state):\n    sys.exit('enough')\n")
    assert (failure.kind, failure.message) == ("crash", "The bot raised SystemExit: enough.")


async def test_a_bot_that_hangs_runs_out_of_patience(tmp_path: Path) -> None:
    failure = await failure_of(tmp_path, "def choose(state):\n    while True: pass\n", patience_s=0.3)
    assert (failure.kind, failure.message) == ("time", "The bot gave no answer within 0.3 s.")


@pytest.mark.parametrize(
    ("code", "message", "error"),
    [
        ("def chose(state): pass", "my_bot.py defines no function choose. Did you mean chose?", ""),
        (
            "def choose(): pass",
            "A bot is a function choose(state), but choose() cannot be called with a state alone.",
            "",
        ),
        ("import nonsense", "The bot raised ModuleNotFoundError: No module named 'nonsense'.", "ModuleNotFoundError"),
        ("def choose(", "The bot raised SyntaxError: '(' was never closed (my_bot.py, line 1).", "SyntaxError"),
        (
            "from noughts_client import run\nrun(lambda state: '')",
            'my_bot.py starts a game when it is loaded; put run(...) under if __name__ == "__main__":',
            "",
        ),
        ("raise SystemExit(2)", "The bot raised SystemExit: 2.", "SystemExit"),
        ("import os; os._exit(4)", "The bot ended with exit code 4 instead of answering.", ""),
    ],
)
async def test_a_file_that_cannot_be_used_fails_at_the_start(
    tmp_path: Path, code: str, message: str, error: str
) -> None:
    failure = await failure_of(tmp_path, code)
    assert (failure.kind, failure.message, failure.error, failure.line) == ("start", message, error, "")


async def test_a_file_that_does_not_load_in_time_fails_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(BotFailed) as caught:
        async with bot_of(tmp_path, "while True: pass", ProcessLimits(start_s=0.3)):
            pass
    failure = caught.value.failure
    assert (failure.kind, failure.message, failure.line) == ("start", "The bot was not loaded within 0.3 s.", "")


@pytest.mark.slow
async def test_a_file_that_does_not_load_in_time_says_where_it_is(tmp_path: Path) -> None:
    with pytest.raises(BotFailed) as caught:
        async with bot_of(tmp_path, "while True: pass", ProcessLimits(start_s=10)):
            pass
    assert caught.value.failure.traceback.endswith('my_bot.py", line 1, in <module>\n    while True: pass')


@pytest.mark.parametrize("spec", [BotSpec("python", "none.py", "x"), BotSpec("exec", "./none", "x")])
async def test_a_program_that_does_not_exist_fails_at_the_start(spec: BotSpec) -> None:
    with pytest.raises(BotFailed, match=r"There is no (file none\.py|program \./none)\.") as caught:
        await start(spec, "tictactoe")
    assert caught.value.failure.kind == "start"


async def test_the_computer_is_not_a_program() -> None:
    with pytest.raises(ValueError, match="computer bots are not programs"):
        await start(BotSpec("computer", "easy", "easy"), "tictactoe")


@pytest.mark.parametrize("words", ["bots/bot.py", "-m bots.bot"])
async def test_any_command_can_answer_json_lines(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "bots" / "bot.py"
    script.parent.mkdir()
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    turn = json.loads(line)\n"
        "    print(turn['legal_moves'][turn['ply']], flush=True)\n"
    )
    bot = await start(BotSpec("exec", f"{sys.executable} {words}", "any"), "tictactoe")
    try:
        assert await bot.choose(state_after(), patience_s=PATIENCE_S) == ("1", "")
        assert await bot.choose(state_after("1"), patience_s=PATIENCE_S) == ("3", "")
    finally:
        await bot.close()


@pytest.mark.parametrize(("kind", "message"), [("", "?[2J evil"), ("E", "The bot raised E: ?[2J evil.")])
async def test_what_any_program_may_say_of_its_failure_is_short(kind: str, message: str, tmp_path: Path) -> None:
    error = {"type": kind, "message": "\x1b[2J evil\n" * 2000, "traceback": "x" * 20_000}
    code = f"import json\nfor line in open(0):\n    print(json.dumps({{'error': {error!r}}}), flush=True)\n"
    (tmp_path / "forger.py").write_text(code)
    bot = await start(BotSpec("exec", f"{sys.executable} {tmp_path / 'forger.py'}", "forger"), "tictactoe")
    try:
        with pytest.raises(BotFailed) as caught:
            await bot.choose(state_after(), patience_s=PATIENCE_S)
    finally:
        await bot.close()
    assert caught.value.failure.message == message
    assert len(caught.value.failure.traceback) <= 4096
