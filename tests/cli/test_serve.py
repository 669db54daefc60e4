"""``noughts serve`` in this process: what it prints, and which errors it reports."""

from __future__ import annotations

import gc
import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from noughts.cli import serve
from noughts.cli.main import main
from noughts.cli.welcome import welcome


@pytest.fixture
def unchanged_process() -> Iterator[None]:
    """Undo what a server changes in its process."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    threshold = gc.get_threshold()
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)
    gc.unfreeze()
    gc.set_threshold(*threshold)
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()  # the deadline, which stays set until the process ends


def status(*options: str) -> int:
    """The exit status of ``noughts serve``."""
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--port=0", *options])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture
def stopped_by(monkeypatch: pytest.MonkeyPatch, unchanged_process: None) -> list[signal.Signals]:
    """Signals that a server in this process gets as soon as it has printed its welcome."""
    numbers = [signal.SIGTERM]

    def stop(*args: object) -> None:
        welcome(*args)  # type: ignore[arg-type]
        for number in numbers:
            os.kill(os.getpid(), number)

    monkeypatch.setattr(serve, "welcome", stop)
    return numbers


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_server(
    number: signal.Signals,
    stopped_by: list[signal.Signals],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
    stopped_by[:] = [number]
    journal = tmp_path / "new" / "journal"
    with caplog.at_level("INFO", "noughts"):
        assert status(f"--journal={journal}") == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert (first, last) == ("Noughts is listening. Connect to", "Closing.")
    ours = [line for line in caplog.messages if re.match("started|stopp", line)]
    assert re.fullmatch(r"started: version \S+, ws://127\.0\.0\.1:\d+/ws", ours[0])
    assert ours[1:] == [f"stopping: {number.name}", "stopped"]
    assert journal.exists()


def test_an_ignored_hangup_stays_ignored(stopped_by: list[signal.Signals], caplog: pytest.LogCaptureFixture) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    stopped_by[:] = [signal.SIGHUP, signal.SIGTERM]
    with caplog.at_level("INFO", "noughts"):
        assert status("--journal=memory") == 0
    assert "stopping: SIGTERM" in caplog.text


def test_on_all_addresses_it_prints_those_of_the_machine(
    stopped_by: list[signal.Signals], capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("--host=0.0.0.0", "--journal=memory") == 0
    *own, loopback = re.findall(r"^    ws://([\d.]+):\d+/ws\b", capsys.readouterr().out, re.MULTILINE)
    assert loopback == "127.0.0.1"
    routes = Path("/proc/net/fib_trie")
    if routes.exists():  # Linux: the kernel's own list of the machine's addresses
        local = re.findall(r"\|-- ([\d.]+)\n\s+/32 host LOCAL", routes.read_text())
        others = {address for address in local if not address.startswith("127.")}
        assert set(own) <= others
        assert own or not others


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--journal-password-file=nowhere"], "cannot read the password file nowhere: No such file or directory"),
        (["--bus=mqtt://localhost", "--bus-password-file=nowhere"], "cannot read the password file nowhere"),
        (["--bus=mqtts://localhost", "--bus-ca=nowhere"], "--bus-ca: No such file or directory"),
        (["--bus=mqtt://"], "--bus: "),
        (["--host=192.0.2.1"], "cannot listen on 192.0.2.1:0: "),
    ],
)
@pytest.mark.usefixtures("unchanged_process")
def test_an_unusable_setting_is_reported_in_one_line(
    options: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("--journal=memory", *options) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"noughts serve: {expected}")
    assert error.count("\n") == 1


@pytest.mark.usefixtures("unchanged_process")
def test_a_file_that_is_not_a_journal_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"certainly not a database" * 100)
    assert status(f"--journal={path}") == 1
    assert "cannot open the journal" in capsys.readouterr().err
