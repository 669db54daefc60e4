"""A private MQTT broker for tests: Mosquitto in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from support.ports import free_port
from support.programs import check_tier, missing, program


def security_plugin() -> Path:
    """Mosquitto's plugin that can deny subscriptions; an ACL file only withholds their messages."""
    name = "mosquitto's dynamic security plugin"
    check_tier(name)
    return next(Path("/usr/lib").glob("**/mosquitto_dynamic_security.so"), None) or missing(name)


class Broker:
    """Mosquitto on the same port of 127.0.0.1 and with the same configuration at every start.

    ``lines`` are added to its configuration. ``directory`` has the log and the password file, and is kept between
    starts. Without other ``lines`` clients need no account and may do anything. ``tls``: clients must use TLS and trust
    ``directory / "ca.crt"``.
    """

    def __init__(self, directory: Path, lines: Sequence[str] = (), *, tls: bool = False) -> None:
        self._program = program("mosquitto")
        self.directory = directory
        self.port = free_port()
        self.url = f"{'mqtts' if tls else 'mqtt'}://localhost:{self.port}"
        self.log = directory / "mosquitto.log"
        self._configuration = directory / "mosquitto.conf"
        self._process: subprocess.Popen[bytes] | None = None
        settings = [
            f"listener {self.port} 127.0.0.1",
            "log_type all",
            "connection_messages true",
            "set_tcp_nodelay true",
        ]
        if tls:
            make_certificates(directory)
            settings += [f"certfile {directory / 'server.crt'}", f"keyfile {directory / 'server.key'}"]
        if os.geteuid() == 0:
            settings.append("user root")  # its own user could not read the directory
        if not any(line.startswith("allow_anonymous") for line in lines):
            settings.append("allow_anonymous true")
        self._configuration.write_text("\n".join([*settings, *lines]) + "\n")

    def start(self) -> None:
        """Start it and wait until it accepts connections."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, "-c", self._configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        give_up_at = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
                return
            except OSError:
                if self._process.poll() is not None or time.monotonic() > give_up_at:
                    raise RuntimeError(f"mosquitto does not start: {self.output()}") from None
                time.sleep(0.02)

    def stop(self) -> None:
        """Stop it with SIGTERM: it tells its clients and saves what it keeps."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Kill it with kill -9, even when it is frozen."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Freeze it (SIGSTOP): connections stay open, but get no answer."""
        self._running().send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Thaw it (SIGCONT)."""
        self._running().send_signal(signal.SIGCONT)

    def output(self) -> str:
        """Its log."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def add_user(self, user: str, password: str) -> Path:
        """Add ``user`` to the password file, and return its path. A running broker does not reread the file."""
        file = self.directory / "passwords"
        file.touch()
        subprocess.run([program("mosquitto_passwd"), "-b", file, user, password], check=True, capture_output=True)
        return file

    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)
            self._process.wait(30)


def make_certificates(directory: Path) -> None:
    """Create an authority, ``ca.crt``, and a certificate for localhost, ``server.crt`` and ``server.key``."""

    def openssl(*arguments: str) -> None:
        subprocess.run([program("openssl"), *arguments], check=True, capture_output=True, cwd=directory)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-subj", "/CN=test authority")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    (directory / "server.ext").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    signing = ("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "server.ext")
    openssl("x509", "-req", "-in", "server.csr", "-out", "server.crt", *signing)


@contextmanager
def running_broker(*lines: str, tls: bool = False) -> Iterator[Broker]:
    """A private broker that runs within the block."""
    with tempfile.TemporaryDirectory() as directory:
        broker = Broker(Path(directory), lines, tls=tls)
        try:
            broker.start()
            yield broker
        finally:
            broker.kill()
