"""Bots as people name them, such as ``my_bot.py`` or ``uci:stockfish``, and the command lines and files behind them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePath
from typing import Literal

import noughts

BotKind = Literal["python", "exec", "uci", "gtp", "gomocup", "computer"]

COMMANDS: tuple[BotKind, ...] = ("exec", "uci", "gtp", "gomocup")
"""The kinds whose target is a command line."""

INTERPRETERS = {".js": "node", ".mjs": "node", ".sh": "sh", ".rb": "ruby", ".pl": "perl", ".lua": "lua"}
"""The interpreter of a program, by the ending of its file."""

_NAMED = re.compile(r"(?P<name>\w[\w .-]{0,31})=(?P<rest>.+)", re.DOTALL)


@dataclass(frozen=True)
class BotSpec:
    """A bot as named by a person. ``target`` is a file, a command line, or a level of the computer."""

    kind: BotKind
    target: str
    name: str


def parse_spec(text: str) -> BotSpec:
    """The bot that ``text`` names. ``NAME=`` before it gives it a name of at most 32 characters.

    Without one it is called by its file, program or level: ``my_bot``, ``c_bot``, ``hard``. Raises ValueError, which
    says what is wrong.
    """
    named = _NAMED.fullmatch(text)
    name, rest = (named["name"], named["rest"]) if named else ("", text)
    kind, colon, target = rest.partition(":")
    if colon and kind in COMMANDS:
        return BotSpec(kind, target, name or _stem(_words(rest, target)[0]))
    if colon and kind == "computer":
        if not target:
            raise ValueError(f"{text!r} names no level: write computer:LEVEL")
        return BotSpec("computer", target, name or target)
    if rest.casefold().endswith(".py"):
        return BotSpec("python", rest, name or _stem(rest))
    if (interpreter := INTERPRETERS.get(PurePath(rest).suffix.casefold())) and not colon:
        raise ValueError(f"{text!r} is not a Python file: write {shlex.quote(f'exec:{interpreter} {rest}')}")
    raise ValueError(
        f"{text!r} is not a bot: write FILE.py, {', '.join(f'{kind}:COMMAND' for kind in COMMANDS)} or computer:LEVEL"
    )


def _stem(path: str) -> str:
    """A file's name without its ending, as a player can be called."""
    return "".join(each if each.isprintable() else "_" for each in PurePath(path).stem[:32]).strip() or "bot"


def _words(text: str, command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"{text!r} is not a command: {str(error).lower()}") from None
    if not words:
        raise ValueError(f"{text!r} has no command")
    return words


class NoSuchProgram(ValueError):
    """The file or command does not exist. The text says so to a person."""


PROGRAMS = ("bin", "shims", "Scripts")
"""Folders of programs, whose parent is what was installed: pyenv and its like keep ``shims``,
Windows has ``Scripts``."""

WIDE = frozenset(map(Path, ("/", "/tmp", "/var/tmp", "/home", "/etc", "/opt", "/srv", "/mnt")))  # noqa: S108
"""Folders that a bot does not get to see whole, even if its file lies there."""


@dataclass(frozen=True)
class Program:
    """A program to start, by absolute paths.

    ``files`` are the bot's own, not links to them: a sandbox shows it their folders. ``executables`` are shown with
    what is installed beside them, ``reads`` as they are. ``folder`` is where it runs. It is None if the command names
    no file of its own: it runs in the current folder then, or in a sandbox, which does not show that, in ``/``.
    """

    argv: tuple[str, ...]
    files: tuple[Path, ...] = ()
    executables: tuple[Path, ...] = ()
    reads: tuple[Path, ...] = ()
    folder: Path | None = None


def python_program(file: str, module: str = "noughts_client.bots.child", *arguments: str) -> Program:
    """``module``, which loads the Python file of a bot. Raises :class:`NoSuchProgram`."""
    path = Path(os.path.realpath(file))
    if not path.is_file():
        raise NoSuchProgram(f"There is no file {file}.")
    argv = (sys.executable, "-P", "-s", "-u", "-m", module, str(path), *arguments)
    return Program(argv, (path,), (Path(sys.executable),), source_roots(), path.parent)


def command_program(command: str) -> Program:
    """A command line, which is split into words but not run by a shell.

    Its own files are the words that name files outside of the system's folders, and the program itself if a path
    names it and it is not installed; without such words also if it is. They are named by absolute paths, as it runs in
    the folder of the first; but not in that of installed programs. Raises :class:`NoSuchProgram`.
    """
    first, *rest = shlex.split(command)
    found = shutil.which(first)
    if found is None:
        raise NoSuchProgram(_not_found(first))
    executable = Path(os.path.abspath(found))
    words = [os.path.realpath(word) if os.path.isfile(word) else word for word in rest]
    files = [Path(word) for word in words if os.path.isabs(word) and os.path.isfile(word)]
    installed = executable.parent.name in PROGRAMS or executable.parent in map(Path, (sys.prefix, sys.base_prefix))
    named = [executable] if os.path.dirname(first) and not (installed and files) else []
    own = tuple(dict.fromkeys(path for path in (*files, *named) if not of_the_system(path)))
    folder = own[0].parent if own and (files or not installed) else None
    return Program((str(executable), *words), own, (executable,), folder=folder)


def _not_found(program: str) -> str:
    if not os.path.isfile(program):
        return f"There is no program {program}."
    if os.access(program, os.X_OK):
        return f"There is no program {program}. For the file of this name write ./{program}."
    return f"{program} is not executable. Run chmod +x {program}, or begin with what runs it, as in sh {program}."


def source_roots() -> tuple[Path, ...]:
    """The folders that ``noughts`` and ``noughts_client`` are imported from."""
    return tuple({Path(str(noughts.__file__)).parent.parent: None, Path(__file__).parent.parent.parent: None})


@cache
def library() -> tuple[str, ...]:
    """The folders where this interpreter finds its modules when nobody adds to them."""
    code = "import sys; print('\\n'.join([sys.prefix, sys.base_prefix, *sys.path]))"
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    said = subprocess.run(  # noqa: S603
        [sys.executable, "-P", "-s", "-c", code], env=clean, capture_output=True, text=True, check=True
    )
    return tuple(line for line in said.stdout.splitlines() if line)


def python_path(rest: str = "") -> dict[str, str]:
    """The PYTHONPATH, if one is needed, for a child to find this package, and then ``rest``."""
    missing = [str(root) for root in source_roots() if str(root) not in library()]
    missing += [rest] if rest else []
    return {"PYTHONPATH": os.pathsep.join(missing)} if missing else {}


def too_wide(folder: Path) -> bool:
    """True if a folder has many things, of which a bot must not see the others."""
    return folder in WIDE or Path.home().is_relative_to(folder)


def of_the_system(path: Path) -> bool:
    """True if the path is in a folder that every sandbox shows."""
    return len(path.parts) > 1 and path.parts[1] in {"usr", "bin", "lib", "lib64", "sbin"}
