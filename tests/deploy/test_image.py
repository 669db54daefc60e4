"""The Dockerfile: linted, and its steps run without Docker."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.stack import ROOT, listens, running, wait_until
from support.ports import free_port
from support.programs import program

Steps = list[tuple[str, str]]


def stages() -> tuple[Steps, Steps]:
    """The instructions with their arguments, of the build stage and of the final one."""
    text = "".join(line for line in (ROOT / "Dockerfile").read_text().splitlines(keepends=True) if line[0] != "#")
    lines = [line for line in text.replace("\\\n", " ").split("\n") if line]
    steps = [(instruction, rest) for instruction, _, rest in (line.partition(" ") for line in lines)]
    second = max(at for at, (instruction, _) in enumerate(steps) if instruction == "FROM")
    return steps[:second], steps[second:]


KEPT = dict(stages()[1])


class Image:
    """The built image, below ``root`` instead of "/"."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.installed = root / "opt" / "noughts"

    def path(self, text: str) -> str:
        """``text`` with /opt moved below ``root``."""
        return text.replace("/opt/noughts", str(self.installed))

    def environment(self) -> dict[str, str]:
        """The environment of a container's process."""
        variables = dict(word.split("=", 1) for word in shlex.split(self.path(KEPT["ENV"])))
        variables["PATH"] = variables["PATH"].replace("$PATH", os.defpath)
        return {**variables, "HOME": "/"}

    def files(self) -> dict[Path, int]:
        """All files with their modification times."""
        return {file: file.stat().st_mtime_ns for file in self.root.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    with tempfile.TemporaryDirectory() as directory:
        image = Image(Path(directory))
        source = image.root / "source"
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        for instruction, rest in stages()[0]:
            match instruction:
                case "WORKDIR":
                    assert rest == "/source"
                    source.mkdir()
                case "COPY":
                    *names, target = rest.split()
                    for name in names:
                        assert f"!{name}" in (ROOT / ".dockerignore").read_text().splitlines()
                        if (ROOT / name).is_dir():
                            ignored = shutil.ignore_patterns("__pycache__")
                            shutil.copytree(ROOT / name, source / target, ignore=ignored)
                        else:
                            shutil.copy(ROOT / name, source / target)
                case "RUN":
                    subprocess.run(image.path(rest), shell=True, check=True, cwd=source, env=environment)
                case _:
                    assert instruction == "FROM"
        yield image


@pytest.mark.services
def test_it_passes_the_linter() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        hadolint = program("hadolint")
    linted = subprocess.run([hadolint, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (linted.stdout, linted.returncode) == ("", 0)


def test_it_runs_as_an_ordinary_user_on_a_pinned_python() -> None:
    user, group = KEPT["USER"].split(":")
    assert int(user) >= 1000
    assert int(group) >= 1000
    assert re.fullmatch(r"python:3\.\d+-slim", KEPT["FROM"])
    assert stages()[0][0] == ("FROM", f"{KEPT['FROM']} AS build")


@pytest.mark.slow
def test_everything_of_the_package_is_installed(image: Image) -> None:
    (packages,) = image.installed.glob("lib/python3.*/site-packages")
    for package in (ROOT / "server" / "noughts", ROOT / "client" / "noughts_client"):
        files = [file.relative_to(package.parent) for file in package.rglob("*") if file.is_file()]
        files = [file for file in files if "__pycache__" not in file.parts]
        assert files
        assert [file for file in files if not (packages / file).is_file()] == []
    assert list(packages.glob("noughts/journal/**/*.sql"))


@pytest.mark.slow
def test_it_serves_passes_its_health_check_and_writes_nothing(image: Image, tmp_path: Path) -> None:
    port = free_port()
    environment = {**image.environment(), "NOUGHTS_PORT": str(port), "NOUGHTS_JOURNAL": "memory"}
    assert environment["NUMBA_CACHE_DIR"].startswith("/tmp/"), "the one place where a container can write"
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "numba")
    entry, arguments = (json.loads(KEPT[instruction]) for instruction in ("ENTRYPOINT", "CMD"))
    command = [str(image.installed / "bin" / entry[0]), *entry[1:], *arguments]
    before = image.files()
    with running(command, tmp_path / "log", env=environment, cwd=image.root) as process:
        wait_until(lambda: listens(port), process, tmp_path / "log")
        assert healthy(image, port)
    assert process.returncode == 0
    assert not healthy(image, port)
    assert image.files() == before


def healthy(image: Image, port: int) -> bool:
    """True if the image's health check passes for a server on ``port``."""
    program, *arguments = json.loads(KEPT["HEALTHCHECK"].partition("CMD ")[2].replace("8765", str(port)))
    command = [str(image.installed / "bin" / program), *arguments]
    return subprocess.run(command, env=image.environment(), capture_output=True, check=False).returncode == 0
