"""docker-compose.yml: valid, without passwords, and as locked down as it says."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from deploy.stack import COMPOSE, DEPLOY, ROOT, environment
from noughts.config import Settings, default_files, settings_in
from support.programs import program

NODES = ("node1", "node2", "node3")
OURS = ("noughts", *NODES)
SERVICES = COMPOSE["services"]


def conforms(file: Path) -> bool:
    """True if ``file`` conforms to the schema of the Compose specification."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(file)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_it_conforms_to_the_schema(tmp_path: Path) -> None:
    file = ROOT / "docker-compose.yml"
    assert conforms(file)
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(file.read_text().replace("read_only:", "readonly:"))
    assert not conforms(broken)


@pytest.mark.parametrize("node", NODES)
def test_a_nodes_environment_is_settings(node: str) -> None:
    chosen = {name.removeprefix("NOUGHTS_").lower(): value for name, value in environment(node).items()}
    chosen["trusted_proxies"] = json.loads(chosen["trusted_proxies"])
    settings = Settings.model_validate(chosen)
    assert settings.node == node
    grace_s = int(SERVICES[node]["stop_grace_period"].removesuffix("s"))
    assert grace_s > 2 * settings.drain_s


def test_one_server_starts_by_default_and_the_cluster_by_its_profile() -> None:
    by_profile = {
        profile: {name for name, service in SERVICES.items() if service["profiles"] == [profile]}
        for profile in ("single", "cluster", "metrics")
    }
    assert by_profile == {
        "single": {"noughts"},
        "cluster": {*NODES, "proxy", "mosquitto", "postgres"},
        "metrics": {"prometheus", "grafana"},
    }
    # Compose reads the profiles from .env unless the command names some.
    assert "COMPOSE_PROFILES=single" in (ROOT / ".env").read_text().splitlines()
    assert {(SERVICES[name]["image"], SERVICES[name]["build"]) for name in OURS} == {("noughts", ".")}


def test_the_single_server_keeps_its_games_in_a_volume_that_it_may_write_to(tmp_path: Path) -> None:
    server = SERVICES["noughts"]
    journal = Path(environment("noughts")["NOUGHTS_JOURNAL"])
    assert f"games:{journal.parent}" in server["volumes"]
    assert f"-o 10001 -g 10001 -m 700 {journal.parent}\n" in (ROOT / "Dockerfile").read_text()
    assert "secrets" not in server
    assert int(server["stop_grace_period"].removesuffix("s")) > 2 * Settings.model_fields["drain_s"].default


@pytest.mark.parametrize("name", OURS)
def test_a_server_reads_the_settings_of_its_folder(name: str, tmp_path: Path) -> None:
    folder = SERVICES[name]["working_dir"]
    assert f"./deploy/noughts:{folder}:ro" in SERVICES[name]["volumes"]
    (file,) = default_files()[:1]
    assert settings_in(DEPLOY / "noughts" / file) == {}
    shown = (DEPLOY / "noughts" / file).read_text()
    (tmp_path / file).write_text(re.sub(r"^# (?=\w+ = )", "", shown, flags=re.MULTILINE))
    assert Settings(**settings_in(tmp_path / file)).registration == "invited"  # type: ignore[arg-type]


def test_the_nodes_differ_only_in_their_names() -> None:
    nodes = [{**SERVICES[node], "environment": environment(node)} for node in NODES]
    published = [node.pop("ports") for node in nodes]
    assert tuple(node["environment"].pop("NOUGHTS_NODE") for node in nodes) == NODES
    one = nodes[0]
    assert nodes == [one] * 3
    # Their metrics are where the example for Prometheus looks for them.
    places = [place.rpartition(":") for (place,) in published]
    assert {port for _, _, port in places} == {one["environment"]["NOUGHTS_METRICS"].rpartition(":")[2]}
    (job,) = YAML(typ="safe").load(DEPLOY / "prometheus" / "prometheus.yml")["scrape_configs"]
    assert job["static_configs"] == [{"targets": [place for place, _, _ in places]}]
    assert all(place.startswith("127.0.0.1:") for place, _, _ in places)
    (job,) = YAML(typ="safe").load(DEPLOY / "prometheus" / "cluster.yml")["scrape_configs"]
    assert job["static_configs"] == [{"targets": [f"{node}:{port}" for node in NODES for _, _, port in places[:1]]}]


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_can_do_no_more_than_it_must(service: str) -> None:
    settings = SERVICES[service]
    assert settings["read_only"] is True
    assert settings["cap_drop"] == ["ALL"]
    assert settings["security_opt"] == ["no-new-privileges:true"]
    assert settings["restart"] == "unless-stopped"
    if service not in OURS:
        assert re.search(r":v?\d+(\.\d+)*$", settings["image"])


def test_every_writable_volume_has_a_name() -> None:
    written = {
        volume.partition(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
        if not volume.endswith(":ro")
    }
    assert written == set(COMPOSE["volumes"])


def test_mounted_files_exist() -> None:
    sources = [
        volume.partition(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
        if volume.startswith(".")
    ]
    assert len(set(sources)) == 6
    assert all((ROOT / source).is_dir() for source in sources)


def test_only_the_proxy_is_open_to_the_world() -> None:
    published = {
        name: service["ports"] for name, service in SERVICES.items() if "ports" in service and name not in OURS
    }
    assert published == {
        "proxy": ["80:80", "443:443"],
        "mosquitto": ["${NOUGHTS_MQTT:-127.0.0.1:1883}:1883"],
        "prometheus": ["127.0.0.1:9090:9090"],
        "grafana": ["127.0.0.1:3000:3000"],
    }
    assert COMPOSE["networks"]["back"] == {"internal": True}
    assert SERVICES["postgres"]["networks"] == ["back"]


def test_no_password_is_in_the_files() -> None:
    for service in SERVICES:
        for name, value in environment(service).items():
            if "PASSWORD" in name:
                assert name.endswith("_FILE")
                assert value.removeprefix("/run/secrets/") in SERVICES[service]["secrets"]
            assert not re.search(r"//[^/@]*:[^/@]*@", value)


@pytest.mark.services
def test_passwords_and_certificates_are_random_and_created_once(tmp_path: Path) -> None:
    script = tmp_path / "deploy" / "make-secrets"
    script.parent.mkdir()
    shutil.copy(DEPLOY / "make-secrets", script)
    files = {name: tmp_path / secret["file"] for name, secret in COMPOSE["secrets"].items()}

    subprocess.run([script], check=True, cwd=tmp_path)
    made = {name: file.read_text() for name, file in files.items()}
    assert len(set(made.values())) == len(made) == 8
    assert all(re.fullmatch(r"[0-9a-f]{48}", made[name]) for name in made if name.endswith("password"))
    assert set(files.values()) == set((script.parent / "secrets").iterdir())
    assert stat.S_IMODE((script.parent / "secrets").stat().st_mode) == 0o700
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o644 for file in files.values())
    for service in ("postgres", "mosquitto"):
        command = [program("openssl"), "verify", "-CAfile", files["authority"], "-verify_hostname", service]
        subprocess.run([*command, files[f"{service}_certificate"]], check=True, capture_output=True)

    files["journal_password"].unlink()
    subprocess.run([script], check=True, cwd="/")
    again = {name: file.read_text() for name, file in files.items()}
    assert {name for name in made if made[name] != again[name]} == {"journal_password"}


def test_passwords_are_excluded_from_git_and_the_image() -> None:
    for secret in COMPOSE["secrets"].values():
        assert f"/{Path(secret['file']).parent}/" in (ROOT / ".gitignore").read_text().splitlines()
    kept = (ROOT / ".dockerignore").read_text().splitlines()
    assert kept[0] == "*"
    assert "!deploy" not in kept
