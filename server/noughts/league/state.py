"""A league on disk: its folder, what it was asked to play, and a line for each game that is over.

``league.json`` is written once and never changed. ``games.jsonl`` grows by a line a game, which is on the disk before
anybody is told of the game. A line that was cut off by a crash is dropped: that game is played again.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from noughts.league.records import LeagueRecord, Record

SETTINGS = "league.json"
GAMES = "games.jsonl"
JOURNAL = "journal.sqlite3"
"""The journal of the league's own server."""

VERSION = 2
"""The format of the settings that this version reads."""


class _Versioned(TypedDict):
    version: int


_LEAGUE = TypeAdapter(LeagueRecord)
_VERSION = TypeAdapter(_Versioned)
_RECORD = TypeAdapter(Record)


class LeagueError(Exception):
    """A league cannot be played, or read; the text says why."""


class Folder:
    """The folder of a league. ``league`` is what it plays, ``records`` are its games that are over, as they ended."""

    def __init__(self, path: Path, league: LeagueRecord, records: Iterable[Record]) -> None:
        self.path = path
        self.league = league
        self.records = list(records)
        self._appending = asyncio.Lock()

    @property
    def journal(self) -> Path:
        """The file for the journal of the league's own server."""
        return self.path / JOURNAL

    def take_up(self) -> None:
        """Read the games again, as somebody may have played since, and remove a line that was cut off.

        Only whoever has the league's lock may do that. Raises :class:`LeagueError`.
        """
        file = self.path / GAMES
        try:
            lines = file.read_bytes()
            self.records = _records_in(file, lines)
            os.truncate(file, lines.rfind(b"\n") + 1)
        except OSError as error:
            raise LeagueError(f"cannot read {file}: {error.strerror}") from None

    async def append(self, record: Record) -> None:
        """Store a game. When this returns, it is on the disk. Raises :class:`LeagueError`."""
        async with self._appending:  # games that end together must not mix their lines
            await asyncio.to_thread(_append, self.path / GAMES, record)
            self.records.append(record)


def create(path: Path, league: LeagueRecord) -> Folder:
    """Make the folder of a new league. Raises :class:`LeagueError` if there is a league already."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        refuse_old(path)
        (path / GAMES).touch()
        write_whole(path / SETTINGS, json.dumps(league, indent=1) + "\n")
    except OSError as error:
        raise LeagueError(f"cannot write to {path}: {error.strerror}") from None
    return Folder(path, league, ())


def refuse_old(path: Path) -> None:
    """Raises :class:`LeagueError` if the folder has a league."""
    if (path / SETTINGS).exists():
        raise LeagueError(f"{path} has a league already; noughts league --resume {path} continues it")


def load(path: Path) -> Folder:
    """The league in a folder, which is not changed. Raises :class:`LeagueError` if there is none, or if a file is
    damaged.
    """
    try:
        league = _settings_in(path / SETTINGS)
        records = _records_in(path / GAMES, (path / GAMES).read_bytes())
    except FileNotFoundError:
        raise LeagueError(f"there is no league in {path}") from None
    except OSError as error:
        raise LeagueError(f"cannot read {path}: {error.strerror}") from None
    return Folder(path, league, records)


def _settings_in(path: Path) -> LeagueRecord:
    text = path.read_bytes()
    try:
        return _LEAGUE.validate_json(text)
    except ValidationError as error:
        with suppress(ValidationError):
            if (version := _VERSION.validate_json(text)["version"]) != VERSION:
                raise LeagueError(
                    f"{path} has format {version}, and this version of noughts reads format {VERSION}: use the version "
                    "that wrote it"
                ) from None
        raise LeagueError(f"{path} is damaged: {_first(error)}") from None


def _records_in(path: Path, text: bytes) -> list[Record]:
    """The records in the lines of a file; one without an end was cut off, and is left out."""
    records = []
    for number, line in enumerate(text.split(b"\n")[:-1], 1):
        try:
            records.append(_RECORD.validate_json(line))
        except ValidationError as error:
            raise LeagueError(
                f"line {number} of {path} is damaged: {_first(error)}. Delete the line, and its game is played again"
            ) from None
    return records


def _first(error: ValidationError) -> str:
    what = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(map(str, what["loc"]))
    return f"{where}: {what['msg']}" if where else what["msg"]


def _append(path: Path, record: Record) -> None:
    try:
        with path.open("ab") as file:
            file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise LeagueError(f"cannot write to {path}: {error.strerror}") from None


def write_whole(path: Path, text: str) -> None:
    """Write a file so that after a crash it is there as a whole or not at all. Raises OSError."""
    part = path.with_name(f"{path.name}.part")
    with part.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
