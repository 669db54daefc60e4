"""The pure modules of the page, by Node's own tests in client/test/."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from games.test_paths import NAMES
from noughts.protocol.words import ENDINGS, WORDS, ended
from noughts_client.page import FOLDER
from support.programs import program

pytestmark = pytest.mark.services

TESTS = Path(__file__).parents[2] / "client" / "test"


def test_the_pure_modules_of_the_page() -> None:
    files = sorted(map(str, TESTS.glob("*.test.js")))
    done = subprocess.run([program("node"), "--test", *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def run(module: str, code: str, given: Any) -> Any:
    """The result of ``code`` for ``given``, with the exports of a module of the page as ``page``."""
    source = (
        f"import * as page from {json.dumps((FOLDER / module).as_uri())};"
        f"const given = JSON.parse(process.argv[1]); console.log(JSON.stringify({code}));"
    )
    command = [program("node"), "--input-type=module", "--eval", source, json.dumps(given)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_the_page_puts_an_ending_as_everybody_does() -> None:
    """With the words of the server; what the server does not word is put as the terminal does."""
    ways: tuple[str | None, ...] = ("Ann won", "You lost", None)
    cases = [(who, reason) for who in ways for reason in (*ENDINGS, "checkmate")]
    for cells, block, score in (([], 0, None), (["a1"] * 4, 0, [13, 51]), (["a1"] * 11, 3, None)):
        put = run(
            "room_texts.js",
            "given[0].map(([who, reason]) => page.ended(given[1], who, { reason, cells: given[2] }, ...given[3]))",
            [cases, WORDS, cells, [{"score": score}, block]],
        )
        assert put == [
            ended(who, reason, lost=who == "You lost", cells=cells, boards=block > 0, score=score)
            for who, reason in cases
        ]


def test_a_moves_name_is_a_path_of_cells_as_for_the_server() -> None:
    given = [(move, list(names)) for names, move, _, _ in NAMES]
    found = run("moves.js", "given.map(([move, names]) => page.parts(move, new Set(names)))", given)
    assert found == [way + [rest] * bool(rest) for _, _, way, rest in NAMES]
