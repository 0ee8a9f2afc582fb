"""nginx and Caddy with TLS, as the deployment page configures them, in front of the service on a Unix socket."""

import json
import re
import socket
import ssl
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from writ.api.engines.exports.preferences import LONGEST_WAIT

from tests.api.conftest import ALLOWED
from tests.support.certificates import Authority, Pair
from tests.support.command import WRIT
from tests.support.fronts import FILES, HOST, front, program
from tests.support.gateways import backend
from tests.support.ports import free_port
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, environment
from tests.support.waiting import wait_until

pytestmark = pytest.mark.gateway

MEBIBYTE = 1_048_576
OLD = ssl.TLSVersion.TLSv1_1
DECIDE = "/access/v1/evaluation"
FORGED = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Host": "evil.example",
    "X-Forwarded-Method": "POST",
    "X-Forwarded-Port": "1",
    "X-Forwarded-Prefix": "/forged",
    "X-Forwarded-Proto": "http",
    "X-Forwarded-Server": "evil.example",
    "X-Forwarded-Uri": "/forged",
    "X-HTTP-Method-Override": "DELETE",
    "X-Original-Host": "evil.example",
    "X-Original-Method": "POST",
    "X-Original-URI": "/forged",
    "X-Original-URL": "/forged",
    "X-Real-IP": "203.0.113.9",
    "X-Rewrite-URL": "/forged",
    "X-Writ-Authorization": "Bearer forged",
    "X-Writ-Subject": "user:mallory",
    "X_Writ_Subject": "user:mallory",
    "Forwarded": "for=203.0.113.9",
}
"""What a client invents, none of which may pass."""

OWN = {"x-forwarded-for": "127.0.0.1", "x-forwarded-host": HOST, "x-forwarded-proto": "https"}
"""What the proxies say themselves."""

GATEWAY_PATHS = (
    "/gateway/nginx",
    "/g%61teway/nginx",
    "/gateway/envoy/documents/d1",
    "/environments/default/gateway/nginx",
    "/environments/a%2Fb/gateway/nginx",
    "/%65nvironments/default/%67ateway/nginx",
)


class Behind(NamedTuple):
    """The service on a socket, the certificate of the proxies, and the log of decisions."""

    process: subprocess.Popen[bytes]
    path: Path
    pair: Pair
    trust: ssl.SSLContext
    decisions: Path

    def direct(self) -> httpx.Client:
        """A client of the service without a proxy."""
        headers = {"Authorization": f"Bearer {KEY}"}
        return httpx.Client(
            transport=httpx.HTTPTransport(uds=str(self.path)), base_url="http://writ", headers=headers, timeout=30
        )


class Front(NamedTuple):
    """A proxy in front of it."""

    name: str
    port: int
    behind: Behind

    def client(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {KEY}"}
        url = f"https://{HOST}:{self.port}"
        return httpx.Client(base_url=url, headers=headers, timeout=30, verify=self.behind.trust)


@contextmanager
def served(folder: Path, model: Path) -> Iterator[Behind]:
    """One worker, which may have few connections."""
    authority, path, decisions = Authority(folder, "authority"), folder / "writ.sock", folder / "decisions.jsonl"
    line = [str(WRIT), "serve", "--data", str(folder / "data"), "--import", str(model), "--workers", "1"]
    line += ["--bind", f"unix:{path}", "--decision-log", str(decisions)]
    told = {"WRIT_ADMIN_KEY": KEY, "WRIT_MAX_STRING_BYTES": str(4 * MEBIBYTE), "WRIT_PUBLIC_URL": f"https://{HOST}"}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(line, stdout=log, stderr=log, env=environment(told))
    try:
        found = Behind(process, path, authority.pair("proxy"), authority.trust(), decisions)
        assert wait_until(lambda: is_ready(found) or process.poll() is not None) is True, (folder / "log").read_text()
        yield found
    finally:
        process.terminate()
        process.wait(60)


def is_ready(behind: Behind) -> bool:
    with socket.socket(socket.AF_UNIX) as asking:
        if asking.connect_ex(str(behind.path)):
            return False
    with behind.direct() as client:
        return client.get("/readyz").status_code == 200


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory, model_file: Path) -> Iterator[Behind]:
    with served(tmp_path_factory.mktemp("behind"), model_file) as found:
        with found.direct() as client:  # a proxy on the socket would be believed, if its clients could pretend
            settings = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["unix"]}
            client.put("/v1/environments/default/gateway", json=settings).raise_for_status()
        yield found


def needs(name: str) -> None:
    if program(name) is None:
        pytest.skip(f"{name} is not installed")


@pytest.fixture(scope="module", params=list(FILES))
def proxy(request: pytest.FixtureRequest, behind: Behind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    needs(request.param)
    port, folder = free_port(), tmp_path_factory.mktemp("front") / request.param
    with front(request.param, folder, port, behind.pair, behind.path):
        yield Front(request.param, port, behind)


def test_calls_pass_over_verified_tls(proxy: Front) -> None:
    with proxy.client() as client:
        answer = client.post(DECIDE, json=ALLOWED)
        assert (answer.status_code, answer.json()["decision"]) == (200, True)
        assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
        assert client.post(DECIDE, json=ALLOWED, headers={"Authorization": "Bearer wrong"}).status_code == 401
        metadata = client.get("/.well-known/authzen-configuration").json()
        assert metadata["policy_decision_point"] == f"https://{HOST}"
    with pytest.raises(ssl.SSLError), socket.create_connection(("127.0.0.1", proxy.port)) as plain:
        ssl.create_default_context().wrap_socket(plain, server_hostname=HOST)  # trusts no authority of the tests


def test_old_protocols_are_refused(proxy: Front) -> None:
    for version, fits in ((ssl.TLSVersion.TLSv1_3, True), (ssl.TLSVersion.TLSv1_2, True), (OLD, False)):
        context = ssl.create_default_context(cafile=str(proxy.behind.path.parent / "authority.pem"))
        context.set_ciphers("DEFAULT@SECLEVEL=0")  # the client itself would refuse
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version = context.maximum_version = version
        with socket.create_connection(("127.0.0.1", proxy.port)) as plain:
            if fits:
                context.wrap_socket(plain, server_hostname=HOST).close()
            else:
                with pytest.raises(ssl.SSLError, match="PROTOCOL_VERSION"):
                    context.wrap_socket(plain, server_hostname=HOST)


def test_request_ids_and_traces_pass(proxy: Front) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    asked = {"X-Request-ID": f"asked-{proxy.name}", "traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
    with proxy.client() as client:
        assert client.post(DECIDE, json=ALLOWED, headers=asked).headers["X-Request-ID"] == asked["X-Request-ID"]
        given = client.post(DECIDE, json=ALLOWED).headers["X-Request-ID"]
        assert len(given) >= 32, "a request without an id gets one"

    def logged() -> dict[str, str | None]:
        records = map(json.loads, proxy.behind.decisions.read_text().splitlines())
        return {record["request_id"]: record["trace_id"] for record in records}

    assert wait_until(lambda: {asked["X-Request-ID"], given} <= logged().keys()) is True
    assert logged()[asked["X-Request-ID"]] == trace


@pytest.mark.parametrize("name", list(FILES))
def test_what_a_client_forges_does_not_pass(name: str, behind: Behind, tmp_path: Path) -> None:
    needs(name)
    port = free_port()
    with backend() as echo, front(name, tmp_path / name, port, behind.pair, echo):
        trace = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "X-Request-ID": "mine"}
        url = f"https://{HOST}:{port}/v1/environments/a%2Fb/%7Ex?a=1&b=%20"
        answer = httpx.get(url, headers=FORGED | trace | {"Authorization": "Bearer mine"}, verify=behind.trust).json()
    got = {key.lower(): value for key, value in answer["headers"]}
    assert answer["target"] == "/v1/environments/a%2Fb/%7Ex?a=1&b=%20", "the path goes on as it came"
    assert {key: got[key].removesuffix(f":{port}") for key in OWN} == OWN
    assert got["authorization"] == "Bearer mine"
    assert (got["traceparent"], got["x-request-id"]) == (trace["traceparent"], "mine")
    assert {key for key in map(str.lower, FORGED) if key in got} == OWN.keys()


@pytest.mark.parametrize("path", GATEWAY_PATHS)
def test_clients_can_not_pretend_to_be_a_gateway(proxy: Front, path: str) -> None:
    """On the socket itself, the same request is believed."""
    asked = {"X-Original-Method": "GET", "X-Original-URI": "/x", "X-Writ-Subject": "user:alice"}
    own = {"X-Writ-Authorization": f"Bearer {KEY}"}
    with proxy.client() as client:
        answer = client.get(path, headers=asked | own)
        assert answer.status_code == 404
        assert "x-writ-reason-code" not in answer.headers
    with proxy.behind.direct() as direct:
        answer = direct.get("/gateway/nginx", headers=asked | own)
        assert (answer.status_code, "x-writ-reason-code" in answer.headers) == (403, True)


ELSEWHERE = (
    "/gateway/nginx/../../y",
    "/gateway/envoy/%2e%2e/%2e%2e/x",
    "/gateway/envoy/..%2f..%2fx",
    "/gateway/nginx/../../access/v1/evaluation?x=1",
    "/environments/default/gateway/envoy/../../../../x",
    "/environments/./gateway/nginx",
    "/environments/../gateway/nginx",
    "https://localhost/gateway/nginx/../../y",
)
"""Paths that a proxy resolves to others than those of gateways, which Writ does not resolve."""


@pytest.mark.parametrize("path", ELSEWHERE)
def test_dot_segments_lead_no_client_to_a_gateway(proxy: Front, path: str) -> None:
    """The proxy itself answers, and never Writ as to a gateway."""
    with RawConnection("127.0.0.1", proxy.port, proxy.behind.trust) as raw:
        raw.send(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
        answer = raw.answer()
    assert answer.status == 404, answer
    assert b'"error"' not in answer.body, "Writ answered"


def padded(size: int) -> bytes:
    """An evaluation of exactly `size` bytes."""
    empty = json.dumps(ALLOWED | {"context": {"padding": ""}})
    body = json.dumps(ALLOWED | {"context": {"padding": "x" * (size - len(empty))}}).encode()
    assert len(body) == size
    return body


def test_bodies_up_to_the_limit_pass(proxy: Front) -> None:
    headers = {"Content-Type": "application/json"}
    with proxy.client() as client:
        answer = client.post(DECIDE, content=padded(MEBIBYTE), headers=headers)
        assert (answer.status_code, answer.json()["decision"]) == (200, True)
        assert client.post(DECIDE, content=padded(MEBIBYTE + 1), headers=headers).status_code == 413
        model = client.get("/v1/environments/default/model").raise_for_status().json()
        some = model["policies"][0]
        model["policies"] += [some | {"id": f"p{number}", "description": "x" * 60_000} for number in range(40)]
        assert len(json.dumps(model)) > 2 * MEBIBYTE
        answer = client.put("/v1/environments/default/model", json=model, params={"dry_run": "true"})
        assert answer.status_code == 200, answer.text


def test_long_lines_pass(proxy: Front) -> None:
    """Writ takes 32,768 bytes for the first line of a request."""
    path = "/v1/environments/default/subjects/user/" + "a" * 32_000
    with proxy.client() as client:
        assert client.get(path).json().keys() == {"error"}, "Writ itself answers"


def test_a_long_poll_is_not_cut(proxy: Front) -> None:
    """A short one passes. For the longest one, the file has more time than the service."""
    with proxy.client() as client:
        rotate_bundle_key(proxy.behind)
        first = client.get("/v1/environments/default/bundle").raise_for_status()
        asked = {"If-None-Match": first.headers["ETag"], "Prefer": "wait=2"}
        begun = time.monotonic()
        assert client.get("/v1/environments/default/bundle", headers=asked).status_code == 304
        assert time.monotonic() - begun >= 2
    found = re.search(
        r"^\s*(?:proxy_read_timeout|response_header_timeout) (\d+)s;?$", FILES[proxy.name].read_text(), re.M
    )
    assert found is not None
    assert int(found[1]) > LONGEST_WAIT + 5


def rotate_bundle_key(behind: Behind) -> None:
    """Without a key, the service has no bundle to send."""
    line = [str(WRIT), "keys", "rotate", "--kind", "bundle", "--data", str(behind.path.parent / "data")]
    subprocess.run(line, check=True, capture_output=True, env=environment())


def test_slow_clients_hold_no_worker(proxy: Front) -> None:
    """Others are answered while 40 clients have sent half of a body."""
    head = (
        f"POST {DECIDE} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {KEY}\r\nContent-Type: application/json\r\n"
    )
    half = f"{head}Content-Length: 2000\r\n\r\n{{".encode()
    with ExitStack() as stack, proxy.client() as client:
        for _ in range(40):
            plain = stack.enter_context(socket.create_connection(("127.0.0.1", proxy.port), 30))
            slow = stack.enter_context(proxy.behind.trust.wrap_socket(plain, server_hostname=HOST))
            slow.sendall(half)
        begun = time.monotonic()
        for _ in range(20):
            assert client.post(DECIDE, json=ALLOWED).json()["decision"] is True
        assert time.monotonic() - begun < 25, "Writ and the proxies wait 30 seconds for a body"
        if proxy.name == "nginx":
            assert receiving(proxy) == 0, "nginx waits for the whole body first"


def receiving(proxy: Front) -> int:
    """How many requests the service has half of, by its own count. It is up to a second old: it has one more then."""
    with proxy.behind.direct() as direct, socket.socket(socket.AF_UNIX) as half:
        half.connect(str(proxy.behind.path))
        half.sendall(request("POST", DECIDE, b"{", {"Content-Length": "2000"}, key=KEY))
        assert wait_until(lambda: _counted(direct) > 0)
        return _counted(direct) - 1


def _counted(direct: httpx.Client) -> int:
    lines = direct.get("/metrics").text.splitlines()
    (line,) = (one for one in lines if one.startswith('writ_http_connections{state="receiving"}'))
    return int(float(line.split()[-1]))


@pytest.mark.parametrize("name", list(FILES))
def test_a_service_that_is_away_is_a_503(name: str, behind: Behind, tmp_path: Path) -> None:
    """The first two sockets do not exist and refuse; the last one takes connections and never answers."""
    needs(name)
    with socket.socket(socket.AF_UNIX) as refusing:
        refusing.bind(str(tmp_path / "refusing"))
        for number, path in enumerate((tmp_path / "none", tmp_path / "refusing")):
            port = free_port()
            with front(name, tmp_path / f"{name}{number}", port, behind.pair, path):
                answer = httpx.post(f"https://{HOST}:{port}{DECIDE}", json=ALLOWED, verify=behind.trust)
            assert (answer.status_code, answer.json().keys()) == (503, {"error"})
            assert answer.headers["Retry-After"] == "1"
            assert answer.headers["Content-Type"].startswith("application/json")


@pytest.mark.parametrize("name", list(FILES))
def test_the_log_of_a_proxy_names_nobody(name: str, behind: Behind, tmp_path: Path) -> None:
    """Also while Writ is away, or ends a connection."""
    needs(name)
    with socket.socket(socket.AF_UNIX) as refusing:
        refusing.bind(str(tmp_path / "refusing"))
        for number, path in enumerate((tmp_path / "none", tmp_path / "refusing")):
            folder, port = tmp_path / f"{name}{number}", free_port()
            with front(name, folder, port, behind.pair, path):
                url = f"https://{HOST}:{port}/v1/environments/default/subjects/user/maria.personal/holdings"
                assert httpx.get(url, params={"q": "maria.personal"}, verify=behind.trust).status_code == 503
            assert "maria.personal" not in (folder / "log").read_text()


@pytest.mark.parametrize("name", list(FILES))
def test_a_service_that_restarts_is_found_again(name: str, tmp_path: Path, model_file: Path) -> None:
    needs(name)
    port = free_port()
    with served(tmp_path, model_file) as first, front(name, tmp_path / name, port, first.pair, first.path):
        url = f"https://{HOST}:{port}/readyz"
        assert httpx.get(url, verify=first.trust).status_code == 200
        first.process.terminate()
        first.process.wait(60)
        assert httpx.get(url, verify=first.trust).status_code == 503
        with served_again(tmp_path) as process:
            found = wait_until(lambda: httpx.get(url, verify=first.trust).status_code == 200 or process.poll())
            assert found is True


@contextmanager
def served_again(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    line = [str(WRIT), "serve", "--data", str(folder / "data"), "--bind", f"unix:{folder / 'writ.sock'}"]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(line, stdout=log, stderr=log, env=environment({"WRIT_ADMIN_KEY": KEY}))
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)
