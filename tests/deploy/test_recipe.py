"""docs/operating.md, *Without containers*: its commands as they are written, but for paths, ports and sudo."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from deploy.stack import (
    DEPLOY,
    PATIENCE_S,
    ROOT,
    Caddy,
    Database,
    bare_postgres,
    listens,
    rendered,
    running,
    shakes_hands,
    wait_until,
)
from deploy.test_stack import Player
from support.ports import free_port
from support.postgres import programs
from support.programs import program

pytestmark = pytest.mark.services

TEXT = (ROOT / "docs" / "operating.md").read_text()
SERVE = "noughts serve --node a --port 8765 --metrics 127.0.0.1:9765"


def blocks(section: str) -> list[str]:
    """The commands of a section of docs/operating.md, in blocks."""
    (text,) = re.findall(rf"^###? {section}\n(.*?)^##", TEXT, re.MULTILINE | re.DOTALL)
    return [block.replace("\n    ", "\n").strip() for block in re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)]


class Machine:
    """A bare machine: an empty PostgreSQL, a Mosquitto with nothing but an include_dir, and free ports."""

    def __init__(self, directory: Path, postgres: Database, processes: ExitStack) -> None:
        self.directory = directory
        self.ports = {str(port): str(free_port()) for port in (1883, 8080, 8443, 8765, 8766, 8767, 9765, 9766, 9767)}
        self.processes = processes
        shutil.copytree(DEPLOY, directory / "deploy", ignore=shutil.ignore_patterns("secrets"))
        self.etc = directory / "etc/mosquitto"
        (self.etc / "conf.d").mkdir(parents=True)
        (self.etc / "mosquitto.conf").write_text(
            f"include_dir {self.etc}/conf.d\n{'user root' if os.geteuid() == 0 else ''}\n"
        )
        superuser = f"-h {postgres.socket} -p {postgres.port} -U postgres"
        self.here = {
            "sudo -u postgres psql": f"psql {superuser} -d postgres",
            "sudo install -o mosquitto": "install",
            "sudo ": "",
            "systemctl restart mosquitto": "true",
            "/etc/mosquitto": str(self.etc),
            "@127.0.0.1/": f"@127.0.0.1:{postgres.port}/",
            "@HOST/": f"@127.0.0.1:{postgres.port}/",
            "mqtt://noughts@127.0.0.1": f"mqtt://noughts@127.0.0.1:{self.ports['1883']}",
            "pg_": f"{programs()}/pg_",
            "noughts serve": f"{sys.executable} -m noughts serve",
            "noughts drain": f"{sys.executable} -m noughts drain",
            "~/.local": f"{directory}/.local",
        }
        places = {str(Path(program(name)).parent): None for name in ("mosquitto_passwd", "psql", "caddy")}
        self.environment = {
            "PATH": os.pathsep.join([*places, os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "HOME": str(directory),
        }

    def command(self, text: str) -> list[str]:
        """A command of the recipe, for this machine."""
        for old, new in self.here.items():
            text = text.replace(old, new)
        text = re.sub("|".join(rf"(?<=[ :=]){port}\b" for port in self.ports), lambda port: self.ports[port[0]], text)
        return ["sh", "-ec", text]

    def run(self, text: str) -> None:
        """Run a command to its end."""
        subprocess.run(self.command(text), check=True, cwd=self.directory, env=self.environment, timeout=PATIENCE_S)

    def start(self, text: str, port: str) -> subprocess.Popen[bytes]:
        """Start a command that listens on a port."""
        log = self.directory / f"log-{port}"
        command = self.command(re.sub(r"\n(?=[^\n]*$)", "\nexec env ", text))
        process = self.processes.enter_context(running(command, log, cwd=self.directory, env=self.environment))
        wait_until(lambda: listens(int(self.ports[port])), process, log)
        return process


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    password = tmp_path / "password"
    password.write_text("of the superuser")
    with bare_postgres(password) as database, ExitStack() as processes:
        yield Machine(tmp_path, database, processes)


def metrics(port: str) -> bytes:
    """The metrics of a node."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as page:
        found: bytes = page.read()
    return found


async def test_from_nothing_to_tls_an_upgrade_and_a_restored_backup(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts, broker, node, balancer, trust = blocks("Without containers")
    for each in (accounts, broker):
        await asyncio.to_thread(machine.run, each)
    secret = machine.directory / "deploy/secrets/journal_password"
    machine.environment["PGPASSWORD"] = secret.read_text()
    machine.start("\nmosquitto -c /etc/mosquitto/mosquitto.conf", "1883")

    def start(name: str) -> subprocess.Popen[bytes]:
        number = "abc".index(name)
        return machine.start(
            rendered(node, {"a --port 8765": f"{name} --port {8765 + number}", "9765": f"{9765 + number}"}),
            f"{8765 + number}",
        )

    nodes = {name: start(name) for name in "abc"}
    (authority,) = re.findall("SSL_CERT_FILE=~/(.*)", trust)
    caddy = Caddy(int(machine.ports["8080"]), int(machine.ports["8443"]), machine.directory / authority)
    kept = machine.directory / ".local/share/caddy/certificates/local/localhost/kept"
    kept.parent.mkdir(parents=True)
    kept.touch()
    process = machine.start(balancer, "8443")
    await asyncio.to_thread(wait_until, lambda: shakes_hands(caddy), process, machine.directory / "log-8443")
    assert machine.command(trust)[2].endswith(caddy.url)
    monkeypatch.setenv("SSL_CERT_FILE", str(caddy.authority))

    ann, ben = Player(caddy, "ann"), Player(caddy, "ben")
    try:
        await ann.connect()
        await ben.connect()
        room = await ann.client.create()
        await ben.client.join(room)
        exports = node.removesuffix(SERVE)
        for turn, (name, move) in enumerate(zip("abc", "142", strict=True)):  # a new version
            await (ann, ben)[turn % 2].play(room, turn, move)
            drain = f"noughts drain {name}"  # again, as on a busy machine the database is late
            await asyncio.to_thread(machine.run, f"{exports}{drain} || {drain}")
            assert nodes[name].wait() == 0
            nodes[name] = start(name)
            assert b"noughts_journal_up 1" in await asyncio.to_thread(metrics, machine.ports[f"{9765 + turn}"])

        dump, restore, *_ = [block for block in blocks("In PostgreSQL") if "pg_" in block]
        await asyncio.to_thread(machine.run, dump)
        await ben.play(room, 3, "5")  # after the backup
        for process in nodes.values():
            process.terminate()
            assert await asyncio.to_thread(process.wait) == 0
        await asyncio.to_thread(machine.run, restore)
        machine.here["/noughts "] = "/restored "
        for name in "abc":
            start(name)
        await ben.connect(room)
        shown = await ben.client.push("room")
        assert shown["state"]["moves"] == ["1", "4", "2"]
        await ben.play(room, 3, "6")
    finally:
        await ann.leave()
        await ben.leave()
