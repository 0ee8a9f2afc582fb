"""A server as a source, over real HTTP: what is sent, what is accepted, and every way in which a server can fail."""

import logging
import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from writ.api.agent.sources.bundle_source import Answer, Ask, FetchedBundle, FetchedUpdate, SourceError, Unchanged
from writ.api.agent.sources.source_connection import KEEP_ALIVE_SECONDS, MOST_UNANSWERED
from writ.api.agent.sources.upstream import Upstream as Source
from writ.api.agent.sources.upstream import UpstreamLimits, checked_token, token_in

from tests.support.certificates import Authority
from tests.support.dripping import drip
from tests.support.feed import History, revision_of
from tests.support.following import Time, at, follower, stepped
from tests.support.upstream import BUNDLE, UPDATE, Handler, Upstream, serving
from tests.support.waiting import wait_until

SHORT = UpstreamLimits(answer=0.4, resumes=3)


@pytest.fixture
def history() -> History:
    return History()


@pytest.fixture
def server(history: History) -> Iterator[Upstream]:
    history.bundle()  # compiled once, so that the deadlines below are those of the network
    with serving(history) as upstream:
        yield upstream


@pytest.fixture
def source(server: Upstream) -> Iterator[Source]:
    made = Source(server.url, "prod", limits=SHORT)
    yield made
    made.close()


def ask(folder: Path, position: Any = None, tag: str | None = None, wait: float = 0) -> Ask:
    return Ask(position, tag, wait, folder)


def test_a_bundle_then_updates_then_nothing(source: Source, server: Upstream, tmp_path: Path) -> None:
    """The requests are those of the contract."""
    history = server.history
    found = source.fetch(ask(tmp_path))
    assert isinstance(found, FetchedBundle)
    assert found.path.read_bytes() == history.bundle()
    assert found.path.stat().st_mode & 0o777 == 0o600
    history.commit()
    update = source.fetch(ask(tmp_path, at(1, history), found.tag, wait=7.9))
    assert update == FetchedUpdate(history.update(1), history.tag)
    assert source.fetch(ask(tmp_path, at(2, history), history.tag)) == Unchanged(history.tag)
    first, second, third = server.requests
    assert first.path == "/v1/environments/prod/bundle"
    assert (first.query, second.query, third.query) == ({}, {"since": "1"}, {"since": "2"})
    assert [one.headers["if-none-match"] for one in server.requests] == ['"none"', '"b1"', history.tag]
    assert [one.headers["prefer"] for one in server.requests] == ["wait=0, older", "wait=7", "wait=0"]
    assert "authorization" not in first.headers


def test_a_follower_over_http(server: Upstream, tmp_path: Path) -> None:
    """From nothing to the newest revision, and from there on."""
    time = Time()
    one = follower(Source(server.url, "prod"), time, tmp_path, wait=0)
    server.commit(3)
    for _ in range(3):
        stepped(one, time)
    assert (revision_of(one.engine), one.status().state) == (4, "following")
    server.commit()
    stepped(one, time)
    assert revision_of(one.engine) == 5
    one.close()


@contextmanager
def held(server: Upstream, source: Source, question: Ask) -> Iterator[Future[Answer]]:
    """A thread asks a question that the server holds."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(source.fetch, question)
        assert wait_until(lambda: server.held)
        yield asked


def test_a_question_is_held_until_something_changes(server: Upstream, tmp_path: Path) -> None:
    """And it can be interrupted from another thread, for good."""
    source = Source(server.url, "prod")
    with held(server, source, ask(tmp_path, at(1, server.history), server.history.tag, wait=30)) as asked:
        server.commit()
        assert isinstance(asked.result(), FetchedUpdate)
    question = ask(tmp_path, at(2, server.history), server.history.tag, wait=30)
    with held(server, source, question) as asked:
        source.interrupt()
        with pytest.raises(SourceError):
            asked.result()
    before = len(server.requests)
    with pytest.raises(SourceError):
        source.fetch(question)
    assert len(server.requests) == before
    source.close()


# -- credentials


def test_a_token_file_is_read_for_each_request(server: Upstream, tmp_path: Path) -> None:
    """So the token in it can be replaced."""
    server.credential = "second"
    file = tmp_path / "token"
    file.write_text("first\n")
    source = Source(server.url, "prod", token_in(file))
    with pytest.raises(SourceError, match="it answered 401, `the credential is unknown`"):
        source.fetch(ask(tmp_path))
    file.write_text("second\n")
    assert isinstance(source.fetch(ask(tmp_path)), FetchedBundle)
    file.unlink()
    with pytest.raises(SourceError, match="the token file can't be read: no such file"):
        source.fetch(ask(tmp_path))
    source.close()


@pytest.mark.parametrize("token", ["", "two words", "a\r\nHost: b", "ü", "x" * 70_000])
def test_a_credential_that_no_header_can_have(token: str) -> None:
    """It is not quoted."""
    with pytest.raises(SourceError) as caught:
        checked_token(token)
    assert not token or token not in str(caught.value)


def test_a_redirect_is_refused(source: Source, server: Upstream, tmp_path: Path) -> None:
    """The credential must not travel to another server."""

    def redirect(handler: Handler) -> bool:
        handler.refuse(307, "elsewhere", Location=f"{server.url}/other")
        return True

    server.fault = redirect
    with pytest.raises(SourceError, match="redirects elsewhere"):
        source.fetch(ask(tmp_path))
    assert len(server.requests) == 1


def test_a_credential_without_encryption_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    """Unless it stays on this machine. It is never in a message."""
    with caplog.at_level(logging.WARNING):
        for url in ("http://127.0.0.1:9", "http://localhost:9", "https://writ.example"):
            Source(url, "prod", lambda: "secret").close()
        assert caplog.messages == []
        Source("http://writ.example", "prod", lambda: "secret").close()
    assert len(caplog.messages) == 1
    assert "secret" not in caplog.text


@pytest.mark.parametrize("url", ["ftp://a", "writ.example", "https://", "https://u:p@a", "https://a?b", "https://a/#b"])
def test_a_url_that_is_no_upstream(url: str) -> None:
    """A user, a query or a fragment would be lost."""
    with pytest.raises(ValueError, match="upstream"):
        Source(url, "prod")


def test_tls_needs_a_known_authority(history: History, tmp_path: Path) -> None:
    """Of the system, or of a file."""
    import ssl

    authority = Authority(tmp_path, "authority")
    pair = authority.pair("server")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.certificate, pair.key)
    with serving(history, context) as upstream:
        trusting = Source(upstream.url, "prod", ca_file=str(authority.file))
        assert isinstance(trusting.fetch(ask(tmp_path)), FetchedBundle)
        with held(upstream, trusting, ask(tmp_path, at(1, history), history.tag, wait=30)) as asked:
            trusting.interrupt()
            with pytest.raises(SourceError):
                asked.result()
        trusting.close()
        stranger = Source(upstream.url, "prod")
        with pytest.raises(SourceError, match="TLS failed"):
            stranger.fetch(ask(tmp_path))
        stranger.close()


# -- interrupted downloads


@pytest.mark.parametrize("packs", [True, False])
def test_an_interrupted_download_goes_on(source: Source, server: Upstream, tmp_path: Path, packs: bool) -> None:
    """Also one that was packed at first."""
    content = server.history.bundle()
    server.cut_bundles_at, server.packs = 1_000, packs
    with pytest.raises(SourceError, match="cut the connection") as caught:
        source.fetch(ask(tmp_path))
    assert not caught.value.is_away, "a download that begins again and again is much"
    server.cut_bundles_at = None
    found = source.fetch(ask(tmp_path))
    assert isinstance(found, FetchedBundle)
    assert found.path.read_bytes() == content
    sent = server.requests[1].headers
    if not packs:
        assert (sent["range"], sent["if-range"]) == ("bytes=1000-", '"b1"')
    assert ("range" in sent) != (sent["accept-encoding"] == "gzip")


def test_a_download_goes_on_a_few_times_only(server: Upstream, tmp_path: Path) -> None:
    """Then it begins anew. So a server that always cuts can't make a file that never fits."""
    server.cut_bundles_at, server.packs = 700, False
    source = Source(server.url, "prod", limits=replace(SHORT, resumes=1))
    for _ in range(5):
        with pytest.raises(SourceError):
            source.fetch(ask(tmp_path))
    ranges = [one.headers.get("range") for one in server.requests]
    assert ranges == [None, "bytes=700-", None, "bytes=700-", None]
    assert len(list(tmp_path.iterdir())) == 1
    source.close()
    assert list(tmp_path.iterdir()) == []


def test_another_bundle_begins_anew(source: Source, server: Upstream, tmp_path: Path) -> None:
    """The server has a newer bundle by now."""
    server.cut_bundles_at, server.packs = 1_000, False
    with pytest.raises(SourceError):
        source.fetch(ask(tmp_path))
    server.cut_bundles_at = None
    server.history.commit()
    server.history.compact()
    found = source.fetch(ask(tmp_path))
    assert isinstance(found, FetchedBundle)
    assert found.path.read_bytes() == server.history.bundle(2)


def test_a_part_that_was_not_asked_for_is_refused(source: Source, server: Upstream, tmp_path: Path) -> None:
    """Another place, or of another bundle."""

    def other_part(handler: Handler) -> bool:
        handler.send(206, BUNDLE, b"x", '"b1"', {"Content-Range": "bytes 7-7/8"})
        return True

    server.fault = other_part
    with pytest.raises(SourceError, match="another part"):
        source.fetch(ask(tmp_path))
    assert list(tmp_path.iterdir()) == []


# -- broken servers


def never(handler: Handler) -> bool:
    handler.connection.recv(1)  # until the source leaves
    handler.close_connection = True
    return True


def drips(handler: Handler) -> bool:
    """A head that never ends: a byte now and then renews no deadline."""
    drip(handler.connection, b"H")
    handler.close_connection = True
    return True


def drips_body(handler: Handler) -> bool:
    handler.send_response(200)
    handler.send_header("Content-Type", UPDATE)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    drip(handler.connection, b"x")
    handler.close_connection = True
    return True


def resets(handler: Handler) -> bool:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True
    return True


def garbage(handler: Handler) -> bool:
    handler.wfile.write(b"\x00\x01garbage\r\n\r\n" * 10)
    handler.close_connection = True
    return True


def page(handler: Handler) -> bool:
    handler.send(200, "text/html", b"<html>please sign in</html>")
    return True


def fails(handler: Handler) -> bool:
    handler.refuse(500, "out of order\x1b[1m")
    return True


def fails_without_json(handler: Handler) -> bool:
    handler.send(503, "text/plain", b"busy")
    return True


def lies_about_packing(handler: Handler) -> bool:
    handler.send(200, UPDATE, b"not packed", more={"Content-Encoding": "gzip"})
    return True


def packs_strangely(handler: Handler) -> bool:
    handler.send(200, UPDATE, b"x", more={"Content-Encoding": "br"})
    return True


BROKEN: dict[str, tuple[Callable[[Handler], bool], str]] = {
    "never": (never, "did not answer in time"),
    "slow head": (drips, "did not answer in time"),
    "slow body": (drips_body, "did not answer in time"),
    "reset": (resets, "cut the connection"),
    "garbage": (garbage, "does not speak HTTP"),
    "page": (page, "it sent `text/html`"),
    "500": (fails, r"it answered 500, `out of order\\x1b\[1m`"),
    "503": (fails_without_json, "it answered 503$"),
    "bad packing": (lies_about_packing, "packed answer is damaged"),
    "strange packing": (packs_strangely, "not asked for"),
}
LASTING = ("page", "bad packing", "strange packing")
"""Those with an answer that would not be better in a moment."""


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_server_is_told_in_a_sentence(fault: str, source: Source, server: Upstream, tmp_path: Path) -> None:
    """Within the deadline, which the sentence tells from the end of the answer. The source works again afterwards."""
    server.packs = False
    server.fault, said = BROKEN[fault]
    with pytest.raises(SourceError, match=said) as caught:
        source.fetch(ask(tmp_path))
    assert "\n" not in str(caught.value)
    assert caught.value.is_away is (fault not in LASTING)
    server.fault = None
    assert isinstance(source.fetch(ask(tmp_path)), FetchedBundle)


@pytest.mark.parametrize(("status", "is_away"), [(401, False), (404, False), (408, True), (429, True), (502, True)])
def test_a_refusal_is_told_from_a_server_that_is_away(
    source: Source, server: Upstream, tmp_path: Path, status: int, is_away: bool
) -> None:
    """A refusal lasts, so the follower asks seldom."""
    server.fault = lambda handler: handler.refuse(status, "no") is None
    with pytest.raises(SourceError) as caught:
        source.fetch(ask(tmp_path))
    assert caught.value.is_away is is_away


def test_the_system_notices_a_server_that_is_gone(source: Source, server: Upstream, tmp_path: Path) -> None:
    """One that lost its power says nothing, while a question waits for half a minute."""
    source.fetch(ask(tmp_path))
    descriptor = source._connection._socket.descriptor
    assert descriptor is not None
    with socket.socket(fileno=os.dup(descriptor)) as connected:
        assert connected.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
        seconds = connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        times = connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT)
    assert (seconds, times) == (KEEP_ALIVE_SECONDS, MOST_UNANSWERED)


def test_no_server_at_all(tmp_path: Path) -> None:
    """Nobody listens, or the name is unknown."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    for url, said in ((f"http://127.0.0.1:{port}", "refused"), ("http://writ.invalid", "its name can't be resolved")):
        source = Source(url, "prod")
        with pytest.raises(SourceError, match=said) as caught:
            source.fetch(ask(tmp_path))
        assert caught.value.is_away
        source.close()


def test_an_answer_that_is_too_long_is_cut(server: Upstream, tmp_path: Path, monkeypatch: Any) -> None:
    """Packed or not: what counts is its size unpacked."""
    monkeypatch.setattr("writ.api.agent.sources.upstream.LONGEST_UPDATE", 1_000)
    source = Source(server.url, "prod", limits=UpstreamLimits(bundle=1_000))
    for server.packs in (True, False):
        server.fault = lambda handler: handler.send(200, UPDATE, b"x" * 1_001) is None
        with pytest.raises(SourceError, match="more than 1000 bytes"):
            source.fetch(ask(tmp_path))
        server.fault = None
        with pytest.raises(SourceError, match="more than 1000 bytes"):
            source.fetch(ask(tmp_path))
    assert list(tmp_path.iterdir()) == []
    source.close()


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        ("7", 7.0),
        ("100000", 300.0),
        ("Fri, 31 Dec 2100 23:59:59 GMT", 300.0),
        ("Mon, 01 Jan 2001 00:00:00 GMT", 0.0),
        ("soon", None),
    ],
)
def test_a_busy_server_is_left_alone(source: Source, server: Upstream, tmp_path: Path, sent: str, seconds: Any) -> None:
    """For a bounded time."""
    server.fault = lambda handler: handler.refuse(429, "too many requests", Retry_After=sent) is None
    with pytest.raises(SourceError) as caught:
        source.fetch(ask(tmp_path))
    assert caught.value.retry_after == seconds


def test_a_proxy_is_used(server: Upstream, tmp_path: Path) -> None:
    """It gets the whole URL."""
    source = Source("http://writ.invalid", "prod", proxy=server.url)
    server.fault = lambda handler: handler.send(200, UPDATE, handler.path.encode()) is None
    found = source.fetch(ask(tmp_path))
    assert isinstance(found, FetchedUpdate)
    assert found.data == b"http://writ.invalid/v1/environments/prod/bundle"
    source.close()


def test_without_tls_only_a_signature_proves_that_nothing_is_newer(
    server: Upstream, tmp_path: Path, monkeypatch: Any
) -> None:
    """Anyone on the way could keep saying it. So the follower asks for a signed answer now and then."""
    monkeypatch.setattr("writ.api.agent.sources.upstream.is_loopback", lambda _: False)
    time, history = Time(), server.history
    one = follower(Source(server.url, "prod"), time, None, wait=0)
    for _ in range(3):
        stepped(one, time)
    assert [request.headers["if-none-match"] for request in server.requests[1:]] == ['"none"', history.tag]
    assert one.status().staleness == pytest.approx(time.wall - history.issued)
    monkeypatch.setattr("writ.api.agent.sources.upstream.PROOF_SECONDS", 0.0)
    history.issued = int(time.wall)
    stepped(one, time)
    assert server.requests[-1].headers["if-none-match"] == '"none"'
    assert one.status().staleness < 10
    one.close()
