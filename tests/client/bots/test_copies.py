"""A bot's private copy, and the words about files that are left out."""

from __future__ import annotations

import os
import pickle
import shlex
import stat
from pathlib import Path

import pytest

from noughts_client.bots import copies
from noughts_client.bots.copies import Copy, freeze, pack
from noughts_client.bots.game_bot import start
from noughts_client.bots.program import BotSpec, parse_spec
from noughts_client.failure import BotFailed
from support.bots import state_after

BOT = "def choose(state):\n    return state['legal_moves'][0]\n"


def written(folder: Path, *names: str, text: str = "X = 1\n") -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o644)
    return folder


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def frozen(text: str, target: Path, *others: Path) -> tuple[BotSpec, Copy]:
    spec, copy = freeze(parse_spec(text), target, others)
    assert copy is not None
    return spec, copy


def test_a_bot_has_its_own_folder(tmp_path: Path) -> None:
    written(tmp_path / "ada", "ada.py", "helper.py", "tables/deep/opening.csv", "__pycache__/ada.pyc", ".git/config")
    written(tmp_path / "ada" / "league-1", "league.json", "games.jsonl")
    written(tmp_path / "ada" / "venv", "pyvenv.cfg", "lib/module.py")
    spec, copy = frozen(str(tmp_path / "ada/ada.py"), tmp_path / "copy")
    assert spec == BotSpec("python", str(tmp_path / "copy/ada.py"), "ada")
    assert files_in(tmp_path / "copy") == {"ada.py", "helper.py", "tables/deep/opening.csv"}
    assert set(copy.left_out) == {"__pycache__", ".git", "league-1", "venv"}
    for path in (tmp_path / "copy").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o755 if path.is_dir() else 0o444)


def test_of_a_folder_with_several_bots_each_has_its_file_and_the_folder_of_its_name(tmp_path: Path) -> None:
    written(tmp_path / "bots", "ada.py", "ada/table.csv", "ben.py", "helper.py", "ben/table.csv")
    _, copy = frozen(str(tmp_path / "bots/ada.py"), tmp_path / "copy", tmp_path / "bots/ben.py")
    assert files_in(tmp_path / "copy") == {"ada.py", "ada/table.csv"}
    assert copy.left_out == dict.fromkeys(("ben.py", "helper.py", "ben"), copies.SHARED)


@pytest.mark.parametrize(("name", "alone"), [("ada.py", True), ("bot.py", False)])
def test_a_bot_that_does_not_play_counts_unless_the_bot_is_called_bot(tmp_path: Path, name: str, alone: bool) -> None:
    written(tmp_path / "bots", name, "ben.py", text=BOT)
    written(tmp_path / "bots", "helper.py")
    frozen(str(tmp_path / "bots" / name), tmp_path / "copy")
    assert files_in(tmp_path / "copy") == ({name} if alone else {name, "ben.py", "helper.py"})


def test_folders_of_other_bots_within_a_bots_folder_are_left_out(tmp_path: Path) -> None:
    written(tmp_path / "bots", "ada.py", "helper.py", "ben/ben.py", "ben/secret.py", "cy/cy.py")
    frozen(str(tmp_path / "bots/ada.py"), tmp_path / "copy", tmp_path / "bots/ben/ben.py")
    assert files_in(tmp_path / "copy") == {"ada.py", "helper.py", "cy/cy.py"}
    frozen(str(tmp_path / "bots/ben/ben.py"), tmp_path / "other", tmp_path / "bots/ada.py")
    assert files_in(tmp_path / "other") == {"ben.py", "secret.py"}


def test_links_are_followed_within_the_folder_alone(tmp_path: Path) -> None:
    written(tmp_path, "secret.txt", "ben.py")
    folder = written(tmp_path / "ada", "ada.py", "lib.so.1")
    (folder / "lib.so").symlink_to("lib.so.1")
    (folder / "leak.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "all").symlink_to(tmp_path)
    frozen(str(folder / "ada.py"), tmp_path / "copy")
    assert files_in(tmp_path / "copy") == {"ada.py", "lib.so", "lib.so.1"}


AS_ROOT = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="others cannot read what they cannot copy")


@AS_ROOT
def test_what_root_alone_may_read_is_not_copied_for_a_sandbox(tmp_path: Path) -> None:
    folder = written(tmp_path / "ada", "ada.py", "token.txt")
    (folder / "token.txt").chmod(0o600)
    frozen(str(folder / "ada.py"), tmp_path / "copy")
    assert files_in(tmp_path / "copy") == {"ada.py"}
    (folder / "ada.py").chmod(0o600)
    _, copy = frozen(str(folder / "ada.py"), tmp_path / "none")
    assert copy.refused == f"The sandbox's user cannot read {folder / 'ada.py'}: run chmod o+r on it."
    assert not (tmp_path / "none").exists()
    freeze(parse_spec(str(folder / "ada.py")), tmp_path / "own", contained=False)
    assert files_in(tmp_path / "own") == {"ada.py"}


@AS_ROOT
def test_a_closed_folder_is_open_to_a_bot_that_is_named_there_but_not_through_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "alice/bots/v3", "bot.py")
    written(tmp_path / "mal", "notes.txt")
    (tmp_path / "alice").chmod(0o700)
    (tmp_path / "alice/latest").symlink_to("bots")
    (tmp_path / "mal/deep").symlink_to(tmp_path / "alice/bots")
    monkeypatch.chdir(written(tmp_path / "alice/league", "notes.txt"))
    for number, own in enumerate((f"{tmp_path}/alice/bots/v3/bot.py", "../bots/v3/bot.py", "../latest/v3/bot.py")):
        frozen(own, tmp_path / str(number))
        assert files_in(tmp_path / str(number)) == {"bot.py"}
    _, copy = frozen(str(tmp_path / "mal/deep/v3/bot.py"), tmp_path / "none")
    assert copy.refused.startswith(f"The sandbox's user cannot enter {tmp_path / 'alice'}, to which a link leads")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("contained", [True, False])
@pytest.mark.parametrize("text", ["mal/bot.py", "mallet/bot.py", "exec:sh mal/bot.py", "exec:./mal/bot.py"])
async def test_a_bot_does_not_start_if_a_link_leads_out_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, contained: bool
) -> None:
    solution = written(tmp_path / "teacher", "bot.py", text=BOT) / "bot.py"
    solution.chmod(0o755)
    for folder in ("in/mal", "in/ada"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "in/mal/bot.py").symlink_to(solution)
    (tmp_path / "in/mallet").symlink_to(solution.parent)
    monkeypatch.chdir(tmp_path / "in")
    spec, copy = freeze(parse_spec(text), tmp_path / "copy", contained=contained)
    assert not (tmp_path / "copy").exists()
    link = tmp_path / "in" / ("mallet" if "mallet" in text else "mal/bot.py")
    with pytest.raises(BotFailed) as failed:
        await start(spec, "tictactoe", containment=None, copy=copy)
    assert failed.value.failure.kind == "start"
    assert failed.value.failure.message == (
        f"{link} is a link that leads out of its folder: name {solution} itself if it is the bot that you mean."
    )


def test_a_link_within_its_folder_is_a_bot(tmp_path: Path) -> None:
    written(tmp_path / "bots", "v3/ada.py", "v3/helper.py")
    (tmp_path / "bots/latest").symlink_to("v3")
    (tmp_path / "bots/v3/bot.py").symlink_to("ada.py")
    for number, name in enumerate(("latest/ada.py", "v3/bot.py")):
        frozen(str(tmp_path / "bots" / name), tmp_path / str(number))
        assert "helper.py" in files_in(tmp_path / str(number))


@pytest.mark.parametrize("limit", ["MOST_FILES", "MOST_BYTES"])
def test_of_a_large_folder_a_bot_has_its_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(copies, limit, 1)
    written(tmp_path / "ada", "ada.py", "helper.py")
    _, copy = frozen(str(tmp_path / "ada/ada.py"), tmp_path / "copy")
    assert files_in(tmp_path / "copy") == {"ada.py"}
    assert copy.left_out == {"helper.py": copies.LARGE}


def test_of_the_home_a_bot_has_its_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    written(tmp_path, "ada.py", "thesis.txt")
    _, copy = frozen(str(tmp_path / "ada.py"), tmp_path / "copies/0")
    assert files_in(tmp_path / "copies/0") == {"ada.py"}
    assert copy.left_out["thesis.txt"] == copies.WIDE


def test_a_commands_files_are_copied_as_they_lie_to_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "ada", "code/main.sh", "code/lib.sh", "data/table.txt", "rest/unused.txt")
    spec, _ = frozen("exec:sh ada/code/main.sh --table ada/data/table.txt", tmp_path / "copy")
    shell, *words = shlex.split(spec.target)
    assert Path(shell).name == "sh"
    assert words == [str(tmp_path / "copy/code/main.sh"), "--table", str(tmp_path / "copy/data/table.txt")]
    assert files_in(tmp_path / "copy") == {"code/main.sh", "code/lib.sh", "data/table.txt"}


def test_a_program_stays_executable(tmp_path: Path) -> None:
    program = written(tmp_path / "bots", "bot", text="#!/bin/sh\n") / "bot"
    program.chmod(0o755)
    spec, _ = frozen(f"exec:{program}", tmp_path / "copy")
    assert spec.target == str(tmp_path / "copy/bot")
    assert os.access(spec.target, os.X_OK)


def test_an_installed_program_is_not_copied_unless_another_bot_is_installed_there(tmp_path: Path) -> None:
    for name in ("ada", "ben"):
        (written(tmp_path / "bots/bin", name) / name).chmod(0o755)
    spec = parse_spec(f"exec:{tmp_path / 'bots/bin/ada'}")
    assert freeze(spec, tmp_path / "copy") == (spec, None)
    frozen(f"exec:{tmp_path / 'bots/bin/ada'}", tmp_path / "copy", tmp_path / "bots/bin/ben")
    assert files_in(tmp_path / "copy") == {"ada"}
    assert freeze(parse_spec("exec:cat"), tmp_path / "none") == (parse_spec("exec:cat"), None)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("import helper", "helper.py"),
        ("from helper.deep import x", "helper.py"),
        ("open('table.csv')", "table.csv"),
        ("import pathlib; (pathlib.Path(__file__).parent / 'table.csv').read_text()", "table.csv"),
        ("import help", ""),
        ("raise ValueError('ben')", ""),
    ],
)
async def test_a_bot_that_misses_a_file_is_told_why(tmp_path: Path, line: str, named: str) -> None:
    folder = written(tmp_path / "bots", "helper.py", "table.csv", "ben.py")
    (folder / "ada.py").write_text(f"{line}\n{BOT}")
    spec, copy = frozen(str(folder / "ada.py"), tmp_path / "copy", folder / "ben.py")
    with pytest.raises(BotFailed) as caught:
        await start(spec, "tictactoe", copy=copy)
    failure = caught.value.failure
    assert failure.kind == "start"
    advice = f" {named} lies beside the bot, but not in the copy that runs, because {copies.SHARED}."
    assert failure.message.endswith(advice) == bool(named)
    assert f'File "{folder / "ada.py"}", line 1' in failure.traceback
    assert str(copy.folder) not in f"{failure.message} {failure.traceback}"


async def test_a_bot_that_is_interrupted_is_shown_by_its_own_path(tmp_path: Path) -> None:
    folder = written(tmp_path / "bots", "ada.py", text="def choose(state):\n    while True:\n        pass\n")
    spec, copy = frozen(str(folder / "ada.py"), tmp_path / "copy")
    bot = await start(spec, "tictactoe", copy=copy)
    try:
        with pytest.raises(BotFailed) as caught:
            await bot.choose(state_after(), patience_s=1)
        assert f'File "{folder / "ada.py"}", line' in caught.value.failure.traceback
    finally:
        await bot.close()


@pytest.mark.parametrize("target", ["{}/ada/ada.py", "exec:sh {}/ada/run.sh --table {}/ada/data/table.txt"])
def test_a_packed_copy_is_the_same_elsewhere(tmp_path: Path, target: str) -> None:
    for name in ("ada.py", "run.sh", "data/table.txt"):
        file = tmp_path / "ada" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    (tmp_path / "ada/run.sh").chmod(0o755)
    spec, copy = frozen(target.format(*[tmp_path] * 2), tmp_path / "copy")
    packed = pickle.loads(pickle.dumps(pack(spec, copy)))
    moved, there = packed.unpack(tmp_path / "there")
    assert there is not None
    assert moved.target == spec.target.replace(str(tmp_path / "copy"), str(tmp_path / "there"))
    assert there.folder == tmp_path / "there"
    files = sorted(file.relative_to(copy.folder) for file in copy.folder.rglob("*"))
    assert sorted(file.relative_to(there.folder) for file in there.folder.rglob("*")) == files
    for file in files:
        assert (there.folder / file).stat().st_mode == (copy.folder / file).stat().st_mode
    assert (there.folder / "run.sh").read_text() == "run.sh"
