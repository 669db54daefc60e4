"""The sandbox of bots that nobody vouches for: the command line of bubblewrap, and what it contains on this machine.

docs/sandbox.md says what it contains and what it does not.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from noughts_client.bots.program import PROGRAMS, Program, library, of_the_system, python_path, too_wide

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
SETTINGS = ("ld.so.cache", "alternatives", "localtime", "java-*-openjdk")
"""The parts of /etc that programs need."""

ENVIRONMENT = ("bin", "lib", "lib64", "include", "share", "etc", "pyvenv.cfg")
"""The parts of an environment of Python. People keep their own files beside that."""

_MADE = frozenset(map(Path, ("/", "/tmp")))  # noqa: S108

MIB = 1024 * 1024

TMP_BYTES = 64 * MIB
"""The size of a bot's /tmp, and the longest file that it may write."""

SHM_BYTES = 16 * MIB

THREADS = 256
"""A hard bound on the threads of all processes of a bot: Java takes 30, numpy one or two for each core."""

OWN_PROCESSES = 2
"""The processes that bubblewrap itself adds."""

LOWEST_UID = 0x7000_0000
"""The lowest number of a user: when root starts a bot, it runs as a random one from here on."""


@dataclass(frozen=True)
class Containment:
    """The containment of bots on this machine.

    ``missing`` says in sentences what is not contained. ``hide`` are files and folders that a bot must not see although
    they lie in its own folder: a league's records, the other bots.
    """

    by: Literal["bubblewrap", "limits"]
    missing: tuple[str, ...] = ()
    hide: tuple[Path, ...] = ()


@cache
def probe() -> Containment:
    """Try what this machine contains, once: it takes about half a second, and blocks."""
    reason = why_not()
    if reason is not None:
        return Containment("limits", (reason, *EVERYTHING))
    return Containment("bubblewrap", leaks())


def refusal(containment: Containment) -> str | None:
    """The reason why other people's bots must not run on this machine without ``--uncontained``; None if they may."""
    if containment.by == "bubblewrap" and not containment.missing:
        return None
    return " ".join(
        (
            "Other people's bots cannot be contained here.",
            *containment.missing,
            "See docs/sandbox.md.",
            "Add --uncontained if you trust these bots all the same.",
        )
    )


def environment(containment: Containment | None) -> dict[str, str]:
    """The environment of a bot: nearly nothing in the sandbox, and elsewhere this process's without NOUGHTS_*."""
    if not _in_sandbox(containment):
        own = {name: value for name, value in os.environ.items() if not name.startswith("NOUGHTS_")}
        return own | python_path(os.environ.get("PYTHONPATH", ""))
    path = "/usr/local/bin:/usr/bin:/bin"
    return {"PATH": path, "HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", **python_path()}  # noqa: S108


def command(program: Program, containment: Containment | None) -> list[str]:
    """The command that starts ``program``. Raises :class:`~noughts_client.bots.sandbox.Unreadable`."""
    if containment is not None and _in_sandbox(containment):
        return [*first_to_die(), *contained(program, containment.hide)]
    return [*first_to_die(), *dying_with_parent(), *program.argv]


def _in_sandbox(containment: Containment | None) -> bool:
    return containment is not None and containment.by == "bubblewrap"


@cache
def first_to_die() -> tuple[str, ...]:
    """The words before a command that make Linux kill it first when memory runs out; empty if that is not possible.

    A bot can hold memory that nobody counts, and the kernel might end the league instead. It takes ``choom`` of
    util-linux.
    """
    return _prefix("choom", "-n", "1000", "--")


@cache
def dying_with_parent() -> tuple[str, ...]:
    """The words before a command that make Linux kill it if this process ends; empty if that is not possible here.

    It takes a ``setpriv`` that knows ``--pdeathsig``: util-linux's does, BusyBox's does not. The kernel kills the
    program alone, and not its children; and it does so already at the end of the thread that started it.
    """
    return _prefix("setpriv", "--pdeathsig", "KILL", "--")


def _prefix(name: str, *arguments: str) -> tuple[str, ...]:
    """The command that starts another, if it works here. It blocks for some milliseconds."""
    program = shutil.which(name) if sys.platform.startswith("linux") else None
    if program is None:
        return ()
    tried = subprocess.run([program, *arguments, "true"], capture_output=True, check=False)  # noqa: S603
    return (program, *arguments) if tried.returncode == 0 else ()


class Unreadable(ValueError):
    """The sandbox's user must not read the bot. The text says what to do."""


def contained(program: Program, hide: Iterable[Path]) -> list[str]:
    """The command that starts ``program`` contained, and without a sight of ``hide``. Raises :class:`Unreadable`."""
    root = sys.platform != "win32" and os.geteuid() == 0
    bwrap, become = ["bwrap"], []
    if root:  # in a user namespace root's bot would still own the files of /proc/sys, and RLIMIT_NPROC would not bind
        uid = LOWEST_UID + random.randrange(2**27)
        bwrap += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        bwrap += ["--cap-drop", "ALL"]
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            bwrap += ["--cap-add", capability]
        become = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--bounding-set=-all"]
        become += ["--inh-caps=-all", "--"]
    else:
        bwrap += ["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"]
    bwrap += ["--die-with-parent", "--new-session", "--hostname", "bot", *_mounts(program, hide, root)]
    bounds = [f"--fsize={TMP_BYTES}", "--core=0", f"--nproc={THREADS}", "--nofile=1024"]
    return [*bwrap, "--chdir", str(program.folder or os.sep), "--", *become, "prlimit", *bounds, "--", *program.argv]


def _mounts(program: Program, hide: Iterable[Path], root: bool) -> list[str]:
    """Everything that the bot sees, read-only but for its own /tmp."""
    arguments: list[str] = []
    for name in filter(os.path.exists, SYSTEM):
        arguments += ["--symlink", os.readlink(name), name] if os.path.islink(name) else ["--ro-bind", name, name]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    for name, size in (("/dev/shm", SHM_BYTES), ("/tmp", TMP_BYTES)):  # noqa: S108
        arguments += ["--perms", "1777", "--size", str(size), "--tmpfs", name]
    paths = [path for pattern in SETTINGS for path in Path("/etc").glob(pattern)] + shown(program, root)
    for folder in sorted({folder for path in paths for folder in path.parents} - _MADE):
        arguments += ["--perms", "0755", "--dir", str(folder)]  # bubblewrap would close them to others
    for path in paths:
        arguments += ["--ro-bind", str(path), str(path)]
    for hidden in map(os.path.realpath, hide):  # a link leads there, and nothing can be mounted on a link
        if Path(hidden) in program.files or not any(map(Path(hidden).is_relative_to, paths)):
            continue
        if os.path.isdir(hidden):
            arguments += ["--perms", "0555", "--tmpfs", hidden, "--remount-ro", hidden]
        elif os.path.exists(hidden):
            arguments += ["--ro-bind", os.devnull, hidden]
    return [*arguments, "--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/"]


def shown(program: Program, root: bool) -> list[Path]:
    """The files and folders outside of the system that the bot sees, parents first. Raises :class:`Unreadable`."""
    found: set[Path] = set(program.reads)
    for executable in program.executables:
        if root and not open_to_all(executable, stat.S_IROTH | stat.S_IXOTH):
            raise Unreadable(f"The sandbox's user cannot run {executable}: run chmod o+rx on it.")
        found |= set(_installed(executable, root))
    if sys.executable in map(str, program.executables):
        for folder in map(Path, library()):
            found |= set(_parts_of(folder))
    for file in program.files:
        found |= set(_own_files(file, root))
    outermost: list[Path] = []
    for path in sorted(found):
        if path.exists() and not of_the_system(path) and not any(map(path.is_relative_to, outermost)):
            outermost.append(path)
    return outermost


def _own_files(file: Path, root: bool) -> Iterable[Path]:
    """The bot's folder, or what can be shown of it."""
    if root and not open_to_all(file):
        raise Unreadable(unreadable(file))
    return _beside(file, root)


def _beside(file: Path, root: bool) -> Iterable[Path]:
    """The folder of a file, or the file alone if that would show too much."""
    folder = file.parent
    return [file] if too_wide(folder) else _whole(folder, root)


def _whole(folder: Path, root: bool) -> Iterable[Path]:
    """A folder, or what others may read in it if they may not enter it: a teacher's home is closed as a rule."""
    if root and not open_to_all(folder):
        return [path for path in folder.iterdir() if open_to_all(path)]
    return _parts_of(folder)


def _parts_of(folder: Path) -> Iterable[Path]:
    """The folder, or of an environment of Python what belongs to it."""
    return [folder / name for name in ENVIRONMENT] if (folder / "pyvenv.cfg").is_file() else [folder]


def unreadable(file: Path) -> str:
    """That the sandbox's user must not read a bot's file, and what to do."""
    return f"The sandbox's user cannot read {file}: run chmod o+r on it."


def open_to_all(path: Path, needed: int = stat.S_IROTH) -> bool:
    """True if everybody may read a file, and enter a folder."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    needed |= stat.S_IXOTH if stat.S_ISDIR(mode) else 0
    return mode & needed == needed


def _installed(executable: Path, root: bool) -> Iterable[Path]:
    """The folder that a program is installed in, and those of the links that lead to it."""
    hops, path = [executable], executable
    while path.is_symlink() and len(hops) < 40:
        path = Path(os.path.abspath(path.parent / os.readlink(path)))
        hops.append(path)
    for hop in (*hops, executable.resolve()):
        prefix = hop.parent.parent
        if hop.parent.name in PROGRAMS and prefix.name != ".local" and not too_wide(prefix):
            yield from _whole(prefix, root)
        elif not of_the_system(hop):
            yield from _beside(hop, root)


PATIENCE_S = 30
"""A probe that takes longer has failed."""

ENDING_S = 10
"""A process that lives longer than its sandbox's parent by so much outlives it."""

NETWORK = "Bots can reach the network and the servers on this machine."
FILES = "Bots can read your files."
PROCESSES = "Bots can start any number of processes."
OUTLIVE = "A bot's processes may outlive its game."
EVERYTHING = (NETWORK, FILES, PROCESSES, OUTLIVE)

_INSIDE = """
import json, os, socket, sys, threading
port, home, threads = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
try:
    socket.create_connection(("127.0.0.1", port), 5)
    network = True
except OSError:
    network = len(socket.if_nameindex()) > 1
try:
    seen = os.listdir(home)
except OSError:
    seen = []
wait, bound = threading.Event(), False
try:
    for _ in range(threads):
        threading.Thread(target=wait.wait, daemon=True).start()
except RuntimeError:
    bound = True
wait.set()
print(json.dumps({"network": network, "seen": seen, "bound": bound}))
"""

_SURVIVOR = "import time; print('up', flush=True); time.sleep(300)"

_PARENT = "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(300)"


def why_not() -> str | None:
    """The reason why bubblewrap cannot be used here, in a sentence, or None if it starts."""
    if not sys.platform.startswith("linux"):
        return "There is bubblewrap on Linux only."
    needed = ("bwrap", "prlimit", "setpriv") if os.geteuid() == 0 else ("bwrap", "prlimit")
    for name in needed:
        if shutil.which(name) is None:
            package = "bubblewrap" if name == "bwrap" else "util-linux"
            return f"The program {name} is not installed (package {package})."
    try:
        tried = subprocess.run(_command("pass"), capture_output=True, text=True, timeout=PATIENCE_S, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return "bubblewrap hangs here."
    except Unreadable as error:  # this interpreter
        return str(error)
    if tried.returncode == 0:
        return None
    said = tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"]
    return f"bubblewrap does not work here: {said[-1]}."


def leaks() -> tuple[str, ...]:
    """The things that bots could do in the sandbox on this machine, a sentence each: none, where all is well."""
    home = Path.home()
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = _command(_INSIDE, str(server.getsockname()[1]), str(home), str(THREADS))
        try:
            said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout  # noqa: S603
            found: dict[str, Any] = json.loads(said)
        except (subprocess.SubprocessError, ValueError):
            return EVERYTHING
    expected = {path.relative_to(home).parts[0] for path in shown(_program(""), False) if path.is_relative_to(home)}
    checks = {
        NETWORK: not found["network"],
        FILES: set(found["seen"]) <= expected,
        PROCESSES: found["bound"],
        OUTLIVE: _dies_with_its_parent(),
    }
    return tuple(sentence for sentence, holds in checks.items() if not holds)


def _dies_with_its_parent() -> bool:
    """True if a contained process ends when the process that started its sandbox is killed."""
    argv = [sys.executable, "-I", "-S", "-c", _PARENT, *_command(_SURVIVOR)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True) as parent:  # noqa: S603
        assert parent.stdout is not None
        try:
            up = _readable(parent.stdout.fileno(), PATIENCE_S) and parent.stdout.readline() == b"up\n"
            parent.kill()  # the survivor still holds the pipe, and its end is what shows that it has ended
            return up and _readable(parent.stdout.fileno(), ENDING_S) and parent.stdout.read(1) == b""
        finally:
            if sys.platform != "win32":
                with suppress(ProcessLookupError):
                    os.killpg(parent.pid, signal.SIGKILL)


def _readable(descriptor: int, within_s: float) -> bool:
    return bool(select.select([descriptor], [], [], within_s)[0])


def _program(code: str, *arguments: str) -> Program:
    argv = (sys.executable, "-I", "-S", "-c", code, *arguments)
    return Program(argv, executables=(Path(sys.executable),))


def _command(code: str, *arguments: str) -> list[str]:
    return contained(_program(code, *arguments), ())
