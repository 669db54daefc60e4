"""The probe on this machine, of one without bubblewrap, and of ones whose bubblewrap contains less."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from noughts_client.bots import sandbox
from noughts_client.bots.sandbox import Containment, refusal
from noughts_client.bots.sandbox import probe as containment
from support.programs import program

pytestmark = pytest.mark.services


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    """The answer is remembered: not beyond a test."""
    program("bwrap")
    containment.cache_clear()
    yield
    containment.cache_clear()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a file."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "diary").write_text("")
    monkeypatch.setenv("HOME", str(folder))
    return folder


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let a Python script be found as ``bwrap``. It has its arguments in ``argv``."""
    file = folder / "bwrap"
    file.write_text(f"#!{sys.executable} -IS\nimport os, sys\nargv = sys.argv[1:]\n{code}\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_this_machine_contains_bots(home: Path) -> None:
    assert home.exists()
    assert containment() == Containment("bubblewrap")
    assert refusal(containment()) is None


def test_without_bubblewrap_nothing_is_contained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("prlimit", "setpriv"):
        (tmp_path / name).symlink_to(program(name))
    monkeypatch.setenv("PATH", str(tmp_path))
    reason = "The program bwrap is not installed (package bubblewrap)."
    assert containment() == Containment("limits", (reason, *sandbox.EVERYTHING))
    assert refusal(containment()) == (
        f"Other people's bots cannot be contained here. {reason} Bots can reach the network and the servers on this"
        " machine. Bots can read your files. Bots can start any number of processes. A bot's processes may outlive its"
        " game. See docs/sandbox.md. Add --uncontained if you trust these bots all the same."
    )


def test_a_bubblewrap_that_may_not_work_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, "sys.exit('bwrap: setting up uid map: Permission denied')")
    found = containment()
    assert found.by == "limits"
    assert found.missing[0] == "bubblewrap does not work here: bwrap: setting up uid map: Permission denied."


def test_a_bubblewrap_that_contains_nothing_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    assert home.exists()
    monkeypatch.setattr(sandbox, "ENDING_S", 0.5)
    code = f"argv = argv[argv.index({sys.executable!r}):]\nos.execv(argv[0], argv)"
    stand_in(tmp_path, monkeypatch, code)
    assert containment() == Containment("bubblewrap", sandbox.EVERYTHING)
    assert str(refusal(containment())).startswith("Other people's bots cannot be contained here. Bots can reach")


WEAKER = {
    sandbox.NETWORK: "argv = [w for w in argv if w != '--unshare-net']\n"
    "if '--unshare-all' in argv: argv.insert(argv.index('--unshare-all') + 1, '--share-net')",
    sandbox.FILES: "at = argv.index('--chdir')\n"
    "parents = [HOME[:end] for end in range(2, len(HOME)) if HOME[end] == '/']\n"
    "argv[at:at] = ["
    "w for p in parents for w in ('--perms', '0755', '--dir', p)] + ['--ro-bind', HOME, HOME]",
    sandbox.PROCESSES: "argv = [w for w in argv if not w.startswith('--nproc')]",
    sandbox.OUTLIVE: "argv.remove('--die-with-parent')",
}


@pytest.mark.parametrize("sentence", WEAKER)
def test_each_thing_that_is_not_contained_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path, sentence: str
) -> None:
    if sentence == sandbox.OUTLIVE:
        monkeypatch.setattr(sandbox, "ENDING_S", 0.5)
    code = WEAKER[sentence].replace("HOME", repr(str(home)))
    stand_in(tmp_path, monkeypatch, f"{code}\nos.execv({program('bwrap')!r}, ['bwrap', *argv])")
    assert containment() == Containment("bubblewrap", (sentence,))
