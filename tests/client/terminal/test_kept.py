import os
from pathlib import Path

import pytest

from noughts_client.terminal.kept import MOST, keep, kept

URL, ROOM = "ws://192.0.2.7:8765/ws", "k3f9qzm2xw7ta"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "noughts"


def test_each_seat_of_a_room_is_kept_whatever_the_address_it_was_left_at(state: Path) -> None:
    elsewhere = "ws://192.0.2.8:8765/ws"
    assert kept(ROOM) == []
    keep(URL, ROOM, "one")
    keep(URL, ROOM, "two")
    keep(elsewhere, ROOM, "three")
    keep(URL, "another", "four")
    assert {(seat.token, seat.url) for seat in kept(ROOM)} == {("one", URL), ("two", URL), ("three", elsewhere)}
    assert {seat.path.stat().st_mode & 0o777 for seat in kept(ROOM)} == {0o600}
    for seat in kept(ROOM):
        assert seat.give_up()
        assert not seat.give_up()
    assert kept(ROOM) == []
    assert len(list(state.rglob("*.*"))) == 1


def test_the_seats_left_first_make_room(state: Path) -> None:
    for number in range(MOST):
        keep(URL, f"room{number}", "token")
        os.utime(kept(f"room{number}")[0].path, (number, number))
    keep(URL, ROOM, "last")
    assert kept("room0") == []
    assert kept("room1") != []
    assert kept(ROOM) != []
    assert len(list(state.rglob("*.*"))) == MOST


def test_what_is_no_seat_is_passed_over(state: Path) -> None:
    keep(URL, ROOM, "token")
    for name, text in (("a", "{"), ("b", "[]"), ("c", '{"url": 1}')):
        (state / "seats" / f"{ROOM}.{name}.json").write_text(text)
    assert [seat.token for seat in kept(ROOM)] == ["token"]


def test_no_room_leads_out_of_the_directory(state: Path) -> None:
    for room in ("../../x", "*", "[a-z]", "/etc/x", "x" * 1000, "\0"):
        keep(URL, room, "token")
        assert [seat.token for seat in kept(room)] == ["token"]
    assert {path.parent for path in state.rglob("*.json")} == {state / "seats"}
