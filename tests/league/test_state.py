import asyncio
import json
from pathlib import Path

import pytest

from noughts.league.state import GAMES, SETTINGS, LeagueError, create, load
from support.leagues import game, league


async def test_a_league_is_read_as_it_was_written(tmp_path: Path) -> None:
    folder = create(tmp_path / "new" / "league", league(["a", "b"]))
    records = [game(1, "a", "b", "first"), game(2, "b", "a", None)]
    for record in records:
        await folder.append(record)
    again = load(folder.path)
    assert again.league == league(["a", "b"])
    assert again.records == folder.records == records


async def test_games_that_end_together_have_a_line_each(tmp_path: Path) -> None:
    folder = create(tmp_path, league(["a", "b"]))
    long = ["1"] * 5000  # more than a file writes at once
    await asyncio.gather(*(folder.append(game(number, "a", "b", "first", moves=long)) for number in range(1, 41)))
    assert load(tmp_path).records == folder.records
    assert len(folder.records) == 40


async def test_a_line_that_was_cut_off_by_a_crash_is_dropped(tmp_path: Path) -> None:
    folder = create(tmp_path, league(["a", "b"]))
    await folder.append(game(1, "a", "b", "first"))
    whole = (tmp_path / GAMES).read_bytes()
    for cut in (whole[:1], whole[:-1]):
        (tmp_path / GAMES).write_bytes(whole + cut)
        assert len(load(tmp_path).records) == 1
        assert (tmp_path / GAMES).read_bytes() == whole + cut  # reading alone changes nothing
        mended = load(tmp_path)
        mended.take_up()
        await mended.append(game(2, "b", "a", "first"))
        assert [record["game"] for record in load(tmp_path).records] == [1, 2]


def test_a_folder_has_one_league(tmp_path: Path) -> None:
    create(tmp_path, league(["a", "b"]))
    with pytest.raises(LeagueError, match="has a league already; noughts league --resume"):
        create(tmp_path, league(["a", "c"]))


def test_what_is_not_a_league_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(LeagueError, match="there is no league in"):
        load(tmp_path)
    create(tmp_path, league(["a", "b"]))
    (tmp_path / SETTINGS).write_text("{}")
    with pytest.raises(LeagueError, match=r"league\.json is damaged: .*[rR]equired"):
        load(tmp_path)


@pytest.mark.parametrize("more", [{}, {"something": "new"}])
def test_a_league_of_another_version_says_so(tmp_path: Path, more: dict[str, str]) -> None:
    create(tmp_path, league(["a", "b"]))
    (tmp_path / SETTINGS).write_text(json.dumps(league(["a", "b"], version=1, **more)))
    with pytest.raises(LeagueError, match=r"has format 1, and this version of noughts reads format 2: use the version"):
        load(tmp_path)
    (tmp_path / SETTINGS).write_text(json.dumps(league(["a", "b"], something="else")))
    with pytest.raises(LeagueError, match="is damaged: something"):
        load(tmp_path)


@pytest.mark.parametrize("damage", [b'{"game": 1}', b"\0" * 40, b"", b'{"game":2,"round":1\0\0\0'])
async def test_a_line_that_is_damaged_is_named_and_nothing_is_changed(tmp_path: Path, damage: bytes) -> None:
    folder = create(tmp_path, league(["a", "b"]))
    await folder.append(game(1, "a", "b", "first"))
    whole = (tmp_path / GAMES).read_bytes()
    (tmp_path / GAMES).write_bytes(whole + damage + b"\n" + whole[:20])
    for read in (lambda: load(tmp_path), folder.take_up):
        with pytest.raises(LeagueError, match=r"^line 2 of .*games\.jsonl is damaged: .*\. Delete the line, and its"):
            read()
    assert (tmp_path / GAMES).read_bytes() == whole + damage + b"\n" + whole[:20]
    (tmp_path / GAMES).write_bytes(whole)
    assert len(load(tmp_path).records) == 1
