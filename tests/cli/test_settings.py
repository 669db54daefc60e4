"""Settings as options: how errors in them are reported."""

from __future__ import annotations

import argparse

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
        ("workers", "1", "1 or more"),
        ("hello_s", "5", "more than 0"),
        ("think_s", "2", "more than 0, at most 600"),
        ("page", "true", ""),
        ("bus", "none", ""),
        ("journal", "a file in your data directory", ""),
    ],
)
def test_a_default_and_the_values_there_are_in_words(name: str, default: str, values: str) -> None:
    assert (default_of(name), range_of(name)) == (default, values)
