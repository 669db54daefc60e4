"""Games from other packages: those in examples/games, installed and played, and games that are refused."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from noughts.games import GAMES, OWN, SEAM
from noughts.games.installed import Games, installed
from support.client import Client, Json, connected

EXAMPLES = Path(__file__).parents[2] / "examples" / "games"
PATH = os.pathsep.join(sys.path)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment in which the packages are installed as docs/games.md says.

    What the server itself needs comes from our own environment, and nothing from the network.
    """
    environment = tmp_path_factory.mktemp("environment")
    copies = shutil.copytree(EXAMPLES, tmp_path_factory.mktemp("packages") / "games")
    packages = sorted(copies.iterdir())
    assert len(packages) == 3
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    interpreter = environment / "bin" / "python"
    install = ["install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", *map(str, packages)]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(interpreter), *install]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": PATH})
    return interpreter


@asynccontextmanager
async def served(python: Path) -> AsyncIterator[str]:
    """A server that is run by ``python``; its URL."""
    server = await asyncio.create_subprocess_exec(
        python,
        *("-m", "noughts", "serve", "--port=0", "--journal=memory", "--computer-pace-s=0"),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": PATH},
    )
    try:
        assert server.stdout is not None
        async with asyncio.timeout(30):
            assert b"listening" in await server.stdout.readline()
            yield (await server.stdout.readline()).decode().strip()
    finally:
        server.terminate()
        await server.wait()


@pytest.mark.slow
async def test_the_games_of_the_docs_are_installed_and_playable(python: Path) -> None:
    async with served(python) as url, connected(url, "ann") as ann, connected(url, "ben") as ben:
        (info,) = [game for game in ann.welcome["games"] if game["key"] == "four"]
        assert info["title"] == "Four in a row on 5x5"
        assert [len(row) for row in info["layout"]] == [5] * 5
        (info,) = [game for game in ann.welcome["games"] if game["key"] == "coins"]
        assert info["title"] == "Coins in a row"
        assert info["layout"] == [["a3", "b1", "c4", "d1", "e5", "f9", "g2", "h6"]]
        assert info["levels"] == ["best", "hard", "medium", "easy"]
        room = (await ann.ok(type="create", game="coins"))["room"]
        await ben.ok(type="join", room=room)
        assert (await ben.play(room, 0, "a3"))["code"] == "not_your_turn"
        assert (await ann.play(room, 0, "c4"))["code"] == "illegal_move"
        assert (await ann.play(room, 0, "5"))["code"] == "malformed_move"
        for turn, move in enumerate(["h6", "a3", "b1", "g2", "f9", "c4", "e5", "d1"]):
            answer = await (ben if turn % 2 else ann).play(room, turn, move)
            assert answer["type"] == "ok", answer
        while (end := (await ann.push("update"))["state"])["status"] != "over":
            pass
        assert end["rows"] == ["oxooxxox"]
        assert end["outcome"] == {"winner": "first", "reason": "count", "cells": []}
        assert end["score"] == [21, 10]


@pytest.mark.slow
async def test_the_computer_plays_the_docs_game_in_a_row(python: Path) -> None:
    async with served(python) as url, connected(url, "ann") as ann:
        await ann.ok(type="create", game="four", seats={"first": "me", "second": "computer:easy"})
        state = await play_at_random(ann)
        assert state["outcome"]["reason"] in {"line", "draw"}


@pytest.mark.slow
async def test_the_computer_plays_the_docs_game_of_moving_pieces(python: Path) -> None:
    async with served(python) as url, connected(url, "ann") as ann:
        (info,) = [game for game in ann.welcome["games"] if game["key"] == "toads"]
        assert info["pieces"]["t"] == {"side": "first", "name": "toad", "glyph": "●"}
        await ann.ok(type="create", game="toads", seats={"first": "me", "second": "computer:hard"})
        state = await play_at_random(ann)
        assert state["outcome"]["reason"] == "no_moves"


@pytest.mark.slow
async def test_the_computer_plays_the_docs_coin_game(python: Path) -> None:
    async with served(python) as url, connected(url, "ann") as ann:
        seats = {"first": "me", "second": "computer:medium"}
        await ann.ok(type="create", game="coins", seats=seats)
        state = await play_at_random(ann)
        assert state["outcome"]["reason"] == "count"
        assert len(state["moves"]) == 8


BOT = """
import sys
from noughts_client import run

def choose(state):
    position = state.position
    assert position.rows == tuple(state["rows"])
    return position.legal_moves[0]

run(choose, sys.argv[1], game="coins", against="easy")
"""


@pytest.mark.slow
async def test_a_bot_searches_a_game_of_the_docs_where_it_is_installed(python: Path) -> None:
    async with served(python) as url:
        for interpreter in (str(python), sys.executable):
            bot = await asyncio.create_subprocess_exec(
                *(interpreter, "-c", BOT, url),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": PATH},
            )
            out, err = (text.decode() for text in await bot.communicate())
            if interpreter == str(python):
                assert (bot.returncode, err) == (0, "")
                assert re.search(r"^(Won|Lost|Drawn) as .* against computer \(easy\), by count", out, re.MULTILINE)
            else:
                assert bot.returncode == 1
                assert "The game 'coins' is not installed on this machine. Install the package noughts-coins " in err


async def play_at_random(client: Client) -> Json:
    """Play the side that begins to the end; the last state."""
    rng = random.Random(1)
    while True:
        message = await client.push()
        room, state = message["room"], message["state"]
        if state["status"] == "over":
            return dict(state)
        if state["to_move"] == "first":
            answer = await client.play(room, state["turn"], rng.choice(state["legal_moves"]))
            assert answer["type"] == "ok", answer


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory where modules and the metadata of their packages are found."""
    assert list(GAMES)  # all are known by now, without what the test installs
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def install(path: Path, package: str, entry: str, module: str = "") -> None:
    known = path / f"{package}-1.0.dist-info"
    known.mkdir()
    (known / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    (known / "entry_points.txt").write_text(f"[noughts.games]\n{entry}\n", encoding="utf-8")
    (path / f"{package}.py").write_text(module, encoding="utf-8")


FOUR = "from noughts.games.mnk import mnk\nGAME = mnk({!r}, 'Four', 4, 4, 4)\n"
OTHERWISE = "from dataclasses import replace\n" + FOUR.format("four") + "GAME = replace(GAME, {})\n"


def test_installed_games_come_after_our_own(path: Path) -> None:
    install(path, "noughts_four_good", "four = noughts_four_good:GAME", FOUR.format("four"))
    games = installed(GAMES)
    assert list(games) == [*GAMES, "four"]
    assert games["four"].title == "Four"


def test_packages_are_looked_for_when_a_key_is_none_of_our_own(path: Path) -> None:
    games = Games(OWN)
    assert games["connect4"] is GAMES["connect4"]
    install(path, "noughts_four_late", "four = noughts_four_late:GAME", FOUR.format("four"))
    assert "four" in games
    assert "five" not in games
    assert len(games) == len(GAMES) + 1


def test_a_game_may_end_as_another_does_and_in_ways_of_its_own(path: Path) -> None:
    endings = (*GAMES["chess"].endings, ("bored", "by boredom"))
    install(path, "noughts_four_ends", "four = noughts_four_ends:GAME", OTHERWISE.format(f"endings={endings!r}"))
    assert installed(GAMES)["four"].endings == endings


def test_a_game_for_an_older_noughts_is_taken(path: Path) -> None:
    install(path, "noughts_four_old", "four = noughts_four_old:GAME", OTHERWISE.format("seam=1"))
    assert installed(GAMES)["four"].seam == 1


@pytest.mark.parametrize(
    ("package", "entry", "module", "why"),
    [
        ("noughts_gone", "four = noughts_nowhere:GAME", "", "ModuleNotFoundError"),
        ("noughts_broken", "four = noughts_broken:GAME", "1 / 0", "ZeroDivisionError"),
        ("noughts_empty", "four = noughts_empty:GAME", "", "AttributeError"),
        ("noughts_none", "four = noughts_none:GAME", "GAME = None", "is not a noughts.games.Game"),
        ("noughts_named", "five = noughts_named:GAME", FOUR.format("four"), "its key is 'four'"),
        ("noughts_again", "connect4 = noughts_again:GAME", FOUR.format("connect4"), "another game has this key"),
        ("noughts_loud", "Four = noughts_loud:GAME", FOUR.format("Four"), "its key is 'Four'"),
        (
            "noughts_new",
            "four = noughts_new:GAME",
            OTHERWISE.format(f"seam={SEAM + 1}"),
            rf"it was written for a newer Noughts: seam {SEAM + 1}, and this one has {SEAM}$",
        ),
        (
            "noughts_common",
            "four = noughts_common:GAME",
            OTHERWISE.format("endings=(('time', 'by the bell'),)"),
            "the ending 'time' is one of every game$",
        ),
        (
            "noughts_other",
            "four = noughts_other:GAME",
            OTHERWISE.format("endings=(('stalemate', 'in a corner'),)"),
            "another game puts its ending 'stalemate' as 'by stalemate'$",
        ),
        (
            "noughts_shown",
            "four = noughts_shown:GAME",
            OTHERWISE.format("example='z9'"),
            "MalformedMove: a move is a cell",
        ),
    ],
)
def test_a_broken_game_is_left_out_with_a_warning(path: Path, package: str, entry: str, module: str, why: str) -> None:
    install(path, package, entry, module)
    with pytest.warns(RuntimeWarning, match=rf"of {package} is left out: .*{why}"):
        assert installed(GAMES) == GAMES


def test_the_first_of_two_games_with_one_key_is_kept(path: Path) -> None:
    install(path, "noughts_four_a", "four = noughts_four_a:GAME", FOUR.format("four"))
    install(path, "noughts_four_b", "four = noughts_four_b:GAME", FOUR.format("four"))
    with pytest.warns(RuntimeWarning, match="another game has this key"):
        games = installed(GAMES)
    assert list(games) == [*GAMES, "four"]


def test_without_installed_games_there_is_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert installed(GAMES) == GAMES
