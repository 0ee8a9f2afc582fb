"""The Compose file: what it names exists, its servers are alike, and it fits nginx's file beside it."""

import re
from typing import Any

import yaml
from writ.api.service.routes.all_routes import ROUTES
from writ.api.settings.settings import STOP_SECONDS, TABLE

from tests.support.commands import found, options
from tests.support.fronts import SERVERS_FILE
from tests.support.manifests import SERVERS
from tests.support.server import ROOT
from tests.support.servers_together import KINDS

FILE = ROOT / "api/deployment/compose.yaml"
COMPOSE: dict[str, Any] = yaml.safe_load(FILE.read_text())
NAMES = ("writ-1", "writ-2", "writ-3")
ALL = {name: COMPOSE["services"][name] for name in NAMES}
OWN = ("hostname", "volumes", "networks")
"""The members that each server has for itself."""


def test_the_servers_differ_in_their_places_alone() -> None:
    shared = [{key: value for key, value in one.items() if key not in OWN} for one in ALL.values()]
    assert shared == [COMPOSE["x-server"]] * 3
    for key in OWN:
        assert len({str(one[key]) for one in ALL.values()}) == 3, key
    volumes = {volume.partition(":")[0] for one in COMPOSE["services"].values() for volume in one["volumes"]}
    assert {volume for volume in volumes if not volume.startswith("./")} == COMPOSE["volumes"].keys()


def test_the_command_has_options_and_settings_that_exist() -> None:
    server = COMPOSE["x-server"]
    command, *words = server["command"]
    assert {word.partition("=")[0] for word in words} <= options(found([command])[1])
    assert server["environment"].keys() <= TABLE.keys()
    assert server["environment"].keys() >= {"WRIT_STORE", "WRIT_ADMIN_KEY", "WRIT_PUBLIC_URL"}
    (drain,) = (float(word.partition("=")[2]) for word in words if word.startswith("--drain-seconds="))
    assert float(server["stop_grace_period"].rstrip("s")) >= drain + STOP_SECONDS + 5
    assert server["image"] == SERVERS.workloads["writ"]["template"]["spec"]["containers"][0]["image"]


def test_all_servers_have_the_same_keys() -> None:
    server = COMPOSE["x-server"]
    keys = {kind: server["environment"][f"WRIT_{kind.upper()}_KEY"] for kind in KINDS}
    assert keys == {kind: f"/run/secrets/{kind}" for kind in KINDS}
    assert set(server["secrets"]) == set(KINDS)
    assert COMPOSE["secrets"] == {kind: {"file": f"./keys/{kind}.pem"} for kind in KINDS}


def test_the_health_check_asks_whether_a_server_is_ready() -> None:
    server = COMPOSE["x-server"]
    kind, program, *_, code = server["healthcheck"]["test"]
    assert (kind, program) == ("CMD", "python")
    compile(code, "healthcheck", "exec")
    port, path = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)'", code).groups()  # type: ignore[union-attr]
    assert f"--bind=0.0.0.0:{port}" in server["command"]
    assert path == "/readyz"
    assert path in {route.path for route in ROUTES}
    for waits, names in (("proxy", NAMES), ("writ-1", ("db",))):
        assert COMPOSE["services"][waits]["depends_on"] == {name: {"condition": "service_healthy"} for name in names}


def test_nginx_knows_the_servers() -> None:
    text = SERVERS_FILE.read_text()
    assert tuple(re.findall(r"^    server (\S+):8080 ", text, re.MULTILINE)) == NAMES
    assert "--bind=0.0.0.0:8080" in COMPOSE["x-server"]["command"]
    mounted = dict(volume.split(":")[:2] for volume in COMPOSE["services"]["proxy"]["volumes"])
    assert mounted[f"./{SERVERS_FILE.name}"].startswith("/etc/nginx/conf.d/")
    assert f"ssl_certificate {mounted['./tls']}/" in text
    (subnet,) = COMPOSE["networks"]["servers"]["ipam"]["config"]
    prefix = subnet["subnet"].removesuffix("0/24")
    assert all(one["networks"]["servers"]["ipv4_address"].startswith(prefix) for one in ALL.values())


def test_the_database_has_connections_for_all() -> None:
    (each,) = re.findall(r"A worker has up to (\d+) connections", (ROOT / "api/SERVERS.md").read_text())
    (workers,) = (int(word.partition("=")[2]) for word in COMPOSE["x-server"]["command"] if "--workers" in word)
    (most,) = (
        int(word.partition("=")[2]) for word in COMPOSE["services"]["db"]["command"] if "max_connections" in word
    )
    spare = 10
    assert most >= len(NAMES) * (workers * int(each) + 1) + spare


def test_the_page_says_each_variable_that_the_file_asks_for() -> None:
    asked = set(re.findall(r"\$\{(\w+):\?\}", FILE.read_text()))
    assert asked == {"POSTGRES_PASSWORD", "WRIT_ADMIN_KEY", "WRIT_PUBLIC_URL"}
    _, _, text = (ROOT / "api/DEPLOYMENT.md").read_text().partition("## Start three servers")
    assert all(f"{name}=" in text for name in asked)
