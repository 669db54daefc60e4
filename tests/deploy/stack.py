"""The services of docker-compose.yml without containers: the same files, with other paths, hosts and ports."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from support.ports import free_port
from support.postgres import programs
from support.programs import program

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = YAML(typ="safe").load(ROOT / "docker-compose.yml")

PATIENCE_S = 60


def environment(service: str) -> dict[str, str]:
    """A service's environment as ``docker compose`` sets it by default."""
    return {
        name: re.sub(r"\$\{\w+:-(.*?)\}", r"\1", value)
        for name, value in COMPOSE["services"][service].get("environment", {}).items()
    }


def rendered(text: str, replacements: dict[str, str]) -> str:
    """``text`` with each key replaced by its value. Every key must occur."""
    for old, new in replacements.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def wait_until(true: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until ``true()`` holds. Raises RuntimeError with the log when the process ends or time is up."""
    give_up_at = time.monotonic() + PATIENCE_S
    while not true():
        if process.poll() is not None or time.monotonic() > give_up_at:
            raise RuntimeError(log.read_text(errors="replace"))
        time.sleep(0.05)


def listens(port: int) -> bool:
    """True if a server accepts connections on ``port``."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


@contextmanager
def running(command: list[str], log: Path, **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs within the block."""
    with log.open("ab") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **more)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def make_secrets(directory: Path) -> None:
    """Create ``directory`` with all secrets, under the names that containers see."""
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / "deploy").mkdir()
        script = shutil.copy(DEPLOY / "make-secrets", Path(made) / "deploy")
        subprocess.run([script], check=True)
        directory.mkdir()
        for name, secret in COMPOSE["secrets"].items():
            shutil.copy(Path(made) / secret["file"], directory / name)


def mosquitto_configuration(directory: Path, password: str, encrypted: int | None = None) -> int:
    """Create in ``directory`` the files that Mosquitto's container sees. Returns its port; ``encrypted`` is the one for
    nodes, None for any.
    """
    port = free_port()
    for name in ("config", "data", "run"):
        (directory / name).mkdir()
    make_secrets(directory / "secrets")
    (directory / "secrets" / "bus_password").write_text(password)
    configuration = rendered(
        (DEPLOY / "mosquitto" / "mosquitto.conf").read_text(),
        {
            "listener 1883": f"listener {port} 127.0.0.1",
            "listener 8883": f"listener {encrypted or free_port()} 127.0.0.1",
            "/run/secrets/": f"{directory}/secrets/",
            "/run/mosquitto/": f"{directory}/run/",
            "/mosquitto/config/": f"{directory}/config/",
            "/mosquitto/data/": f"{directory}/data/",
        },
    )
    if os.geteuid() == 0:
        configuration += "user root\n"  # the user it would become cannot read the directory
    (directory / "config" / "mosquitto.conf").write_text(configuration)
    (directory / "config" / "acl").write_bytes((DEPLOY / "mosquitto" / "acl").read_bytes())
    start = rendered(
        (DEPLOY / "mosquitto" / "start").read_text(),
        {
            "/run/mosquitto/": f"{directory}/run/",
            "/run/secrets/": f"{directory}/secrets/",
            "/mosquitto/config/": f"{directory}/config/",
        },
    )
    (directory / "config" / "start").write_text(start)
    return port


@contextmanager
def running_mosquitto(directory: Path, port: int) -> Iterator[None]:
    """Mosquitto, started as in its container, with the files of :func:`mosquitto_configuration`."""
    path = os.pathsep.join({str(Path(program(name)).parent): None for name in ("mosquitto", "mosquitto_passwd")})
    log = directory / "mosquitto.log"
    command = ["sh", str(directory / "config" / "start")]
    environment = {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ['PATH']}"}
    with running(command, log, env=environment) as process:
        wait_until(lambda: listens(port), process, log)
        yield


@dataclass(frozen=True, slots=True)
class Database:
    """A running PostgreSQL. ``socket`` is the directory of its socket, for the superuser."""

    port: int
    socket: Path
    password_file: Path

    def psql(self, *arguments: str) -> str:
        """The output of ``psql``, called as by the image's entrypoint."""
        options = ["--no-psqlrc", "--no-password", "-v", "ON_ERROR_STOP=1", "-tA", "-U", "postgres", "-d", "postgres"]
        command = [program("psql"), "-h", str(self.socket), "-p", str(self.port), *options, *arguments]
        variables = {"NOUGHTS_JOURNAL_PASSWORD_FILE": str(self.password_file)}
        assert variables.keys() < environment("postgres").keys()
        return subprocess.run(
            command, env={**os.environ, **variables}, check=True, capture_output=True, text=True
        ).stdout


@contextmanager
def bare_postgres(password_file: Path, settings: Callable[[Path], list[str]] = lambda _: []) -> Iterator[Database]:
    """A new PostgreSQL with nothing in it; ``settings`` gets its directory."""
    user = "postgres" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="pg-") as made:
        database = Database(free_port(), Path(made), password_file)
        log = database.socket / "log"
        data = ("-D", f"{made}/data")
        as_user: dict[str, Any] = {"user": user, "group": user, "extra_groups": [] if user else None, "cwd": made}
        password = Path(made, "password")
        password.write_bytes(password_file.read_bytes())
        places = [f"--port={database.port}", f"--unix_socket_directories={made}", *settings(Path(made))]
        for path in (Path(made), *Path(made).iterdir()):
            shutil.chown(path, user or os.geteuid())
        accounts = ("--username=postgres", f"--pwfile={password}", "--auth-local=trust", "--auth-host=scram-sha-256")
        initdb = [str(programs() / "initdb"), *data, *accounts, "--locale=C", "--encoding=UTF8", "--no-sync"]
        with running(initdb, log, **as_user) as process:
            assert process.wait(PATIENCE_S) == 0, log.read_text()
        with running([str(programs() / "postgres"), *data, *places], log, **as_user) as process:
            asks_whether_ready = [str(programs() / "pg_isready"), "-q", "-h", made, "-p", str(database.port)]
            # It listens before it lets anybody in.
            wait_until(lambda: subprocess.run(asks_whether_ready, check=False).returncode == 0, process, log)
            yield database
            process.send_signal(signal.SIGINT)  # closes all connections


@contextmanager
def running_postgres(password_file: Path) -> Iterator[Database]:
    """A new PostgreSQL, initialized as in its container, with the secrets beside the password, or with new ones."""

    def settings(made: Path) -> list[str]:
        secrets = password_file.parent
        if not (secrets / "authority").exists():
            secrets = made / "secrets"
            make_secrets(secrets)
        shutil.copy(secrets / "postgres_certificate", made / "certificate.pem")
        shutil.copy(secrets / "postgres_key", made / "key.pem")
        (made / "key.pem").chmod(0o600)
        here = {"/run/secrets/postgres_certificate": f"{made}/certificate.pem", "/run/postgresql/": f"{made}/"}
        return rendered("\n".join(COMPOSE["services"]["postgres"]["command"][3:]), here).split("\n")

    with bare_postgres(password_file, settings) as database:
        for script in sorted((DEPLOY / "postgres").glob("*.sql")):
            database.psql("--file", str(script))
        yield database


@dataclass(frozen=True, slots=True)
class Caddy:
    """A running proxy. ``authority`` is the file of its own certificate authority."""

    http_port: int
    https_port: int
    authority: Path

    @property
    def url(self) -> str:
        """The URL for clients."""
        return f"wss://localhost:{self.https_port}/ws"

    def tls(self) -> ssl.SSLContext:
        """An SSL context that trusts only this authority."""
        return ssl.create_default_context(cafile=self.authority)


@contextmanager
def running_caddy(directory: Path, nodes: list[int]) -> Iterator[Caddy]:
    """Caddy with our Caddyfile in front of nodes on the ports ``nodes``."""
    caddy = Caddy(free_port(), free_port(), directory / "data/caddy/pki/authorities/local/root.crt")
    log = directory / "caddy.log"
    command = [program("caddy"), "run", "--config", str(DEPLOY / "caddy" / "Caddyfile")]
    settings = {
        **environment("proxy"),
        "NOUGHTS_NODES": " ".join(f"127.0.0.1:{node}" for node in nodes),
        "NOUGHTS_HTTP_PORT": str(caddy.http_port),
        "NOUGHTS_HTTPS_PORT": str(caddy.https_port),
        "XDG_DATA_HOME": str(directory / "data"),
        "XDG_CONFIG_HOME": str(directory / "config"),
        "HOME": str(directory),
    }
    # A start also cleans the storage, and would at times remove the directory that waits for its first certificate.
    kept = directory / "data/caddy/certificates/local/localhost/kept"
    kept.parent.mkdir(parents=True)
    kept.touch()
    with running(command, log, env={**os.environ, **settings}) as process:
        wait_until(lambda: shakes_hands(caddy), process, log)
        yield caddy


def shakes_hands(caddy: Caddy) -> bool:
    """True if it serves TLS."""
    if not caddy.authority.exists():
        return False
    try:
        with (
            socket.create_connection(("127.0.0.1", caddy.https_port), timeout=5) as plain,
            caddy.tls().wrap_socket(plain, server_hostname="localhost"),
        ):
            return True
    except OSError:
        return False
