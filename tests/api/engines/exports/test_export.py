"""The export of bundles by a real service: whole, by updates, in parts, and by long polls."""

import fcntl
import gzip
import secrets
import select
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from writ import Engine
from writ.api.identity.keys.bundle_keys import bundle_keys_at
from writ.api.identity.keys.signing_keys import read_keys
from writ.bundles.feed.callers import name_of, verified_callers
from writ.bundles.feed.position import position_of
from writ.bundles.feed.update import Update, verified_update
from writ.bundles.signing.signature_check import open_verified_bundle

from tests.support.command import writ
from tests.support.processes import children, is_waited_for
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

BUNDLE = "/v1/environments/default/bundle"
HOLDS = 50
"""The seconds for which a question is held at most."""
MODEL = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "reader"}],
    "policies": [
        {
            "id": "p1",
            "effect": "ALLOW",
            "roles": ["reader"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
}
QUESTION = ("user", "alice", "read", "document", "d1")


class Exporting:
    """A running service with a model, and what its exports say."""

    def __init__(self, server: Server, directory: Path, folder: Path) -> None:
        self.server, self.directory, self._folder = server, directory, folder
        self.http = server.client()
        self.http.headers["Accept-Encoding"] = "identity"
        self.http.timeout = 120
        self.put_model(MODEL)

    @property
    def key(self) -> bytes:
        """The public keys of bundles, as PEM."""
        keys = read_keys(bundle_keys_at(self.directory, None).pems())[0]
        return b"".join(key.public_pem() for key in keys.verifying.values())

    def put_model(self, model: dict[str, Any]) -> None:
        """Replace the model."""
        self.http.put("/v1/environments/default/model", json=model).raise_for_status()

    def assign(self, subject: str) -> None:
        """Give a user the role that may read. This is one revision, with a delta."""
        body = {"role": "reader", "subject": {"type": "user", "id": subject}}
        self.http.post("/v1/environments/default/assignments", json=body).raise_for_status()

    def get(self, **more: Any) -> httpx.Response:
        """An answer of the export."""
        return self.http.get(BUNDLE, **more)

    def whole(self, **query: str) -> tuple[httpx.Response, Path]:
        """A whole bundle, and the file that it is written to."""
        answer = self.get(params=query)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/vnd.writ.bundle")
        path = self._folder / f"{answer.headers['writ-revision']}.bundle"
        path.write_bytes(answer.content)
        return answer, path

    @contextmanager
    def held(self, answer: httpx.Response, since: int | None = None, key: str = KEY) -> Iterator[RawConnection]:
        """A question about what follows an answer. The server has read it, and holds it."""
        path = BUNDLE if since is None else f"{BUNDLE}?since={since}"
        known = {"If-None-Match": answer.headers["etag"]}
        with RawConnection(self.server.host, self.server.port) as poll:
            poll.send_read(request("GET", path, b"", {**known, "Prefer": f"wait={HOLDS}"}, key=key))
            assert self.http.get(path, headers=known).status_code == 304
            assert select.select([poll.socket], [], [], 0)[0] == []
            yield poll

    def close(self) -> None:
        """Close the client."""
        self.http.close()

    def engine(self, path: Path) -> Engine:
        """The engine of an exported bundle, verified."""
        return Engine.open_verified(path, self.key, "default")

    def update(self, since: int, tag: str | None = None) -> tuple[httpx.Response, Update]:
        """An update, verified."""
        headers = {} if tag is None else {"If-None-Match": tag}
        answer = self.get(params={"since": since}, headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/vnd.writ.update")
        return answer, verified_update(answer.content, self.key, time.time())


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exporting]:
    folder = tmp_path_factory.mktemp("exports")
    with running(folder / "data", workers=2) as server:
        found = Exporting(server, folder / "data", folder)
        yield found
        found.close()


@contextmanager
def another(folder: Path, **settings: str) -> Iterator[Exporting]:
    """A service of its own, with these settings."""
    with running(folder / "data", settings=settings) as server:
        found = Exporting(server, folder / "data", folder)
        yield found
        found.close()


def test_a_bundle_has_the_newest_revision_and_a_signature(shared: Exporting) -> None:
    shared.assign("alice")
    answer, path = shared.whole()
    engine = shared.engine(path)
    assert engine.revision == int(answer.headers["writ-revision"])
    assert engine.allowed(*QUESTION)
    shared.assign("bob")
    assert shared.engine(shared.whole()[1]).revision == engine.revision + 1


def test_an_unchanged_bundle_is_304(shared: Exporting) -> None:
    answer, _ = shared.whole()
    again = shared.get(headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", answer.headers["etag"])
    assert shared.get(headers={"If-None-Match": '"1.0.0"'}).status_code == 200


def test_updates_lead_from_a_bundle_to_the_newest_revision(shared: Exporting) -> None:
    _, path = shared.whole()
    bundle, _ = open_verified_bundle(path, shared.key, "default", time.time())
    engine, position = Engine(bundle), position_of(bundle)
    for subject in ("carol", "dave"):
        shared.assign(subject)
    answer, update = shared.update(position.revision)
    update.check_follows(position)
    engine.apply_deltas(update.deltas)
    assert engine.revision == position.revision + 2 == int(answer.headers["writ-revision"])
    assert engine.allowed("user", "dave", "read", "document", "d1")
    assert shared.get(params={"since": engine.revision}).status_code == 304


def test_a_revision_that_no_bundle_leads_to_gets_a_whole_bundle(shared: Exporting) -> None:
    shared.whole()
    for since in (0, 10**9):
        answer, path = shared.whole(since=str(since))
        assert shared.engine(path).revision == int(answer.headers["writ-revision"])


def test_a_whole_model_without_deltas_gets_a_whole_bundle(tmp_path: Path) -> None:
    with another(tmp_path) as service:
        service.whole()
        many = [{"role": "reader", "subject": {"type": "user", "id": f"u{number}"}} for number in range(2_000)]
        service.put_model({**MODEL, "assignments": many})
        _, path = service.whole(since="1")
        assert service.engine(path).allowed("user", "u1999", "read", "document", "d1")


def test_a_part_of_a_bundle_completes_a_broken_download(shared: Exporting) -> None:
    answer, _ = shared.whole()
    whole, tag = answer.content, answer.headers["etag"]
    half = len(whole) // 2
    part = shared.get(headers={"Range": f"bytes={half}-", "If-Range": tag})
    assert (part.status_code, part.content) == (206, whole[half:])
    assert part.headers["content-range"] == f"bytes {half}-{len(whole) - 1}/{len(whole)}"
    assert shared.get(headers={"Range": "bytes=-7"}).content == whole[-7:]
    assert shared.get(headers={"Range": "bytes=2-4"}).content == whole[2:5]
    other = shared.get(headers={"Range": f"bytes={half}-", "If-Range": '"another"'})
    assert (other.status_code, other.content) == (200, whole)
    for unread in ("bytes=a-b", "lines=1-2", "bytes=5-2", "bytes=-", "bytes=0-1,3-4"):
        assert shared.get(headers={"Range": unread}).content == whole
    beyond = shared.get(headers={"Range": f"bytes={len(whole)}-"})
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{len(whole)}")


def test_head_tells_the_size_and_sends_nothing(shared: Exporting) -> None:
    answer, _ = shared.whole()
    head = shared.http.head(BUNDLE)
    assert (head.status_code, head.content) == (200, b"")
    for name in ("etag", "writ-revision", "content-length"):
        assert head.headers[name] == answer.headers[name]


def test_a_bundle_travels_compressed_if_the_client_says_so(shared: Exporting) -> None:
    plain = shared.get(headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    for refusing in ("gzip;q=0", "br"):
        assert "content-encoding" not in shared.get(headers={"Accept-Encoding": refusing}).headers
    with shared.http.stream("GET", BUNDLE, headers={"Accept-Encoding": "gzip"}) as answer:
        raw = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(raw) == plain.content
    known = shared.get(headers={"If-None-Match": answer.headers["etag"]})
    assert known.status_code == 304


def test_a_long_poll_is_answered_by_the_next_change(shared: Exporting) -> None:
    answer, update = shared.update(shared.engine(shared.whole()[1]).revision, '"none"')
    with shared.held(answer, update.claims.revision) as poll:
        shared.assign("frank")
        held = poll.answer()
    assert held.status == 200
    assert held.headers["preference-applied"] == f"wait={HOLDS}"
    news = verified_update(held.body, shared.key, time.time())
    assert (news.claims.parent, len(news.deltas), news.callers) == (update.claims.revision, 1, None)


def test_a_long_poll_for_a_whole_bundle_is_answered_by_the_next_change(shared: Exporting) -> None:
    answer, path = shared.whole()
    with shared.held(answer) as poll:
        shared.assign("grace")
        held = poll.answer()
    assert held.status == 200
    assert int(held.headers["writ-revision"]) > shared.engine(path).revision


def test_a_long_poll_ends_when_its_time_is_over(shared: Exporting) -> None:
    answer, update = shared.update(shared.engine(shared.whole()[1]).revision, '"none"')
    begun = time.monotonic()
    held = shared.get(
        params={"since": update.claims.revision}, headers={"If-None-Match": answer.headers["etag"], "Prefer": "wait=1"}
    )
    assert (held.status_code, held.headers["etag"]) == (304, answer.headers["etag"])
    assert 0.9 < time.monotonic() - begun < 20


def test_a_long_poll_ends_when_the_service_ends(tmp_path: Path) -> None:
    with another(tmp_path) as service:
        answer, update = service.update(service.engine(service.whole()[1]).revision, '"none"')
        with service.held(answer, update.claims.revision) as poll:
            begun = time.monotonic()
            assert service.server.stop() == 0
            assert poll.answer().status == 304
    assert time.monotonic() - begun < HOLDS - 10


def test_a_credential_that_ends_during_a_long_poll_gets_nothing(shared: Exporting) -> None:
    made = shared.http.post("/v1/api-keys", json={"name": "agent", "scopes": ["read"]}).json()
    answer, update = shared.update(shared.engine(shared.whole()[1]).revision, '"none"')
    with shared.held(answer, update.claims.revision, made["key"]) as poll:
        shared.http.delete(f"/v1/api-keys/{made['id']}").raise_for_status()
        shared.assign("heidi")
        assert poll.answer().status == 401


def test_a_credential_that_ends_while_a_bundle_is_made_gets_nothing(shared: Exporting) -> None:
    made = shared.http.post("/v1/api-keys", json={"name": "agent", "scopes": ["read"]}).json()
    shared.whole()
    shared.assign("ivan")
    path = shared.directory / "exports.lock"
    with path.open("rb+") as lock, RawConnection(shared.server.host, shared.server.port) as connection:
        fcntl.flock(lock, fcntl.LOCK_EX)
        connection.send(request("GET", BUNDLE, key=made["key"]))
        assert wait_until(lambda: is_waited_for(path))
        shared.http.delete(f"/v1/api-keys/{made['id']}").raise_for_status()
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert connection.answer().status == 401


def test_the_list_of_callers_travels_with_updates(shared: Exporting) -> None:
    """It comes to those who send a tag, and only when it changed; a change alone ends a long poll."""
    made = shared.http.post("/v1/clients", json={"name": "app", "scopes": ["read"]}).json()
    revision = shared.engine(shared.whole()[1]).revision
    assert shared.get(params={"since": revision}).status_code == 304
    answer, update = shared.update(revision, '"none"')
    assert update.callers is not None
    callers = verified_callers(update.callers, shared.key, time.time())
    assert name_of(made["client_id"]) in callers.clients
    assert callers.keys == shared.http.get("/.well-known/jwks.json").json()
    with shared.held(answer, revision) as poll:
        shared.http.post(f"/v1/clients/{made['client_id']}/revoke").raise_for_status()
        news = verified_update(poll.answer().body, shared.key, time.time())
    assert news.callers is not None
    later = verified_callers(news.callers, shared.key, time.time())
    later.check_follows(callers.environment.uuid, callers)
    assert name_of(made["client_id"]) not in later.clients


def test_the_list_of_callers_names_only_those_of_the_environment(shared: Exporting) -> None:
    shared.http.post("/v1/environments", json={"id": "elsewhere"})
    bound = {"name": "app", "scopes": ["read"], "environments": ["elsewhere"]}
    made = shared.http.post("/v1/clients", json=bound).json()
    _, update = shared.update(shared.engine(shared.whole()[1]).revision, '"none"')
    assert update.callers is not None
    assert name_of(made["client_id"]) not in verified_callers(update.callers, shared.key, time.time()).clients


def test_an_environment_that_is_made_again_has_other_tags(shared: Exporting) -> None:
    """Its id, epoch and revision are the same. Who follows the former one must not hear that nothing changed."""
    tags: list[tuple[str, str]] = []
    for _ in range(2):
        shared.http.post("/v1/environments", json={"id": "again"}).raise_for_status()
        shared.http.put("/v1/environments/again/model", json=MODEL).raise_for_status()
        whole = shared.http.get("/v1/environments/again/bundle")
        known = {"If-None-Match": tags[0][1] if tags else '""'}
        update = shared.http.get("/v1/environments/again/bundle", params={"since": 1}, headers=known)
        assert (whole.headers["writ-revision"], update.status_code) == ("1", 200)
        tags.append((whole.headers["etag"], update.headers["etag"]))
        shared.http.delete("/v1/environments/again").raise_for_status()
    assert not set(tags[0]) & set(tags[1])


@pytest.mark.parametrize(
    "query", ["since=-1", "since=x", "since=1.0", "profile=full", "sinc=1", "since=1&since=2", "since=" + "9" * 30]
)
def test_a_bad_query_is_400(shared: Exporting, query: str) -> None:
    assert shared.http.get(f"{BUNDLE}?{query}").status_code == 400


def test_who_may_export(shared: Exporting) -> None:
    assert httpx.get(f"{shared.server.url}{BUNDLE}").status_code == 401
    assert shared.http.get("/v1/environments/nowhere/bundle").status_code == 404
    bound = {"name": "bound", "scopes": ["read"], "environments": ["default"]}
    key = shared.http.post("/v1/api-keys", json=bound).json()["key"]
    headers = {"Authorization": f"Bearer {key}"}
    assert httpx.get(f"{shared.server.url}{BUNDLE}", headers=headers, timeout=30).status_code == 200
    for other in ("nowhere", "elsewhere"):
        url = f"{shared.server.url}/v1/environments/{other}/bundle"
        assert httpx.get(url, headers=headers).status_code == 403


def test_only_the_newest_exports_are_kept(shared: Exporting) -> None:
    for number in range(4):
        shared.assign(f"kept{number}")
        shared.whole()
    names = [path.name for path in (shared.directory / "exports").glob("*.bundle")]
    assert len(names) == 2
    assert not list((shared.directory / "exports").glob(".*"))


def test_a_new_key_signs_the_next_export(tmp_path: Path) -> None:
    with another(tmp_path) as service:
        first, path = service.whole()
        keys = service.key
        assert len(read_keys(bundle_keys_at(service.directory, None).pems())[0].verifying) == 1
        assert writ("keys", "rotate", "--kind", "bundle", "--data", service.directory).returncode == 0
        second, path = service.whole()
        assert second.headers["etag"] != first.headers["etag"]
        with pytest.raises(Exception, match="not one of the given keys"):
            Engine.open_verified(path, keys, "default")
        assert service.engine(path).revision == int(second.headers["writ-revision"])


def test_exports_are_audited_by_credential_and_hour(tmp_path: Path) -> None:
    """The first of an hour has an entry before it leaves. The others are one entry, at the latest when Writ ends."""
    with another(tmp_path) as service:
        for _ in range(3):
            service.whole()
        (first,) = service.http.get("/v1/audit?event=bundle.exported").json()["items"]
        assert first["environment"] == "default"
        assert first["details"] == {"type": "application/vnd.writ.bundle", "revision": 1}
    with running(tmp_path / "data") as server, server.client() as http:
        summed, first = http.get("/v1/audit?event=bundle.exported").json()["items"]
        assert summed["details"]["count"] == 2
        assert summed["actor"] == first["actor"] == "admin-key"


def test_an_export_that_can_not_be_made_is_503(tmp_path: Path) -> None:
    with another(tmp_path, WRIT_BUNDLE_KEY="/nowhere") as service:
        answer = service.get()
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert "no bundle can be signed" in answer.json()["error"]


def test_a_full_disk_is_503_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with another(tmp_path) as service:
        service.whole()
        service.assign("alice")
        folder = service.directory / "exports"
        before = sorted(path.name for path in folder.iterdir())
        folder.rename(folder.with_name("moved"))
        folder.write_bytes(b"")
        assert service.get().status_code == 503
        folder.unlink()
        folder.with_name("moved").rename(folder)
        assert sorted(path.name for path in folder.iterdir()) == before
        assert service.get().status_code == 200


def test_an_export_waits_for_nobody_else(shared: Exporting) -> None:
    """Decisions go on while bundles are made and polls wait."""
    shared.assign("ivan")
    stop = threading.Event()

    def export() -> None:
        with shared.server.client() as http:
            while not stop.is_set():
                http.get(BUNDLE, timeout=120)
                body = {"role": "reader", "subject": {"type": "user", "id": f"x{time.monotonic_ns()}"}}
                http.post("/v1/environments/default/assignments", json=body)

    thread = threading.Thread(target=export)
    thread.start()
    request = {
        "subject": {"type": "user", "id": "ivan"},
        "action": {"name": "read"},
        "resource": {"type": "document", "id": "d1"},
    }
    try:
        for _ in range(50):
            assert shared.http.post("/access/v1/evaluation", json=request).json()["decision"] is True
    finally:
        stop.set()
        thread.join()


def test_many_polls_wait_in_one_worker(tmp_path: Path) -> None:
    """Each is told of the change; none of them has a thread."""
    with another(tmp_path, WRIT_MAX_CONNECTIONS="1000") as service:
        answer, update = service.update(service.engine(service.whole()[1]).revision, '"none"')
        with ExitStack() as stack:
            polls = [stack.enter_context(service.held(answer, update.claims.revision)) for _ in range(100)]
            service.assign("alice")
            assert {poll.answer().status for poll in polls} == {200}


def _kib(process: int) -> int:
    """The memory that a process has, in KiB."""
    return int(Path(f"/proc/{process}/status").read_text().split("VmRSS:")[1].split()[0])


def test_slow_clients_share_a_long_update(tmp_path: Path) -> None:
    """None keeps a copy of its own in the worker, and not too many are sent at a time."""
    with another(tmp_path) as service, ExitStack() as stack:
        revision = service.engine(service.whole()[1]).revision
        long = {"context_attrs": [{"key": "k", "op": "in", "value": [secrets.token_hex(750) for _ in range(10_000)]}]}
        policy = {**MODEL["policies"][0], "id": "p2", "conditions": long}
        service.put_model({**MODEL, "policies": [*MODEL["policies"], policy]})
        answer, update = service.update(revision)
        assert update.claims.revision == revision + 1
        head = {service.http.head(BUNDLE, params={"since": revision}).headers["content-length"] for _ in range(70)}
        assert head == {str(len(answer.content))}
        (worker,) = children(service.server.process.pid)
        before = _kib(worker)
        request = f"GET {BUNDLE}?since={revision} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\n\r\n"

        def ask_and_read_nothing() -> None:
            connection = stack.enter_context(RawConnection(service.server.host, service.server.port))
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
            connection.send(request.encode())

        for _ in range(62):
            ask_and_read_nothing()
        assert wait_until(lambda: ask_and_read_nothing() or service.get(params={"since": revision}).status_code == 503)
        refused = service.get(params={"since": revision}, headers={"Accept-Encoding": "gzip"})
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert "already sends" in refused.json()["error"]
        assert not {"etag", "content-encoding", "writ-revision"} & refused.headers.keys()
        assert service.get(params={"since": revision + 1}).status_code == 304
        assert _kib(worker) - before < 100 * 1024
        service.server.stop(signal.SIGINT)  # else it waits for those who read nothing
