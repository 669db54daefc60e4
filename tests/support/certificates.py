"""Certificates for tests of encrypted connections. They need the program openssl."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path


def certified(directory: Path) -> tuple[Path, ssl.SSLContext]:
    """A self-signed certificate for localhost, and a server's context with it."""
    key, certificate = directory / "key.pem", directory / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command.split(), *names], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return certificate, context
