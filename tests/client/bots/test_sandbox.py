"""A hostile bot in the sandbox, and the same bot without it, which must then succeed.

Without that control a test would also pass if the attack never worked.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from noughts_client.bots.game_bot import start
from noughts_client.bots.process import ProcessLimits, tree
from noughts_client.bots.program import BotSpec
from noughts_client.bots.sandbox import MIB, SHM_BYTES, THREADS, TMP_BYTES, Containment
from noughts_client.failure import BotFailed, Failure
from support.bots import state_after
from support.eventually import soon
from support.programs import program

pytestmark = pytest.mark.services

PATIENCE_S = 60
SANDBOX = Containment("bubblewrap")
BOUNDLESS = ProcessLimits(memory_bytes=2**40, processes=100_000, start_s=60)
"""Nothing is counted from outside: what holds is the sandbox."""


@pytest.fixture(autouse=True)
def bubblewrap() -> None:
    program("bwrap")


def bot(folder: Path, attack: str) -> BotSpec:
    """A bot that makes ``attack``, whose ``result`` is its note."""
    folder.mkdir(exist_ok=True)
    file = folder / "bot.py"
    code = "import json, os, socket, subprocess, sys, time\ndef choose(state):\n"
    code += textwrap.indent(textwrap.dedent(attack), "    ")
    file.write_text(f"{code}\n    return state['legal_moves'][0], json.dumps(result)\n")
    return BotSpec("python", str(file), "bot")


async def result_of(spec: BotSpec, containment: Containment | None, limits: ProcessLimits = BOUNDLESS) -> Any:
    """The attack's findings."""
    playing = await start(spec, "tictactoe", containment=containment, limits=limits)
    try:
        _, note = await playing.choose(state_after(), patience_s=PATIENCE_S)
    finally:
        await playing.close()
    return json.loads(note)


async def failure_of(spec: BotSpec, containment: Containment | None, limits: ProcessLimits) -> Failure:
    with pytest.raises(BotFailed) as caught:
        await result_of(spec, containment, limits)
    return caught.value.failure


@pytest.mark.parametrize("containment", [SANDBOX, None])
async def test_a_bot_that_is_interrupted_says_where_it_was(tmp_path: Path, containment: Containment | None) -> None:
    spec = bot(tmp_path / "bot", "while True:\n    pass")
    playing = await start(spec, "tictactoe", containment=containment, limits=BOUNDLESS)
    try:
        with pytest.raises(BotFailed) as caught:
            await playing.choose(state_after(), patience_s=1)
        assert re.search(r'bot.py", line [34], in choose\n', caught.value.failure.traceback)
    finally:
        await playing.close()


@pytest.mark.parametrize(("command", "advised"), [("sh -c 'exit 3'", True), ("false", False)])
async def test_a_command_without_a_file_that_ends_is_told_where_it_ran(command: str, advised: bool) -> None:
    failure = await failure_of(BotSpec("exec", command, "bot"), SANDBOX, BOUNDLESS)
    assert failure.message.startswith("The bot ended with exit code")
    assert ("because no word of the command is a file" in failure.message) is advised


def reading(path: Path) -> str:
    return f"""
        try:
            with open({str(path)!r}) as file:
                result = file.read()
        except OSError as error:
            result = type(error).__name__
    """


async def test_a_bot_cannot_read_the_leagues_files(tmp_path: Path) -> None:
    records = tmp_path / "league" / "records.jsonl"
    records.parent.mkdir()
    records.write_text("the records")
    spec = bot(tmp_path / "bots", reading(records))
    assert await result_of(spec, SANDBOX) == "FileNotFoundError"
    assert await result_of(spec, None) == "the records"


@pytest.mark.parametrize("hide", ["bots/league", "bots/league/records.jsonl"])
async def test_a_bot_cannot_read_what_is_hidden_in_its_own_folder(tmp_path: Path, hide: str) -> None:
    records = tmp_path / "bots" / "league" / "records.jsonl"
    records.parent.mkdir(parents=True)
    records.write_text("the records")
    spec = bot(tmp_path / "bots", reading(records))
    hidden = await result_of(spec, replace(SANDBOX, hide=(tmp_path / hide,)))
    assert hidden in ("FileNotFoundError", "PermissionError")
    assert await result_of(spec, SANDBOX) == "the records"


@pytest.mark.parametrize("target", ["secret.py", "{}/bots/secret.py"], ids=["relative", "absolute"])
async def test_a_bot_cannot_read_what_a_hidden_link_leads_to(tmp_path: Path, target: str) -> None:
    secret, link = tmp_path / "bots" / "secret.py", tmp_path / "bots" / "link.py"
    secret.parent.mkdir()
    secret.write_text("the secret")
    link.symlink_to(target.format(tmp_path))
    spec = bot(tmp_path / "bots", reading(secret))
    assert await result_of(spec, replace(SANDBOX, hide=(link,))) == "PermissionError"
    assert await result_of(spec, SANDBOX) == "the secret"


async def first_move(spec: BotSpec) -> str:
    """A contained bot's move at the start of a game."""
    playing = await start(spec, "tictactoe", containment=SANDBOX, limits=BOUNDLESS)
    try:
        return (await playing.choose(state_after(), patience_s=PATIENCE_S))[0]
    finally:
        await playing.close()


async def test_a_link_to_a_bot_is_the_bot(tmp_path: Path) -> None:
    link = tmp_path / "near" / "link.py"
    link.parent.mkdir()
    link.symlink_to(bot(tmp_path / "far", "result = 'here'").target)
    assert await first_move(BotSpec("python", str(link), "bot")) == "1"
    (tmp_path / "far" / "lines.py").write_text(PYTHON)
    link.unlink()
    link.symlink_to(tmp_path / "far" / "lines.py")
    assert await first_move(BotSpec("exec", f"{sys.executable} {link}", "bot")) == "1"


async def test_a_shim_sees_what_it_stands_for(tmp_path: Path) -> None:
    shim, real = tmp_path / "shims" / "player", tmp_path / "versions" / "player"
    for path, code in ((shim, f"exec {real}"), (real, "while read -r line; do echo 5; done")):
        path.parent.mkdir()
        path.write_text(f"#!/bin/sh\n{code}\n")
        path.chmod(0o755)
    assert await first_move(BotSpec("exec", str(shim), "bot")) == "5"


async def test_of_an_environment_of_python_a_bot_sees_no_more_than_belongs_to_it(tmp_path: Path) -> None:
    environment = tmp_path / "course"
    for name in ("bin/player", "lib/table", "submissions/secret", "pyvenv.cfg"):
        (environment / name).parent.mkdir(parents=True, exist_ok=True)
        (environment / name).write_text("5\n")
    script = f"#!/bin/sh\nls {environment} >&2\nwhile read -r line; do echo 5; done\n"
    (environment / "bin/player").write_text(script)
    (environment / "bin/player").chmod(0o755)
    spec = BotSpec("exec", str(environment / "bin/player"), "bot")
    assert await stderr_of(spec, SANDBOX) == "bin\nlib\npyvenv.cfg\n"
    assert "submissions" in await stderr_of(spec, None)


async def test_a_bot_sees_the_modules_beside_it_and_cannot_change_them(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "helper.py").write_text("ANSWER = 42\n")
    writing = """
        import helper
        try:
            open(helper.__file__, "a").close()
            result = [helper.ANSWER, "written"]
        except OSError as error:
            result = [helper.ANSWER, "refused"]
    """
    spec = bot(tmp_path / "bots", writing)
    assert await result_of(spec, SANDBOX) == [42, "refused"]
    assert await result_of(spec, None) == [42, "written"]


async def test_a_bot_sees_nothing_of_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / "thesis.txt").write_text("")
    monkeypatch.setenv("HOME", str(home))
    listing = f"result = sorted(os.listdir({str(home)!r}))"
    in_a_folder, in_the_home = bot(home / "bots", listing), bot(home, listing)
    assert await result_of(in_a_folder, SANDBOX) == ["bots"]
    assert await result_of(in_the_home, SANDBOX) == ["bot.py"]
    assert await result_of(in_a_folder, None) == [".ssh", "bot.py", "bots", "thesis.txt"]


@contextlib.contextmanager
def listening(family: socket.AddressFamily, kind: socket.SocketKind, address: object) -> Iterator[Any]:
    """The address of a socket that listens."""
    with socket.socket(family, kind) as server:
        server.bind(address)  # type: ignore[arg-type]
        if kind == socket.SOCK_STREAM:
            server.listen()
        yield server.getsockname()


def own_address() -> str:
    """An address of this machine that is not loopback's, if there is one. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


@pytest.mark.parametrize("by", ["tcp", "tcp on the network", "udp", "abstract socket", "socket file"])
async def test_a_bot_cannot_reach_a_server(tmp_path: Path, by: str) -> None:
    family, kind, address = {
        "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        "tcp on the network": (socket.AF_INET, socket.SOCK_STREAM, (own_address(), 0)),
        "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        "abstract socket": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{uuid.uuid4().hex}"),
        "socket file": (socket.AF_UNIX, socket.SOCK_STREAM, f"/tmp/{uuid.uuid4().hex[:8]}"),
    }[by]
    with listening(family, kind, address) as where:
        reaching = f"""
            with socket.socket({int(family)}, {int(kind)}) as client:
                try:
                    client.connect({where!r})
                    client.send(b"hello")
                    client.settimeout(0.2)
                    if {int(kind)} == socket.SOCK_DGRAM:
                        client.recv(1)  # a refusal is heard at the next call
                    result = "reached"
                except TimeoutError:
                    result = "reached"
                except OSError as error:
                    result = "refused"
        """
        spec = bot(tmp_path / "bots", reaching)
        try:
            assert await result_of(spec, SANDBOX) == "refused"
            assert await result_of(spec, None) == "reached"
        finally:
            if by == "socket file":
                os.unlink(where)


def running(marker: str) -> list[int]:
    """The processes with ``marker`` in their command lines."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if marker.encode() in Path(f"/proc/{name}/cmdline").read_bytes():
                found.append(int(name))
    return found


def daemon(marker: str) -> str:
    """A process that leaves its group, its session and its parent, and holds no pipe."""
    return f"""
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.closerange(0, 100)
                os.execlp("sleep", "{marker}", "300")
            os._exit(0)
        os.wait()
        result = None
    """


async def test_a_bot_cannot_outlive_its_game(tmp_path: Path) -> None:
    for containment, survivors in ((SANDBOX, 0), (None, 1)):
        marker = f"daemon-{uuid.uuid4().hex}"
        playing = await start(bot(tmp_path / "bots", daemon(marker)), "tictactoe", containment=containment)
        try:
            await playing.choose(state_after(), patience_s=PATIENCE_S)
            await soon(lambda marker=marker: len(running(marker)) == 1)  # type: ignore[misc]
        finally:
            await playing.close()
        try:
            await soon(lambda marker=marker, survivors=survivors: len(running(marker)) == survivors)  # type: ignore[misc]
        finally:
            for pid in running(marker):
                os.kill(pid, signal.SIGKILL)


_LEAGUE = """
import asyncio, sys
from noughts_client.bots.game_bot import start
from noughts_client.bots.sandbox import Containment
from noughts_client.bots.program import parse_spec
from support.bots import state_after

async def main():
    contained = Containment("bubblewrap") if sys.argv[2] == "contained" else None
    bot = await start(parse_spec(sys.argv[1]), "tictactoe", containment=contained)
    await bot.choose(state_after(), patience_s=60)
    print("played", flush=True)
    await asyncio.sleep(300)

asyncio.run(main())
"""


@pytest.mark.parametrize(("how", "survivors"), [("contained", 0), ("control", 1)])
async def test_a_bot_cannot_outlive_a_league_that_is_killed(tmp_path: Path, how: str, survivors: int) -> None:
    marker = f"daemon-{uuid.uuid4().hex}"
    spec = bot(tmp_path / "bots", daemon(marker))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    argv = [sys.executable, "-c", _LEAGUE, spec.target, how]
    league = await asyncio.create_subprocess_exec(*argv, stdout=subprocess.PIPE, env=environment)
    try:
        assert league.stdout is not None
        assert await league.stdout.readline() == b"played\n"
        bots = tree(league.pid)[1:]
    finally:
        league.kill()
        await league.wait()
    try:
        await soon(lambda: len(running(marker)) == survivors)
        await soon(lambda: how == "control" or not any(os.path.exists(f"/proc/{pid}") for pid in bots))
    finally:
        for pid in running(marker):
            os.kill(pid, signal.SIGKILL)


FORKS = f"""
    children, result = [], 0
    try:
        while len(children) < {THREADS + 100}:
            child = os.fork()
            if child == 0:
                time.sleep(300)
                os._exit(0)
            children.append(child)
    except OSError:
        pass
    result = len(children)
    for child in children:
        os.kill(child, 9)
"""


async def test_the_kernel_bounds_a_bots_processes(tmp_path: Path) -> None:
    spec = bot(tmp_path / "bots", FORKS)
    assert await result_of(spec, SANDBOX) < THREADS
    assert await result_of(spec, None) == THREADS + 100


async def test_a_fork_bomb_loses_its_game_and_leaves_nothing(tmp_path: Path) -> None:
    marker = f"bomb-{uuid.uuid4().hex}"
    spec = bot(tmp_path / marker, "while True:\n    os.fork()\n    time.sleep(0.001)\nresult = None")
    failure = await failure_of(spec, SANDBOX, ProcessLimits(start_s=60))
    assert (failure.kind, failure.message) == ("processes", "The bot started more than 16 processes.")
    await soon(lambda: not running(marker))


def eating(holding_s: float) -> str:
    """A bot that takes 256 MiB, and keeps them for so long."""
    return f"""
        held = [bytearray(32 * 1024 * 1024) for _ in range(8)]
        time.sleep({holding_s})
        result = len(held)
    """


def eating_by_children(holding_s: float) -> str:
    """The same, with four children."""
    return f"""
        children = []
        for _ in range(4):
            child = os.fork()
            if child == 0:
                held = bytearray(64 * 1024 * 1024)
                time.sleep({holding_s})
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        result = len(children)
    """


@pytest.mark.parametrize(("attack", "done"), [(eating, 8), (eating_by_children, 4)], ids=["alone", "by its children"])
@pytest.mark.parametrize("containment", [SANDBOX, None], ids=["sandbox", "without"])
async def test_a_bot_that_eats_memory_loses_its_game(
    tmp_path: Path, attack: Callable[[float], str], done: int, containment: Containment | None
) -> None:
    limits = ProcessLimits(memory_bytes=200 * MIB, start_s=60)
    failure = await failure_of(bot(tmp_path / "bots", attack(PATIENCE_S)), containment, limits)
    assert failure.kind == "memory"
    assert failure.message.endswith(" MiB of memory; it may have 200 MiB.")
    assert await result_of(bot(tmp_path / "bots", attack(0)), containment) == done


def filling(folder: str) -> str:
    return f"""
        result, names = 0, []
        try:
            for number in range(100):
                names.append(os.path.join({folder!r}, f"fill-{{os.getpid()}}-{{number}}"))
                with open(names[-1], "wb") as file:
                    result += file.write(bytes(1024 * 1024))
        except OSError:
            pass
        finally:
            for name in names:
                if os.path.exists(name):
                    os.unlink(name)
    """


async def test_the_kernel_kills_a_bot_before_the_league_when_memory_runs_out(tmp_path: Path) -> None:
    score = "/proc/self/oom_score_adj"
    writing = f"""
        try:
            open({score!r}, "w").write("0")
        except OSError:
            pass
        result = open({score!r}).read()
    """
    program("choom")
    assert int(await result_of(bot(tmp_path, writing), SANDBOX)) == 1000
    assert int(await result_of(bot(tmp_path, f"result = open({score!r}).read()"), None)) == 1000


@pytest.mark.parametrize(("folder", "size"), [("/tmp", TMP_BYTES), ("/dev/shm", SHM_BYTES)])
async def test_a_bot_cannot_fill_the_temporary_folders(tmp_path: Path, folder: str, size: int) -> None:
    spec = bot(tmp_path / "bots", filling(folder))
    assert await result_of(spec, SANDBOX) <= size
    assert await result_of(spec, None) == 100 * MIB


@pytest.mark.parametrize("folder", ["/", "/dev", "/etc", "/var/tmp"])
async def test_a_bot_cannot_write_anywhere_else(tmp_path: Path, folder: str) -> None:
    assert await result_of(bot(tmp_path / "bots", filling(folder)), SANDBOX) == 0
    assert await result_of(bot(tmp_path / "bots", filling(str(tmp_path))), None) == 100 * MIB


async def test_a_bot_gets_no_secret_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOUGHTS_TOKEN", "the-token")
    monkeypatch.setenv("SECRET", "the-secret")
    looking = """
        found = repr(dict(os.environ))
        for name in os.listdir("/proc"):
            try:
                found += repr(open(f"/proc/{name}/environ", "rb").read())
            except OSError:
                pass
        result = "the-secret" in found
        assert "the-token" not in repr(dict(os.environ))
    """
    spec = bot(tmp_path / "bots", looking)
    assert await result_of(spec, SANDBOX) is False
    assert await result_of(spec, None) is True


ATTACKS_ON_A_PROCESS: dict[str, Callable[[int], str]] = {
    "signal": lambda pid: f"os.kill({pid}, 0)",
    "memory": lambda pid: f"open('/proc/{pid}/mem', 'rb').close()",
    "descriptors": lambda pid: f"os.listdir('/proc/{pid}/fd')",
}


@pytest.mark.parametrize("attack", ATTACKS_ON_A_PROCESS)
async def test_a_bot_cannot_touch_other_processes(tmp_path: Path, attack: str) -> None:
    victim = await asyncio.create_subprocess_exec("sleep", "300")
    touching = f"""
        try:
            {ATTACKS_ON_A_PROCESS[attack](victim.pid)}
            result = "touched"
        except OSError as error:
            result = type(error).__name__
    """
    spec = bot(tmp_path / "bots", touching)
    try:
        assert await result_of(spec, SANDBOX) in ("ProcessLookupError", "FileNotFoundError")
        assert await result_of(spec, None) == "touched"
    finally:
        victim.kill()
        await victim.wait()


async def test_roots_bot_cannot_change_the_kernels_settings(tmp_path: Path) -> None:
    opening = """
        try:
            os.close(os.open("/proc/sys/vm/swappiness", os.O_WRONLY))
            result = "opened"
        except OSError as error:
            result = "refused"
    """
    spec = bot(tmp_path / "bots", opening)
    assert await result_of(spec, SANDBOX) == "refused"
    assert await result_of(spec, None) == ("opened" if os.geteuid() == 0 else "refused")


async def test_a_bot_has_no_rights(tmp_path: Path) -> None:
    looking = """
        status = dict(line.split(":", 1) for line in open("/proc/self/status"))
        rights = {int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
        result = [sorted(rights), status["NoNewPrivs"].strip(), os.getuid() != 0, len(os.listdir("/proc/self/fd"))]
    """
    rights, no_new, not_root, descriptors = await result_of(bot(tmp_path / "bots", looking), SANDBOX)
    assert (rights, no_new, not_root) == ([0], "1", True)
    assert descriptors <= 6  # 0, 1, 2, the two pipes, and the folder that is listed


async def test_a_command_is_contained_as_a_python_file_is(tmp_path: Path) -> None:
    folder = tmp_path / "bots"
    folder.mkdir(0o700)
    script = folder / "bot.sh"
    script.write_text(f"#!/bin/sh\ncat {tmp_path}/secret >&2\nwhile read -r line; do echo 5; done\n")
    script.chmod(0o755)
    (tmp_path / "secret").write_text("the secret\n")
    for containment, leaked in ((SANDBOX, False), (None, True)):
        assert ("the secret" in await stderr_of(BotSpec("exec", str(script), "sh"), containment)) is leaked


NODE = """
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => console.log(JSON.parse(line).legal_moves[0]));
"""

PYTHON = """
import json, sys
for line in sys.stdin:
    print(json.loads(line)["legal_moves"][0], flush=True)
"""


@pytest.mark.parametrize(("interpreter", "code"), [("node", NODE), (sys.executable, PYTHON)], ids=["node", "python"])
async def test_interpreters_work_in_the_sandbox(tmp_path: Path, interpreter: str, code: str) -> None:
    script = tmp_path / "bot"
    script.write_text(code)
    spec = BotSpec("exec", f"{program(interpreter)} {script}", "bot")
    playing = await start(spec, "tictactoe", containment=SANDBOX)
    try:
        assert await playing.choose(state_after(), patience_s=PATIENCE_S) == ("1", "")
    finally:
        await playing.close()


async def test_a_command_that_names_no_file_sees_where_its_program_is_installed() -> None:
    code = "import json, sys; print(json.loads(sys.stdin.readline())['symbol'])"
    command = f'{sys.executable} -c "{code}"'
    playing = await start(BotSpec("exec", command, "bot"), "tictactoe", containment=SANDBOX)
    try:
        with pytest.raises(BotFailed, match="The bot answered 'x', which is not a legal move"):
            await playing.choose(state_after(), patience_s=PATIENCE_S)
    finally:
        await playing.close()


async def stderr_of(spec: BotSpec, containment: Containment | None) -> str:
    """The bot's stderr when it has answered."""
    playing = await start(spec, "tictactoe", containment=containment)
    try:
        assert await playing.choose(state_after(), patience_s=PATIENCE_S) == ("5", "")
        await soon(lambda: playing.stderr != "")
        return playing.stderr
    finally:
        await playing.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's sandbox has a user of its own")
async def test_a_file_that_the_sandboxs_user_cannot_read_is_refused(tmp_path: Path) -> None:
    spec = bot(tmp_path / "bots", "result = 1")
    os.chmod(spec.target, 0o600)
    failure = await failure_of(spec, SANDBOX, BOUNDLESS)
    assert failure.kind == "start"
    assert failure.message == f"The sandbox's user cannot read {spec.target}: run chmod o+r on it."


def script(file: Path, mode: int) -> BotSpec:
    """A program that plays the first legal move, in folders that nobody else may enter."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('#!/bin/sh\nwhile read line; do echo \'{"move": "1", "note": "1"}\'; done\n')
    file.chmod(mode)
    return BotSpec("exec", str(file), "bot")


@pytest.mark.parametrize("name", ["bots/bot", "bots/bin/bot"])
async def test_a_program_in_a_closed_folder_plays(tmp_path: Path, name: str) -> None:
    spec = script(tmp_path / name, 0o755)
    (tmp_path / "bots").chmod(0o700)
    assert await result_of(spec, SANDBOX) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's sandbox has a user of its own")
@pytest.mark.parametrize("mode", [0o744, 0o700])
async def test_a_program_that_the_sandboxs_user_cannot_run_is_refused(tmp_path: Path, mode: int) -> None:
    spec = script(tmp_path / "bot", mode)
    failure = await failure_of(spec, SANDBOX, BOUNDLESS)
    assert failure.kind == "start"
    assert failure.message == f"The sandbox's user cannot run {spec.target}: run chmod o+rx on it."
