"""docs/records.md shows real output, and describes every option."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from noughts.cli.main import main
from noughts.protocol.formats import written
from noughts.protocol.gamefile import RecordedGame, recorded, to_file
from noughts.protocol.movelist import move_list
from noughts.protocol.records import to_record
from noughts.rooms import Event, Fischer, NoChange, Open, Options, Play, Player, evolve
from support.rooms import decided

BEGINNING = 1_795_521_600_000

TEXT = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")


def played(key: str, moves: str, note: str) -> RecordedGame:
    """A game of these moves, a second each; ``note`` is on the second one."""
    one = Player("p-1", "player-1", "human", registered=True, rating=1512)
    bot = Player("p-2", "bot-1", "bot", registered=True, rating=1490, provisional=True)
    options = Options(rated=True, clock=Fischer(60_000, 2000))
    events: list[Event] = []
    opened = decided(None, Open("k3f9qzm2xw7ta", key, "p-1", one, bot, options), BEGINNING)
    assert not isinstance(opened, NoChange)
    room = evolve(None, opened)
    events.append(opened)
    for turn, move in enumerate(moves.split()):
        command = Play(("p-1", "p-2")[turn % 2], turn, move, note=note if turn == 1 else None)
        event = decided(room, command, room.at + 1000)
        assert not isinstance(event, NoChange)
        room = evolve(room, event)
        events.append(event)
    return recorded([*map(to_record, events)])


@pytest.fixture(scope="module")
def game() -> RecordedGame:
    """The game shown on the page."""
    return played("tictactoe", "1 5 2 7 3", "-0.7, depth 9: 1 5 2")


def test_the_move_list_is_as_printed(game: RecordedGame) -> None:
    (printed,) = re.findall(r"^```text\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    assert "".join(f"{line}\n" for line in move_list(game)) == printed


def test_the_game_in_the_format_of_other_programs_is_as_printed() -> None:
    (printed,) = re.findall(r"^```pgn\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    game = played("chess", "e2e4 e7e5 d1h5 e8e7 h5e5", "+0.2, depth 4: Nf3")
    assert "".join(f"{line}\n" for line in written(game)) == f"{printed}\n"


def test_the_first_line_is_as_printed(game: RecordedGame) -> None:
    (printed,) = re.findall(r"^```json\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    shown, made = json.loads(printed), json.loads(to_file(game).splitlines()[0])
    assert [*shown] == [*made]
    assert made["sha256"].startswith(shown["sha256"].removesuffix("..."))
    assert {**shown, "sha256": None} == {**made, "sha256": None}


def test_every_option_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help", "--journal-password-file"}
    assert options <= set(re.findall(r"--[a-z-]+", TEXT))
