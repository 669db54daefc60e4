"""The contents of the project's distributions, and the versions that are locked."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_sources_are_packed_whole() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("it is only known in a checkout what belongs to the sources")
    run = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True)
    tracked = {name.partition("/")[0] for name in run.stdout.splitlines()}
    included = {name.removeprefix("/") for name in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]}
    hidden = {name for name in tracked if name.startswith(".")}
    assert tracked - hidden - included == {"pyproject.toml"}  # which is packed in any case
    assert included <= tracked


def test_a_package_index_shows_no_link_or_picture_that_leads_nowhere(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        description = Parser().parsestr(files.read(name).decode()).get_payload()
    assert isinstance(description, str)
    assert "images/" not in description
    targets = re.findall(r"\]\(([^)]*)\)", description)
    assert [target for target in targets if not target.startswith("https://")] == []
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.partition("## Start")[2].count("\n") == description.partition("## Start")[2].count("\n")


@pytest.mark.parametrize(("lock", "extras"), [("server", ("cluster", "fast", "swiss")), ("test", ("test", "browser"))])
def test_each_dependency_is_locked_within_its_range(lock: str, extras: tuple[str, ...]) -> None:
    text = (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    assert "://" not in text, "no index is named"
    assert "--index" not in text
    locked: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE):
        locked.setdefault(name, []).append(version)
    extra = [line for name in extras for line in PROJECT["project"]["optional-dependencies"][name]]
    for line in PROJECT["project"]["dependencies"] + extra:
        wanted = Requirement(line)
        if wanted.name == "noughts":
            continue
        name = re.sub(r"[._-]+", "-", wanted.name).lower()
        assert name in locked, "scripts/lock locks it"
        assert all(wanted.specifier.contains(version) for version in locked[name]), (line, locked[name])


def test_the_tests_run_with_the_versions_that_servers_install() -> None:
    server, tests = (
        set(re.findall(r"^[\w.-]+==[^\s;]+", (ROOT / "requirements" / f"{lock}.txt").read_text(), re.MULTILINE))
        for lock in ("server", "test")
    )
    assert server
    assert server <= tests
