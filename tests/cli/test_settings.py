"""Settings as options: how errors in them are reported."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from noughts.cli.main import main
from noughts.cli.settings import add_settings, default_of, range_of, take_settings


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--port", "99999"], "noughts serve: --port: must be a whole number from 0 to 65535\n"),
        (["--burst", "x"], "noughts serve: --burst: must be a whole number of at least 1\n"),
        (["--bus", "http://u:sesame@host"], "noughts serve: --bus: must be the address of an MQTT broker: mqtt://"),
        (["--node", "a b"], "noughts serve: --node: must be 1 to 64 letters, digits, dots, dashes and underscores\n"),
        (["--origins", "x"], "noughts serve: --origins: must be a JSON list, such as '[\"https://example.org\"]'\n"),
        (
            ["--trusted-proxies", "x"],
            "noughts serve: --trusted-proxies: must be a JSON list, such as '[\"127.0.0.1\"]'",
        ),
        (
            ["--rated-games-per-pair", "-1"],
            "noughts serve: --rated-games-per-pair: must be a whole number of at least 0",
        ),
        (["--think-s", "601"], "noughts serve: --think-s: must be a number greater than 0 and at most 600\n"),
        (["--trusted-proxies", "[3]"], "noughts serve: --trusted-proxies: must be a valid string\n"),
        (["--page", "maybe"], "noughts serve: --page: must be true or false\n"),
    ],
)
def test_a_bad_option_is_reported_in_one_line(
    options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *options])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith(expected)
    assert error.count("\n") == 1
    assert "sesame" not in error


@pytest.mark.parametrize(
    ("given", "page"),
    [([], True), (["--no-page"], False), (["--page", "false"], False), (["--page", "true"], True), (["--page"], True)],
)
def test_what_is_on_by_default_can_be_turned_off_in_two_ways(given: list[str], page: bool) -> None:
    parser = argparse.ArgumentParser()
    add_settings(parser, ["page"])
    assert take_settings("serve", vars(parser.parse_args(given)), ["page"]).page is page


@pytest.mark.parametrize(("given", "anyway"), [([], False), (["--migrate-anyway"], True)])
def test_what_is_off_by_default_is_turned_on_by_its_name(given: list[str], anyway: bool) -> None:
    parser = argparse.ArgumentParser()
    add_settings(parser, ["migrate_anyway"])
    assert take_settings("serve", vars(parser.parse_args(given)), ["migrate_anyway"]).migrate_anyway is anyway


def test_a_bad_list_in_the_environment_is_reported_like_an_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NOUGHTS_ORIGINS", "x")
    with pytest.raises(SystemExit) as ended:
        main(["serve"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("noughts serve: NOUGHTS_ORIGINS: must be a JSON list, such as ")


@pytest.mark.parametrize("command", [["export"], ["import", "file"], ["admin", "recompute"], ["drain", "n1"]])
def test_a_bad_variable_is_reported_by_its_name(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NOUGHTS_PORT", "none")
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"noughts {command[0]}: NOUGHTS_PORT: ")


def test_a_misspelt_variable_is_named_with_the_setting_it_may_stand_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("NOUGHTS_PROT", "NOUGHTS_XYZZY", "NOUGHTS_TOKEN", "NOUGHTS_SITE", "NOUGHTS_HOST"):
        monkeypatch.setenv(name, "1")
    assert take_settings("serve", {}, ()).host == "1"
    assert capsys.readouterr().err.splitlines() == [
        "noughts serve: NOUGHTS_PROT is not a setting and is ignored; did you mean NOUGHTS_PORT?",
        "noughts serve: NOUGHTS_XYZZY is not a setting and is ignored",
    ]


@pytest.mark.parametrize(
    ("name", "default", "values"),
    [
        ("port", "8765", "0 to 65535"),
        ("search_workers", "0", "0 or more"),
        ("hello_s", "5", "more than 0"),
        ("think_s", "2", "more than 0, at most 600"),
        ("page", "true", ""),
        ("bus", "none", ""),
        ("journal", "a file in your data directory", ""),
    ],
)
def test_a_default_and_the_values_there_are_in_words(name: str, default: str, values: str) -> None:
    assert (default_of(name), range_of(name)) == (default, values)


def in_file(folder: Path, text: str) -> Path:
    path = folder / "noughts.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_option_takes_precedence_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = in_file(tmp_path, 'port = 1\nburst = 2\nthink_s = 3\norigins = ["https://a.example"]\npage = false\n')
    monkeypatch.setenv("NOUGHTS_PORT", "11")
    monkeypatch.setenv("noughts_burst", "12")
    settings = take_settings("serve", {"config": path, "port": "21"}, ["port", "burst"])
    assert (settings.port, settings.burst, settings.think_s) == (21, 12, 3)
    assert (settings.origins, settings.page) == (["https://a.example"], False)


def test_the_file_is_found_here_or_in_the_data_directory_or_where_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, data, named = (tmp_path / name for name in ("here", "data", "named"))
    for number, folder in enumerate((here, data / "noughts", named), 1):
        folder.mkdir(parents=True)
        in_file(folder, f"port = {number}\n")
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    monkeypatch.chdir(tmp_path)
    assert take_settings("serve", {}, ()).port == 2
    monkeypatch.chdir(here)
    assert take_settings("serve", {}, ()).port == 1
    monkeypatch.setenv("NOUGHTS_CONFIG", str(named / "noughts.toml"))
    assert take_settings("serve", {}, ()).port == 3
    assert take_settings("serve", {"config": data / "noughts" / "noughts.toml"}, ()).port == 2


def test_paths_in_the_file_start_from_its_directory(tmp_path: Path) -> None:
    settings = take_settings("serve", {"config": in_file(tmp_path, 'journal = "a/games"\nbus_ca = "/ca"\n')}, ())
    assert (settings.journal, settings.bus_ca) == (str(tmp_path / "a/games"), Path("/ca"))
    for journal in ("memory", "postgresql://a@b/c"):
        path = in_file(tmp_path, f'journal = "{journal}"\n')
        assert take_settings("serve", {"config": path}, ()).journal == journal


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("port = \n", "FILE: Invalid value (at line 1, column 8)"),
        ("host = 'a'\nhost = 'b'\n", "FILE: Cannot overwrite a value (at line 2, column 11)"),
        ("prot = 1\n", "FILE: prot is not a setting; did you mean port?"),
        ("log-level = 'INFO'\n", "FILE: log-level is not a setting; did you mean log_level?"),
        ("[server]\nport = 1\n", "FILE: server is not a setting; did you mean server_name?"),
        ("xyzzy = 1\n", "FILE: xyzzy is not a setting"),
        ("port = 99999\n", "FILE: port: must be a whole number from 0 to 65535"),
        ("port = true\n", "FILE: port: must not be true or false"),
        ("page = 'maybe'\n", "FILE: page: must be true or false"),
        ("journal = 3\n", "FILE: journal: must be a valid string"),
        ("origins = 'x'\n", "FILE: origins: must be a JSON list, such as '[\"https://example.org\"]'"),
        ("server_name = 'a\u202eb'\n", "FILE: server_name: must be a line of 1 to 64 visible characters"),
        ("registration = 'no'\n", "FILE: registration: must be open, invited or closed"),
        (None, "cannot read FILE: No such file or directory"),
        ("\udcff", "FILE: not text in UTF-8"),
    ],
)
def test_a_bad_file_is_reported_by_its_line_or_key(
    text: str | None, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "noughts.toml"
    if text is not None:
        path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--config", str(path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"noughts serve: {problem.replace('FILE', str(path))}\n"


def test_a_server_says_which_file_it_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = in_file(tmp_path, "port = 1\n")
    take_settings("serve", {"config": path}, ())
    assert capsys.readouterr().out == f"Settings are read from {path}\n"


def test_commands_beside_a_server_read_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = in_file(tmp_path, 'journal = "none"\n')
    with pytest.raises(SystemExit) as ended:
        main(["admin", "--config", str(path), "list", "players"])
    assert ended.value.code == 1
    assert capsys.readouterr().err == f"noughts admin: there is no journal at {tmp_path / 'none'}\n"
