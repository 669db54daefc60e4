"""The units of systemd for a small server, and its backups."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from deploy.stack import DEPLOY, ROOT
from noughts.config import Settings
from support.client import connected
from support.programs import program
from support.server import ServerProcess, running_server

UNITS = DEPLOY / "systemd"
BACKUP = UNITS / "backup"
SERVICES = ("noughts.service", "noughts-backup.service")


def settings_of(unit: str) -> dict[str, str]:
    """The variables that a unit sets."""
    lines = re.findall(r"^Environment=(.*)$", (UNITS / unit).read_text(), re.MULTILINE)
    return dict(word.split("=", 1) for line in lines for word in shlex.split(line))


def test_the_unit_sets_settings_that_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settings_of("noughts.service").items():
        monkeypatch.setenv(name, value)
    chosen = Settings()
    assert chosen.journal == "/var/lib/noughts/journal.sqlite3"
    assert chosen.trusted_proxies == ["127.0.0.1", "::1"]
    assert chosen.metrics == "127.0.0.1:9765"
    assert f"  - {chosen.metrics} # a single server" in (DEPLOY / "prometheus" / "prometheus.yml").read_text()
    assert f"reverse_proxy 127.0.0.1:{chosen.port} " in (DEPLOY / "caddy" / "Caddyfile.single").read_text()
    stop_s = re.search(r"^TimeoutStopSec=(\d+)$", (UNITS / "noughts.service").read_text(), re.MULTILINE)
    assert stop_s is not None
    assert int(stop_s[1]) > chosen.drain_s + 5


def test_each_instance_of_the_template_is_a_node_on_a_port_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settings_of("node.conf").items():
        monkeypatch.setenv(name, value.replace("%i", "8766").replace("%H", "games.example.org"))
    chosen = Settings()
    assert (chosen.node, chosen.port, chosen.metrics) == ("games.example.org-8766", 8766, "127.0.0.1:18766")


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units, with programs that are here."""
    for unit in UNITS.glob("noughts*"):
        text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text(), flags=re.MULTILINE)
        (tmp_path / unit.name).write_text(text)
    drop_in = tmp_path / "noughts@.service.d"
    drop_in.mkdir()
    (drop_in / "node.conf").write_text((UNITS / "node.conf").read_text())
    (tmp_path / "noughts@8765.service").write_text((tmp_path / "noughts.service").read_text())
    return tmp_path


@pytest.mark.services
def test_the_units_are_valid(units: Path) -> None:
    command = [program("systemd-analyze"), "verify", *map(str, sorted(units.glob("noughts*.*[er]")))]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""
    broken = units / "noughts.service"
    broken.write_text(broken.read_text().replace("KillMode=mixed", "KillMode=maybe"))
    assert "kill mode" in subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.services
@pytest.mark.parametrize("unit", SERVICES)
def test_the_services_are_confined(units: Path, unit: str) -> None:
    options = ("--offline=true", "--no-pager", "--threshold=15")
    command = [program("systemd-analyze"), "security", *options, str(units / unit)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def back_up(journal: Path, directory: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(program('sqlite3')).parent}{os.pathsep}{os.environ['PATH']}"
    command = ["sh", str(BACKUP), str(journal), str(directory)]
    return subprocess.run(command, env={"PATH": path}, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.services
async def test_a_backup_made_under_load_can_be_restored(tmp_path: Path) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    old, kept = copies / "journal-20200101T000000Z.sqlite3", copies / "notes"
    for each in (old, kept):
        each.write_bytes(b"old")
        os.utime(each, (time.time() - 15 * 86_400,) * 2)
    async with ServerProcess(tmp_path / "journal", tmp_path / "log") as server, connected(server.url, "ann") as ann:
        rooms = [await ann.create() for _ in range(50)]
        done = back_up(server.journal, copies)  # type: ignore[arg-type]
        assert done.returncode == 0, done.stderr
        assert (await ann.request(type="ping"))["type"] == "pong"
        token = ann.token
    (copy,) = copies.glob("journal-*")
    assert sorted(copies.iterdir()) == sorted([copy, kept]), "the old copy is deleted, and no part of a copy is left"
    assert copy.stat().st_mode & 0o077 == 0
    async with running_server(journal=str(copy)) as url, connected(url, token=token) as ann:
        for room in rooms:
            assert (await ann.ok(type="watch", room=room))["seat"] == "first"


@pytest.mark.services
@pytest.mark.parametrize("content", [None, b"", b"not a database" * 1000])
def test_a_failed_backup_is_reported_and_deletes_nothing(tmp_path: Path, content: bytes | None) -> None:
    journal, copies = tmp_path / "journal", tmp_path / "copies"
    copies.mkdir()
    old = copies / "journal-20200101T000000Z.sqlite3"
    old.write_bytes(b"old")
    os.utime(old, (0, 0))
    if content is not None:
        journal.write_bytes(content)
    assert back_up(journal, copies).returncode != 0
    assert list(copies.iterdir()) == [old]
    assert journal.exists() is (content is not None)


@pytest.mark.services
def test_the_configuration_of_caddy_is_valid(tmp_path: Path) -> None:
    file = DEPLOY / "caddy" / "Caddyfile.single"
    command = [program("caddy"), "validate", "--adapter", "caddyfile", "--config", str(file)]
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    checked = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_files_that_the_documentation_names_exist() -> None:
    text = (ROOT / "docs" / "operating.md").read_text()
    named = set(re.findall(r"\bdeploy/[A-Za-z0-9_./-]+[A-Za-z0-9]", text)) - {"deploy/secrets"}
    assert "deploy/systemd/backup" in named
    named -= {path for path in named if path.startswith("deploy/secrets/")}  # made by deploy/make-secrets
    for path in named:
        assert any(ROOT.glob(f"{path}*")), path
