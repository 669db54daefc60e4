"""The command line of bubblewrap that contains a bot. docs/sandbox.md says what it contains and what it does not."""

from __future__ import annotations

import os
import random
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from noughts_client.bots.limits import MIB
from noughts_client.bots.program import PROGRAMS, Program, library, of_the_system, too_wide

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
SETTINGS = ("ld.so.cache", "alternatives", "localtime", "java-*-openjdk")
"""What programs need of /etc."""

ENVIRONMENT = ("bin", "lib", "lib64", "include", "share", "etc", "pyvenv.cfg")
"""What belongs to an environment of Python. People keep their own files beside that."""

_MADE = frozenset(map(Path, ("/", "/tmp")))  # noqa: S108

TMP_BYTES = 64 * MIB
"""The size of a bot's /tmp, and the longest file that it may write."""

SHM_BYTES = 16 * MIB

THREADS = 256
"""A hard bound on the threads of all processes of a bot: Java takes 30, numpy one or two for each core."""

OWN_PROCESSES = 2
"""The processes that bubblewrap itself adds."""

LOWEST_UID = 0x7000_0000
"""When root starts a bot, it runs as a user of its own, a random one from here on."""


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
    """Whether everybody may read a file, and enter a folder."""
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
