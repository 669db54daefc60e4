"""A private copy of a bot's files: what plays does not change, and its folder has nobody else's files.

docs/sandbox.md says what belongs to a bot.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from noughts_client.bots.program import BotSpec, Program, command_program, python_program, too_wide
from noughts_client.bots.sandbox import MIB, open_to_all, unreadable

MAIN = "bot.py"
"""The program in a folder of several Python files."""

IGNORED = ("__MACOSX", "__pycache__", "Thumbs.db", "desktop.ini")
"""Files and folders that no bot needs, besides hidden ones."""

NOT_OF_BOTS = ("league.json", "class.json", "pyvenv.cfg")
"""A folder with one of these belongs to no bot: a league, a class, an environment of Python."""

MOST_FILES = 2000
MOST_BYTES = 200 * MIB
"""The most that a bot's folder may have, to be copied whole."""

SHARED = "other bots are in that folder: give each bot a folder of its own"
LARGE = (
    f"the folder has more than {MOST_FILES} files or {MOST_BYTES // MIB} MiB: put what the bot needs into a folder of "
    "its own"
)
WIDE = "the folder is for many things: put what the bot needs into a folder of its own"
OF_NO_BOT = "hidden files, links, and the folders of leagues and of other bots are left out"

_CHOOSES = re.compile(rb"^(async )?def choose\b", re.MULTILINE)

Files = Sequence[tuple[Path | bytes, Path]]
"""Files or their contents, and their places in a copy."""


@dataclass(frozen=True)
class Copy:
    """The copy of a bot's files in ``folder``, which are those of the folder ``original``.

    ``left_out`` has the names of what was not copied though it lies beside the bot, each with the reason. ``refused``
    says why nothing was copied and the bot must not start; it is empty if it may.
    """

    folder: Path
    original: Path
    left_out: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""

    def in_original(self, text: str) -> str:
        """A text of the bot with the paths that its author knows."""
        return text.replace(f"{self.folder}{os.sep}", f"{str(self.original).rstrip(os.sep)}{os.sep}")

    def advice(self, text: str) -> str:
        """A sentence for a bot that failed with ``text`` because it needs what was left out; empty if it does not."""
        for name, why in self.left_out.items():
            if _is_named(name, text):
                return f" {name} lies beside the bot, but not in the copy that runs, because {why}."
        return ""


def freeze(
    spec: BotSpec, folder: Path, others: Iterable[Path] = (), *, contained: bool = True
) -> tuple[BotSpec, Copy | None]:
    """Copy a bot's files into ``folder``, which must not exist; the bot that the copy is.

    ``others`` are files of other bots. ``contained`` says whether it will run in a sandbox, which must not show it what
    root alone may read. A program without files of its own, such as one that is installed, is returned as it is,
    without a copy. Raises NoSuchProgram and OSError.
    """
    program = python_program(spec.target) if spec.kind == "python" else command_program(spec.target)
    not_own = {Path(os.path.realpath(file)) for file in others} - set(program.files)
    if not program.files or (program.folder is None and not _shares_an_installation(program, not_own)):
        return spec, None
    root = Path(os.path.commonpath([file.parent for file in program.files]))
    folder = Path(os.path.realpath(folder))
    if refused := _refused(spec, program, contained):
        return spec, Copy(folder, root, refused=refused)
    found: dict[Path, None] = {}
    left_out: dict[str, str] = {}
    for file in program.files:
        bots = not_own | (set() if spec.kind != "python" else set(_bots_beside(file)))
        files, missing = _belongings(file, set(program.files), bots)
        found |= dict.fromkeys(files)
        left_out |= missing
    folder.mkdir(parents=True)
    write_copies([(file, file.relative_to(root)) for file in found], folder)
    copies = {str(file): str(folder / file.relative_to(root)) for file in program.files}
    if spec.kind == "python":
        target = copies[str(program.files[0])]
    else:
        target = shlex.join(copies.get(word, word) for word in program.argv)
    return replace(spec, target=target), Copy(folder, root, left_out)


@dataclass(frozen=True)
class Packed:
    """A bot that :func:`freeze` has returned, on its way to another machine: ``files`` have those of its copy, by their
    places, and whether each may be run. Without a copy it has none, and must be installed there.
    """

    spec: BotSpec
    copy: Copy | None
    files: tuple[tuple[str, bytes, bool], ...]

    def unpack(self, folder: Path) -> tuple[BotSpec, Copy | None]:
        """Write the copy into ``folder``, which must not exist; the bot that it is. Raises OSError."""
        if self.copy is None or self.copy.refused:
            return self.spec, self.copy
        folder = Path(os.path.realpath(folder))
        folder.mkdir(parents=True)
        write_copies([(content, Path(place)) for place, content, _ in self.files], folder)
        for place, _, runs in self.files:
            if runs:
                (folder / place).chmod(0o555)

        def moved(word: str) -> str:
            return str(folder / Path(word).relative_to(was)) if Path(word).is_relative_to(was) else word

        was, target = self.copy.folder, self.spec.target
        target = moved(target) if self.spec.kind == "python" else shlex.join(map(moved, shlex.split(target)))
        return replace(self.spec, target=target), replace(self.copy, folder=folder)


def pack(spec: BotSpec, copy: Copy | None) -> Packed:
    """A frozen bot with the files of its copy. Raises OSError."""
    folder = None if copy is None or copy.refused else copy.folder
    found = sorted(path for path in folder.rglob("*") if path.is_file()) if folder is not None else []
    files = [(path.relative_to(str(folder)).as_posix(), path.read_bytes(), os.access(path, os.X_OK)) for path in found]
    return Packed(spec, copy, tuple(files))


def way_out(file: Path) -> Path | None:
    """The link by which a file, or the folder where it is, leads out of where that link lies; None without one.

    Somebody else may have made the link, and the file behind it may be private.
    """
    for path in (file.absolute(), file.absolute().parent):
        if path.is_symlink() and not too_wide(path):
            real = Path(os.path.realpath(path))
            if not real.is_relative_to(os.path.realpath(path.parent)):
                return path
    return None


def _refused(spec: BotSpec, program: Program, contained: bool) -> str:
    """The reason why the own files of a bot must not be copied; empty if they may."""
    words = [spec.target] if spec.kind == "python" else shlex.split(spec.target)
    for named in (Path(word).absolute() for word in words if os.path.isfile(word)):
        file = Path(os.path.realpath(named))
        if file not in program.files and named not in program.files:
            continue
        if (link := way_out(named)) is not None:
            return f"{link} is a link that leads out of its folder: name {file} itself if it is the bot that you mean."
        if contained and sys.platform != "win32" and os.geteuid() == 0:
            if not open_to_all(file):
                return unreadable(file)
            # A folder that the person has named may be closed: root's home is. One behind a link must be open.
            for closed in sorted({*file.parents} - {*Path(os.path.abspath(named)).parents}):
                if not open_to_all(closed, stat.S_IXOTH):
                    return f"The sandbox's user cannot enter {closed}, to which a link leads: name {file} itself."
    return ""


def write_copies(files: Files, folder: Path) -> str:
    """Write files that nobody can change into ``folder``, which exists; the SHA-256 of all. Raises OSError."""
    digest = hashlib.sha256()
    for file, place in sorted(files, key=lambda each: each[1]):
        target = folder / place
        for parent in reversed(target.parents):
            if parent.is_relative_to(folder):
                parent.mkdir(exist_ok=True)
                parent.chmod(0o755)  # whatever the umask is: root's sandbox has a user of its own
        content = file if isinstance(file, bytes) else file.read_bytes()
        target.write_bytes(content)
        digest.update(_part(place, content))
        target.chmod(0o444 if isinstance(file, bytes) or not os.access(file, os.X_OK) else 0o555)
    return digest.hexdigest()


def sha256_of(files: Iterable[tuple[Path, Path]]) -> str:
    """The SHA-256 of files and their places, as :func:`write_copies` returns it. Raises OSError."""
    digest = hashlib.sha256()
    for file, place in sorted(files, key=lambda each: each[1]):
        digest.update(_part(place, file.read_bytes()))
    return digest.hexdigest()


def _part(place: Path, content: bytes) -> bytes:
    return f"{place.as_posix()}\0".encode() + hashlib.sha256(content).digest()


def is_ignored(place: Path) -> bool:
    """True if a file is no part of a bot; ``..``, which leads out of it, is as good as hidden."""
    return any(part in IGNORED or part.startswith(".") for part in place.parts)


def _shares_an_installation(program: Program, others: Iterable[Path]) -> bool:
    """True if another bot lies where a program in a folder ``bin`` is installed: then it gets a copy, too."""
    prefixes = [file.parent.parent for file in program.files]
    return any(other.is_relative_to(prefix) for other in others for prefix in prefixes)


def _bots_beside(file: Path) -> Iterator[Path]:
    """The other bots in the folder of a Python file; none for one that is called :data:`MAIN`."""
    if file.name == MAIN or too_wide(file.parent):
        return
    for path in file.parent.glob("*.py"):
        if path != file and path.is_file() and _CHOOSES.search(path.read_bytes()):
            yield path


def _belongings(file: Path, own: set[Path], others: set[Path]) -> tuple[list[Path], dict[str, str]]:
    """The files beside ``file`` that belong to its bot; and the names of what does not, each with the reason."""
    folder = file.parent
    found: list[Path] | None = None
    why = WIDE if too_wide(folder) else SHARED if any(other.parent == folder for other in others) else ""
    if not why:
        found = _whole(folder, own, others)
        why = OF_NO_BOT if found is not None else LARGE
    if found is None:
        found = [file, *(_whole(folder / file.stem, own, others) or () if (folder / file.stem).is_dir() else ())]
    copied = {path.relative_to(folder).parts[0] for path in found}
    return found, {name: why for name in sorted(os.listdir(folder)) if name not in copied}


def _whole(folder: Path, own: set[Path], others: set[Path]) -> list[Path] | None:
    """The files in a folder that may belong to a bot; None if they are too many or too large."""
    found, size = list[Path](), 0
    for path, folders, names in os.walk(folder):  # which does not enter linked folders
        here = Path(path)
        folders[:] = [name for name in sorted(folders) if _may_be_part(here / name, others)]
        for file in (here / name for name in sorted(names)):
            if file not in own and not _is_part(file, folder, others):
                continue
            found.append(file)
            size += file.stat().st_size
            if len(found) > MOST_FILES or size > MOST_BYTES:
                return None
    return found


def _may_be_part(folder: Path, others: set[Path]) -> bool:
    if is_ignored(Path(folder.name)) or any((folder / name).exists() for name in NOT_OF_BOTS):
        return False
    return not any(other.is_relative_to(folder) for other in others)


def _is_part(file: Path, folder: Path, others: set[Path]) -> bool:
    real = Path(os.path.realpath(file))
    if is_ignored(Path(file.name)) or real in others or not real.is_file() or not real.is_relative_to(folder):
        return False
    # What root alone may read was not meant for a bot. The sandbox, which would hide it, sees the copy's mode.
    return sys.platform == "win32" or os.geteuid() != 0 or bool(real.stat().st_mode & stat.S_IROTH)


def _is_named(name: str, text: str) -> bool:
    """True if an error names a file: a module in quotes, without its ending, or a path that ends with the name."""
    stem = re.escape(Path(name).stem)
    return bool(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])|['\"/]{stem}['\".]", text))
