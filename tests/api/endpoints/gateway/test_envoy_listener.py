"""The listener for Envoy's checks: how it starts, its workers, its limits, TLS, and what happens when workers end."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.certificates import Authority
from tests.support.command import writ
from tests.support.envoy_checks import Envoy, check_request, code_of, envoy
from tests.support.processes import children
from tests.support.server import KEY, Server, environment, running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

grpc = pytest.importorskip("grpc", reason="grpcio is not installed")

ROOT = "/v1/environments/default"
LISTENS = ("--envoy-bind", "127.0.0.1:0")
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read", "update"]}],
    "policies": [
        {
            "id": "ten-updates",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["update"]}],
            "conditions": {"rate_limit": {"limit": 10, "window_seconds": 3600}},
        }
    ],
    "routes": [
        {
            "id": action,
            "methods": [method],
            "path": "/documents/{id}",
            "resource_type": "document",
            "action": action,
        }
        for method, action in (("GET", "read"), ("PUT", "update"))
    ],
}
SETTINGS = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["127.0.0.1"]}
ALICE = ("x-writ-subject", "user:alice")
GRANT = {
    "id": "g",
    "subject": {"type": "user", "id": "alice"},
    "resource": {"type": "document", "id": "d1"},
    "actions": ["read"],
}
READ = check_request("GET", "/documents/d1", [ALICE])
CONNECTIONS = 12


def prepare(admin: httpx.Client) -> None:
    """Put the model and the gateway's settings."""
    admin.put(f"{ROOT}/model", json=MODEL).raise_for_status()
    admin.put(f"{ROOT}/gateway", json=SETTINGS).raise_for_status()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server") / "data"
    with running(folder, *LISTENS, workers=2) as started, started.client() as admin:
        prepare(admin)
        yield started


@contextmanager
def many(server: Server) -> Iterator[list[Envoy]]:
    """Clients with a connection each, which the kernel shares out among the workers."""
    with ExitStack() as stack:
        yield [stack.enter_context(envoy(server.envoy_port, KEY)) for _ in range(CONNECTIONS)]


def test_each_worker_listens(server: Server) -> None:
    """Their sockets share the port, so a connection goes to one of them."""
    port = f":{server.envoy_port:04X}"
    for worker in children(server.process.pid):
        tables = [Path(f"/proc/{worker}/net/{table}").read_text().splitlines()[1:] for table in ("tcp", "tcp6")]
        rows = [line.split() for table in tables for line in table]
        listening = {f"socket:[{row[9]}]" for row in rows if row[1].endswith(port) and row[3] == "0A"}
        held = {os.readlink(handle) for handle in Path(f"/proc/{worker}/fd").iterdir() if handle.is_symlink()}
        assert len(listening & held) == 1
    master = {os.readlink(handle) for handle in Path(f"/proc/{server.process.pid}/fd").iterdir()}
    assert not listening & master


def test_the_peer_is_known_over_ipv6_and_on_every_address(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--envoy-bind", "[::]:0") as server, server.client() as admin:
        prepare(admin)
        admin.post(f"{ROOT}/grants", json=GRANT).raise_for_status()
        for trusted, host, status in (
            ("::1", "[::1]", 200),
            ("127.0.0.1", "127.0.0.1", 200),
            ("127.0.0.1", "[::1]", 403),
            ("::1", "127.0.0.1", 403),
        ):
            admin.put(f"{ROOT}/gateway", json=SETTINGS | {"trusted_proxies": [trusted]}).raise_for_status()
            with envoy(server.envoy_port, KEY, host=host) as client:
                assert client.send(READ).status == status


def test_a_change_is_in_force_for_the_next_check_of_every_worker(server: Server) -> None:
    with many(server) as clients, server.client() as admin:
        for _ in range(3):
            assert {client.send(READ).status for client in clients} == {403}
            admin.post(f"{ROOT}/grants", json=GRANT).raise_for_status()
            assert {client.send(READ).status for client in clients} == {200}
            admin.delete(f"{ROOT}/grants/g").raise_for_status()


def test_the_workers_count_a_rate_limit_together(server: Server) -> None:
    """C10: over HTTP and gRPC."""
    update = check_request("PUT", "/documents/d1", [ALICE])
    with many(server) as clients, ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda place: clients[place % CONNECTIONS].send(update).status, range(40)))
        assert statuses.count(200) == 10
        headers = {"X-Writ-Authorization": f"Bearer {KEY}", "X-Writ-Subject": "user:alice"}
        assert httpx.put(f"{server.url}/gateway/envoy/documents/d1", headers=headers).status_code == 403


def test_other_workers_go_on_when_one_is_killed(tmp_path: Path) -> None:
    with running(tmp_path / "data", *LISTENS, workers=2) as server, server.client() as admin:
        prepare(admin)
        admin.post(f"{ROOT}/grants", json=GRANT).raise_for_status()
        os.kill(children(server.process.pid)[0], signal.SIGKILL)

        def works() -> bool:
            with envoy(server.envoy_port, KEY) as client:
                try:
                    return client.send(READ).status == 200
                except grpc.RpcError:
                    return False

        assert wait_until(works)
        assert wait_until(lambda: len(children(server.process.pid)) == 2)
        assert wait_until(lambda: all(works() for _ in range(10)))


def _has_another(server: Server) -> bool:
    return len(children(server.process.pid)) == 2


def _refuses(server: Server) -> bool:
    try:
        socket.create_connection((server.host, server.port)).close()
    except ConnectionRefusedError:
        return True
    return False


def test_a_reload_and_a_stop_answer_the_checks_in_work(tmp_path: Path) -> None:
    """A check waits for the issuer's keys here. The worker that ends still answers it."""
    with socket.create_server(("127.0.0.1", 0)) as issuer, running(tmp_path / "data", *LISTENS) as server:
        with server.client() as admin:
            prepare(admin)
            _ask_issuer(admin, issuer)
        for ending, is_ending in ((signal.SIGHUP, _has_another), (signal.SIGTERM, _refuses)):
            with envoy(server.envoy_port, KEY) as client, ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(client.send, _with_token())
                connection, _ = issuer.accept()
                (old,) = children(server.process.pid)
                server.process.send_signal(ending)
                assert wait_until(lambda ends=is_ending: ends(server))
                connection.close()
                assert waiting.result().headers["x-writ-reason-code"] == "REQUEST_REFUSED"
                assert wait_until(lambda old=old: old not in children(server.process.pid))
        assert server.process.wait(30) == 0


def test_a_reload_leaves_no_moment_without_a_listener(tmp_path: Path) -> None:
    """A connection that the old worker has not accepted is reset when it ends. The next one goes to the new worker."""
    with running(tmp_path / "data", *LISTENS) as server, server.client() as admin:
        prepare(admin)
        (old,) = children(server.process.pid)
        server.process.send_signal(signal.SIGHUP)
        asked = 0
        while old in children(server.process.pid):
            assert 403 in (_status_of_new(server), _status_of_new(server))
            asked += 1
        assert asked > 5
        assert len(children(server.process.pid)) == 1


def _status_of_new(server: Server) -> int | None:
    with envoy(server.envoy_port, KEY) as client:
        return _status(client, READ)


def _ask_issuer(admin: httpx.Client, issuer: socket.socket) -> None:
    url = f"http://127.0.0.1:{issuer.getsockname()[1]}/keys"
    token = {"issuer": "https://idp.example", "audience": "shop", "algorithms": ["EdDSA"], "jwks_url": url}
    admin.put(f"{ROOT}/gateway", json=SETTINGS | {"subject": {"jwt": token}}).raise_for_status()


def _with_token() -> bytes:
    token = "eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.e30.AAAA"
    return check_request("GET", "/documents/d1", [("authorization", f"Bearer {token}")])


def test_checks_beyond_the_limit_and_late_ones_are_errors(tmp_path: Path) -> None:
    settings = {"WRIT_MAX_ENVOY_CALLS": "1"}
    with (
        socket.create_server(("127.0.0.1", 0)) as issuer,
        running(tmp_path / "data", *LISTENS, settings=settings) as server,
        server.client() as admin,
        envoy(server.envoy_port, KEY) as slow,
        envoy(server.envoy_port, KEY) as other,
        ThreadPoolExecutor(1) as pool,
    ):
        prepare(admin)
        _ask_issuer(admin, issuer)
        waiting = pool.submit(slow.send, _with_token(), seconds=2)
        connection, _ = issuer.accept()
        with pytest.raises(grpc.RpcError) as failure:
            other.send(READ)
        assert code_of(failure) == "RESOURCE_EXHAUSTED"
        with pytest.raises(grpc.RpcError) as failure:
            waiting.result()
        assert code_of(failure) == "DEADLINE_EXCEEDED"
        connection.close()
        assert wait_until(lambda: _status(other, READ) == 401), "a call that ended has left its place"
        late = 'route="envoy.service.auth.v3.Authorization/Check",status="CANCELLED"} 1.0'
        assert wait_until(lambda: late in admin.get("/metrics").text), "the client has given up"


def _status(client: Envoy, message: bytes) -> int | None:
    try:
        status: int = client.send(message).status
    except grpc.RpcError:
        return None
    return status


def test_connections_beyond_the_limit_are_closed(tmp_path: Path) -> None:
    with running(tmp_path / "data", *LISTENS, settings={"WRIT_MAX_CONNECTIONS": "3"}) as server, ExitStack() as stack:
        opened = [stack.enter_context(socket.create_connection(("127.0.0.1", server.envoy_port), 10)) for _ in range(5)]
        greeted = []
        for one in opened:
            one.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0")
            greeted.append(_first_bytes(one))
        assert [bool(one) for one in greeted] == [True, True, True, False, False]


def _first_bytes(connection: socket.socket) -> bytes:
    try:
        return connection.recv(9)
    except ConnectionError:
        return b""


def test_tls_is_that_of_http(tmp_path: Path) -> None:
    """With the same certificate, and certificates of clients where these are asked for. A reload reads the files."""
    authority, stranger = Authority(tmp_path, "authority"), Authority(tmp_path, "stranger")
    pair, own, foreign = authority.pair("server"), authority.pair("client"), stranger.pair("foreign")
    options = (*LISTENS, *pair.options, "--tls-client-ca", str(authority.file))
    trust = authority.trust(own)
    with running(tmp_path / "data", *options, trust=trust) as server, server.client() as admin:
        prepare(admin)
        admin.post(f"{ROOT}/grants", json=GRANT).raise_for_status()

        def status(client: Any, root: Path = authority.file) -> int | None:
            chain = () if client is None else (client.key.read_bytes(), client.certificate.read_bytes())
            with envoy(server.envoy_port, KEY, grpc.ssl_channel_credentials(root.read_bytes(), *chain)) as found:
                return _status(found, READ)

        assert status(own) == 200
        assert status(foreign) is None
        assert status(None) is None
        assert status(own, stranger.file) is None
        with envoy(server.envoy_port, KEY) as plain:
            assert _status(plain, READ) is None
        assert "andshake" not in server.log, "any client could fill the log"
        renewed = stranger.pair("renewed")
        pair.certificate.write_bytes(renewed.certificate.read_bytes())
        pair.key.write_bytes(renewed.key.read_bytes())
        server.process.send_signal(signal.SIGHUP)
        assert wait_until(lambda: status(own, stranger.file) == 200)


def _started(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[bytes]:
    return writ("serve", "--data", tmp_path / "data", "--bind", "127.0.0.1:0", *options)


def test_an_address_that_can_t_be_used_is_one_sentence(tmp_path: Path, server: Server) -> None:
    for address, sentence in (
        ("unix:/run/writ.sock", "`--envoy-bind` takes HOST:PORT only; workers can't share a Unix socket for gRPC"),
        ("9191", "`9191` is no address; write it as HOST:PORT, like `127.0.0.1:8080`, or as unix:PATH"),
        (
            f"127.0.0.1:{server.envoy_port}",
            f"`127.0.0.1:{server.envoy_port}` is already in use; choose another address with `--envoy-bind`",
        ),
    ):
        done = _started(tmp_path, "--envoy-bind", address)
        assert (done.returncode, done.stderr.decode().strip().splitlines()) == (2, [f"Error: {sentence}"])


@pytest.mark.parametrize("module", ["grpc", "google.protobuf"])
def test_without_grpcio_the_option_says_what_to_install(tmp_path: Path, module: str) -> None:
    code = f"import sys; sys.modules[{module!r}] = None; from writ.api.cli.main import main; main()"
    line = [sys.executable, "-c", code, "serve", "--data", str(tmp_path / "data"), "--bind", "127.0.0.1:0", *LISTENS]
    done = subprocess.run(line, capture_output=True, text=True, env=environment(), timeout=60)
    sentence = "`--envoy-bind` needs grpcio and protobuf; install them by `pip install 'writ-pdp[envoy]'`"
    assert (done.returncode, done.stderr.strip()) == (2, f"Error: {sentence}")


def test_grpcio_is_loaded_after_the_fork_only(server: Server) -> None:
    """Its threads and locks would not survive a fork. Without the option, nothing of it is loaded."""

    def maps_it(process: int) -> bool:
        return "cygrpc" in Path(f"/proc/{process}/maps").read_text()

    assert [maps_it(process) for process in (server.process.pid, *children(server.process.pid))] == [False, True, True]


def test_without_the_option_nothing_of_grpcio_is_loaded(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        (worker,) = children(server.process.pid)
        assert "cygrpc" not in Path(f"/proc/{worker}/maps").read_text()
