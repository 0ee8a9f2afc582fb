"""The Kubernetes manifests: their schemas, what their parts say of each other, and the commands of one, which run."""

import shlex
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from writ.api.service.routes.all_routes import ROUTES
from writ.api.settings.settings import STOP_SECONDS, TABLE

from tests.api.conftest import ALLOWED
from tests.support.certificates import Authority
from tests.support.command import WRIT
from tests.support.commands import found, options
from tests.support.manifests import ONE, PODS, SERVERS, Manifest, Pod
from tests.support.ports import free_port
from tests.support.server import KEY, ROOT, environment
from tests.support.servers_together import KINDS
from tests.support.waiting import wait_until

VERSIONS = ("1.29", "1.37")
"""The oldest and the newest version whose schemas the manifest is held against."""

CONTAINERS = {pod.name: pod.container for pod in PODS if pod.manifest is ONE}
by_pod = pytest.mark.parametrize("pod", PODS, ids=["service", "agent", "server"])
by_manifest = pytest.mark.parametrize("manifest", [ONE, SERVERS], ids=["one", "servers"])


@pytest.mark.deployment
@pytest.mark.parametrize("version", VERSIONS)
@by_manifest
def test_the_schema_of_kubernetes_accepts_each_object(manifest: Manifest, version: str) -> None:
    validator = pytest.importorskip("kubernetes_validate", reason="the extra `deployment` is not installed")
    for one in manifest.objects:
        validator.validate(one, version, strict=True)
    with pytest.raises(validator.ValidationError):
        validator.validate(manifest.objects[0] | {"unknown": 1}, version, strict=True)


def test_the_service_is_alone_and_agents_are_many() -> None:
    service, agents = ONE.workloads["writ"], ONE.workloads["writ-agents"]
    assert (service["replicas"], service["strategy"]) == (1, {"type": "Recreate"})
    assert agents["replicas"] > 1
    assert agents["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


@by_pod
def test_selectors_fit_the_pods(pod: Pod) -> None:
    assert pod.workload["selector"]["matchLabels"] == pod.labels
    service = pod.manifest.of_kind("Service")[pod.name]["spec"]
    assert service["selector"] == pod.labels
    assert {port["targetPort"] for port in service["ports"]} <= {port["name"] for port in pod.container["ports"]}
    others = [other.labels for other in PODS if other.manifest is pod.manifest and other is not pod]
    assert pod.labels not in others
    spread = [one["labelSelector"]["matchLabels"] for one in pod.spec.get("topologySpreadConstraints", [])]
    budgets = pod.manifest.of_kind("PodDisruptionBudget")
    if pod.workload["replicas"] > 1:
        assert spread
        assert all(labels == pod.labels for labels in spread)
        assert budgets[pod.name]["spec"] == {"maxUnavailable": 1, "selector": {"matchLabels": pod.labels}}


@by_pod
def test_a_pod_has_as_few_rights_as_it_can(pod: Pod) -> None:
    spec, container = pod.spec, pod.container
    assert spec["automountServiceAccountToken"] is False
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["runAsUser"] > 0
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"]["limits"]["memory"]
    assert {one["name"] for one in container["volumeMounts"]} == {one["name"] for one in spec["volumes"]}


@by_pod
def test_a_pod_ends_in_its_time(pod: Pod) -> None:
    drain = float(pod.argument("--drain-seconds"))
    readiness = pod.container["readinessProbe"]
    assert pod.spec["terminationGracePeriodSeconds"] >= drain + STOP_SECONDS + 5
    assert drain > readiness["periodSeconds"] * readiness["failureThreshold"], "the balancer has noticed by then"


@by_pod
def test_probes_ask_what_is_served(pod: Pod) -> None:
    probes = {kind: pod.container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "liveness", "readiness")}
    assert {kind: one["path"] for kind, one in probes.items()} == {
        "startup": "/healthz",
        "liveness": "/healthz",
        "readiness": "/readyz",
    }
    assert {one["path"] for one in probes.values()} <= {route.path for route in ROUTES}


@by_pod
def test_commands_have_options_that_exist(pod: Pod) -> None:
    command, *words = pod.container["args"]
    assert {word.partition("=")[0] for word in words} <= options(found([command])[1])


def test_agents_have_a_private_key_of_their_own() -> None:
    """Whoever breaks into an agent can not pass for the service."""
    secrets = [pod.secrets() for pod in PODS]
    assert secrets == [{"writ-tls"}, {"writ-agents-tls", "writ-agent"}, {"writ-tls", "writ-keys"}]
    text = (ROOT / "api/DEPLOYMENT.md").read_text()
    assert all(f"create secret generic {secret} " in text for found in secrets for secret in found)


@by_manifest
def test_the_network_lets_agents_and_clients_reach_the_service(manifest: Manifest) -> None:
    (policy,) = manifest.of_kind("NetworkPolicy").values()
    labels = {pod.name: pod.labels for pod in PODS}
    assert policy["spec"]["podSelector"]["matchLabels"] == labels["writ"]
    (rule,) = policy["spec"]["ingress"]
    selectors = [one["podSelector"]["matchLabels"] for one in rule["from"]]
    assert selectors == [labels["writ-agents"], {"writ.example/client": "true"}]
    assert {port["port"] for port in rule["ports"]} == {port["name"] for port in CONTAINERS["writ"]["ports"]}


@by_manifest
def test_secrets_and_claims_that_the_manifest_has_are_used(manifest: Manifest) -> None:
    pod = Pod(manifest, "writ")
    assert pod.container["envFrom"] == [{"secretRef": {"name": "writ-settings"}}]
    assert list(manifest.of_kind("Secret")) == ["writ-settings"]
    claims = [
        one["persistentVolumeClaim"]["claimName"] for one in pod.spec["volumes"] if "persistentVolumeClaim" in one
    ]
    assert claims == list(manifest.of_kind("PersistentVolumeClaim"))


@by_manifest
def test_the_administrators_key_of_the_file_is_refused(manifest: Manifest, tmp_path: Path) -> None:
    """Nobody serves with a key that everybody can read on a page."""
    key = manifest.of_kind("Secret")["writ-settings"]["stringData"]["WRIT_ADMIN_KEY"]
    line = [str(WRIT), "serve", "--data", str(tmp_path / "data"), "--bind", "127.0.0.1:0"]
    done = subprocess.run(line, env=environment({"WRIT_ADMIN_KEY": key}), capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "WRIT_ADMIN_KEY" in done.stderr


def test_the_servers_have_the_same_keys_and_change_one_by_one() -> None:
    """With `emptyDir`, a pod loses the keys that it makes itself. So it must make none."""
    pod = Pod(SERVERS, "writ")
    assert pod.workload["replicas"] == 3
    assert pod.workload["strategy"] == {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}
    mounts = {one["name"]: one["mountPath"] for one in pod.container["volumeMounts"]}
    variables = {one["name"]: one["value"] for one in pod.container["env"]}
    assert variables.keys() <= TABLE.keys()
    keys = {name: value for name, value in variables.items() if name.endswith("_KEY")}
    assert keys == {f"WRIT_{kind.upper()}_KEY": f"{mounts['keys']}/{kind}.pem" for kind in KINDS}
    given = SERVERS.of_kind("Secret")["writ-settings"]["stringData"]
    assert given.keys() == {"WRIT_ADMIN_KEY", "WRIT_STORE"}
    assert "sslmode=verify-full" in given["WRIT_STORE"]
    assert "emptyDir" in next(one for one in pod.spec["volumes"] if one["name"] == "data")


# -- the commands of the containers


@contextmanager
def container(name: str, places: dict[str, str], settings: dict[str, str], log: Path) -> Iterator[None]:
    """The command of a container, with paths and addresses of this machine, until its probes pass."""
    line = shlex.join(CONTAINERS[name]["args"])
    for old, new in places.items():
        assert old in line, old
        line = line.replace(old, new)
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(WRIT), *shlex.split(line)], stdout=output, stderr=output, env=environment(settings)
        )
    try:
        yield
        assert process.poll() is None, log.read_text()
        process.terminate()
        process.terminate()  # the second one ends the wait of `--drain-seconds`
        assert process.wait(60) == 0, log.read_text()
    finally:
        process.kill()
        process.wait()


def probes_pass(name: str, port: int, trust: ssl.SSLContext) -> bool:
    kinds = ("startupProbe", "livenessProbe", "readinessProbe")
    urls = [f"https://localhost:{port}{CONTAINERS[name][kind]['httpGet']['path']}" for kind in kinds]
    try:
        return all(httpx.get(url, verify=trust).status_code == 200 for url in urls)
    except httpx.TransportError:
        return False


@pytest.mark.agent
def test_the_service_and_an_agent_run_as_the_manifest_starts_them(tmp_path: Path, model_file: Path) -> None:
    authority = Authority(tmp_path, "authority")
    pair, port, agent_port = authority.pair("writ"), free_port(), free_port()
    tls = {"/etc/writ/tls/tls.crt": str(pair.certificate), "/etc/writ/tls/tls.key": str(pair.key)}
    places = {"/var/lib/writ": str(tmp_path), "0.0.0.0:8443": f"127.0.0.1:{port}"} | tls
    variables = {one["name"]: one["value"] for one in CONTAINERS["writ"]["env"]} | {"WRIT_ADMIN_KEY": KEY}
    trust = authority.trust()
    with container("writ", places, variables, tmp_path / "log"):
        assert wait_until(lambda: probes_pass("writ", port, trust)) is True, (tmp_path / "log").read_text()
        secrets(tmp_path, port, trust, model_file)
        agent = {
            "/var/lib/writ": str(tmp_path / "state"),
            "0.0.0.0:8443": f"127.0.0.1:{agent_port}",
            "https://writ ": f"https://localhost:{port} ",
            "/etc/writ/tls/ca.crt": str(authority.file),
            "/etc/writ/agent": str(tmp_path),
        }
        with container("writ-agents", agent | tls, {}, tmp_path / "agent-log"):
            ready = wait_until(lambda: probes_pass("writ-agents", agent_port, trust))
            assert ready is True, (tmp_path / "agent-log").read_text()
            headers = {"Authorization": f"Bearer {(tmp_path / 'agent.key').read_text()}"}
            url = f"https://localhost:{agent_port}/access/v1/evaluation"
            answer = httpx.post(url, json=ALLOWED, headers=headers, verify=trust)
            assert answer.json()["decision"] is True


def secrets(folder: Path, port: int, trust: ssl.SSLContext, model_file: Path) -> None:
    """Make the environment `prod`, and what the secret `writ-agent` holds."""
    run = [str(WRIT), "keys"]
    data = ["--kind", "bundle", "--data", str(folder / "data")]
    subprocess.run([*run, "rotate", *data], check=True, capture_output=True, env=environment())
    done = subprocess.run([*run, *data], check=True, capture_output=True, env=environment())
    (folder / "bundles.pem").write_bytes(done.stdout)
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    with httpx.Client(base_url=f"https://localhost:{port}", headers=headers, verify=trust, timeout=60) as client:
        client.post("/v1/environments", json={"id": "prod"}).raise_for_status()
        client.put("/v1/environments/prod/model", content=model_file.read_bytes()).raise_for_status()
        asked = {"name": "agents", "scopes": ["read"], "environments": ["prod"]}
        (folder / "agent.key").write_text(client.post("/v1/api-keys", json=asked).raise_for_status().json()["key"])
