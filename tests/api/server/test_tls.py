"""The service over TLS: handshakes, deadlines, limits, client certificates, renewal (design: "The server")."""

import json
import re
import shutil
import signal
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from writ.api.server.tls import TlsFiles, UnusableTls, first_end

from tests.api.conftest import ALLOWED
from tests.support.certificates import Authority, Pair
from tests.support.open_files import allow_open_files
from tests.support.raw_http import Answer, RawConnection, request
from tests.support.server import KEY, Server, running
from tests.support.waiting import wait_until

SINGLE, BATCH = "/access/v1/evaluation", "/access/v1/evaluations"
BODY = json.dumps(ALLOWED).encode()
EVALUATION = request("POST", SINGLE, BODY, key=KEY)
# An answer of about 10 MB, more than the system holds back: who does not read it is being served.
SCROLL = {"type": "scroll", "id": "s1", "properties": {"text": "x" * 1_000}}
LONG = ALLOWED | {"resource": SCROLL, "options": {"explain": True}, "evaluations": [{}] * 1_000}
LONG_ANSWER = request("POST", BATCH, json.dumps(LONG).encode(), key=KEY)
HALF_HEAD = EVALUATION[:60]
HALF_HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
MEBIBYTE = 1_048_576
SHORT = {"WRIT_HEAD_SECONDS": "0.75", "WRIT_BODY_SECONDS": "2"}
HSTS = "max-age=31536000"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"), "authority")


@pytest.fixture(scope="module")
def pair(authority: Authority) -> Pair:
    return authority.pair("server")


@pytest.fixture(scope="module")
def secure(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    model_file: Path,
    authority: Authority,
    pair: Pair,
) -> Iterator[Server]:
    """A service with TLS and short deadlines."""
    folder = tmp_path_factory.mktemp("secure")
    options = ("--import", str(model_file), *pair.options)
    with running(folder / "data", *options, settings=SHORT, trust=authority.trust()) as started:
        before = started.log
        yield started
        assert started.stop() == 0
        # What hostile clients did all along is worth no word, least of all a traceback.
        said = started.log.removeprefix(before).splitlines()
        assert [line for line in said if "[INFO]" not in line] == []


@pytest.fixture
def raw(secure: Server) -> Iterator[RawConnection]:
    with connected(secure) as connection:
        yield connection


def connected(server: Server, trust: ssl.SSLContext | None = None) -> RawConnection:
    return RawConnection(server.host, server.port, trust or server.trust)


def asked(server: Server, trust: ssl.SSLContext | None = None) -> Answer:
    with connected(server, trust) as connection:
        connection.send(EVALUATION)
        return connection.answer()


# -- answers


def test_a_decision_is_answered_in_either_version(secure: Server, authority: Authority) -> None:
    for version, name in ((ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")):
        trust = authority.trust()
        trust.maximum_version = version
        trust.set_alpn_protocols(["h2", "http/1.1"])
        with connected(secure, trust) as connection:
            assert isinstance(connection.socket, ssl.SSLSocket)
            assert (connection.socket.version(), connection.socket.selected_alpn_protocol()) == (name, "http/1.1")
            connection.send(EVALUATION * 3)
            assert [connection.answer().json["decision"] for _ in range(3)] == [True] * 3


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_session_is_resumed_again_and_again(version: ssl.TLSVersion, secure: Server, authority: Authority) -> None:
    """Each connection gets one ticket, for the next one."""
    trust, session = authority.trust(), None
    trust.maximum_version = version
    for is_resumed in (False, True, True):
        with (
            socket.create_connection((secure.host, secure.port)) as plain,
            trust.wrap_socket(plain, server_hostname="localhost", session=session) as connection,
        ):
            connection.sendall(EVALUATION)
            assert connection.recv(65_536).startswith(b"HTTP/1.1 200")
            assert connection.session_reused is is_resumed
            session = connection.session


def test_every_answer_says_strict_transport(secure: Server) -> None:
    """Whether the application gives it or the connection by itself (RFC 6797)."""
    for sent, status in (
        (EVALUATION, 200),
        (request("POST", SINGLE, BODY), 401),
        (request("GET", "/nowhere"), 404),
        (request("GET", "/.well-known/authzen-configuration"), 200),
        (request("POST", SINGLE, b"{", key=KEY), 400),
        (b"nonsense\r\n\r\n", 400),
        (b"GET /" + b"x" * 40_000 + b" HTTP/1.1\r\n\r\n", 414),
        (HALF_HEAD, 408),
    ):
        with connected(secure) as connection:
            connection.send(sent)
            answer = connection.answer()
            assert (answer.status, answer.headers["strict-transport-security"]) == (status, HSTS)


def test_without_tls_no_answer_does(http: httpx.Client) -> None:
    """A plain answer must not have it (RFC 6797, 7.2)."""
    for path in ("/healthz", "/nowhere"):
        assert "Strict-Transport-Security" not in http.get(path).headers


def test_the_urls_that_are_handed_out_are_https(secure: Server) -> None:
    with secure.client() as client:
        found = client.get("/.well-known/authzen-configuration").json()
    assert found["policy_decision_point"] == secure.url
    assert secure.url.startswith("https://")


def test_the_log_names_the_address_as_https(secure: Server) -> None:
    assert f"Listening at: {secure.url}" in secure.log
    assert "http://" not in secure.log


def test_a_client_that_keeps_sending_still_reads_the_refusal(raw: RawConnection) -> None:
    """TLS can't be closed by half; nor may what comes after the answer end the connection before it is read."""
    raw.send(request("POST", SINGLE, b"", {"Content-Length": str(8 * MEBIBYTE)}, key=KEY))
    for _ in range(8):
        raw.send(b" " * MEBIBYTE)
    assert raw.answer().status == 413


def test_a_long_last_answer_comes_whole_to_a_slow_client(raw: RawConnection) -> None:
    raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    item = ALLOWED | {"resource": {"type": "scroll", "id": "s1", "properties": {"text": "x" * 1_000}}}
    body = json.dumps(item | {"options": {"explain": True}, "evaluations": [{}] * 200}).encode()
    raw.send(request("POST", BATCH, body, {"Connection": "close"}, key=KEY))
    answer = raw.answer()
    assert len(answer.json["evaluations"]) == 200  # type: ignore[arg-type]  # a list
    assert raw.is_closed()


def test_a_client_that_says_farewell_is_left_in_peace(secure: Server) -> None:
    for sent in (EVALUATION, EVALUATION * 10, HALF_HEAD, b""):
        with connected(secure) as connection:
            assert isinstance(connection.socket, ssl.SSLSocket)
            connection.send(sent)
            with suppress(ssl.SSLError):  # an answer that came before the farewell
                connection.socket.unwrap()
    assert asked(secure).status == 200


# -- deadlines and limits


@pytest.mark.parametrize("sent", [b"", HALF_HELLO[:1], HALF_HELLO])
def test_a_handshake_that_stays_half_is_closed(secure: Server, sent: bytes) -> None:
    with RawConnection(secure.host, secure.port) as connection:
        connection.send(sent)
        assert connection.is_closed()


@pytest.mark.parametrize("sent", [EVALUATION, HALF_HELLO + b"\0" * 600, b"\x80\x2e\x01"])
def test_what_is_no_tls_is_closed(secure: Server, sent: bytes) -> None:
    with RawConnection(secure.host, secure.port) as connection:
        connection.send(sent)
        while piece := _received(connection):
            assert piece[:1] == b"\x15"  # an alert, no answer
    assert asked(secure).status == 200


def _received(connection: RawConnection) -> bytes:
    try:
        return connection.socket.recv(65_536)
    except ConnectionResetError:
        return b""


def test_heads_and_bodies_have_their_deadlines(secure: Server) -> None:
    for sent in (HALF_HEAD, EVALUATION[:-1]):
        with connected(secure) as connection:
            connection.send(sent)
            answer = connection.answer()
            assert (answer.status, answer.headers["connection"]) == (408, "close")
    with connected(secure) as connection:
        assert connection.is_closed()


def test_unfinished_handshakes_count_as_connections_and_give_way(
    tmp_path: Path, model_file: Path, pair: Pair, authority: Authority
) -> None:
    settings, model = {"WRIT_MAX_CONNECTIONS": "3"}, ("--import", str(model_file))
    with running(tmp_path / "data", *model, *pair.options, settings=settings, trust=authority.trust()) as started:
        with ExitStack() as stack:
            first, second = (stack.enter_context(RawConnection(started.host, started.port)) for _ in range(2))
            kept = [stack.enter_context(connected(started))]
            kept[0].send(LONG_ANSWER * 3)
            assert asked(started).status == 200
            assert first.is_closed()
            for _ in range(2):
                kept.append(stack.enter_context(connected(started)))
                kept[-1].send(LONG_ANSWER * 3)
            assert second.is_closed()
            assert wait_until(lambda: _is_refused(started))
            assert [_is_refused(started) for _ in range(5)] == [True] * 5
            for connection in kept:
                assert [connection.answer().status for _ in range(3)] == [200] * 3
        assert wait_until(lambda: not _is_refused(started))


def test_connections_give_way_in_order(tmp_path: Path, pair: Pair, authority: Authority) -> None:
    """First those without a whole request, then those that are answered: also where a body is only swallowed."""
    settings, trust = {"WRIT_MAX_CONNECTIONS": "3"}, authority.trust()
    with (
        running(tmp_path / "data", *pair.options, settings=settings, trust=trust) as started,
        ExitStack() as stack,
    ):
        owing = []
        for _ in range(2):
            owing.append(stack.enter_context(connected(started)))
            owing[-1].send(request("GET", "/healthz", b"", {"Content-Length": "1000"}))
            assert owing[-1].answer().status == 200
        newcomer = stack.enter_context(connected(started))
        served = []
        for gone in (newcomer, *owing):
            served.append(stack.enter_context(connected(started)))
            served[-1].send(EVALUATION)
            assert served[-1].answer().status == 200
            assert gone.is_closed()
        for connection in served:
            connection.send(EVALUATION)
            assert connection.answer().status == 200
        assert "Traceback" not in started.log


def _is_refused(server: Server) -> bool:
    try:
        return asked(server).status != 200
    except (OSError, EOFError):
        return True


def test_half_handshakes_and_half_heads_keep_no_evaluation_waiting(
    tmp_path: Path, model_file: Path, pair: Pair, authority: Authority
) -> None:
    count = 300
    allow_open_files(2 * count)
    options, patient = ("--import", str(model_file), *pair.options), {"WRIT_HEAD_SECONDS": "60"}
    with (
        running(tmp_path / "data", *options, settings=patient, trust=authority.trust()) as started,
        ExitStack() as stack,
    ):
        for _ in range(count):
            stack.enter_context(RawConnection(started.host, started.port)).send(HALF_HELLO)
        half = [stack.enter_context(connected(started)) for _ in range(count)]
        for connection in half:
            connection.send(HALF_HEAD)
        with started.client() as client:
            for _ in range(20):
                assert client.post(SINGLE, json=ALLOWED).json()["decision"] is True
        for connection in half[:: count // 20]:
            connection.send(EVALUATION[60:])
            assert connection.answer().status == 200


# -- the end, and renewal


def test_the_end_waits_for_requests_and_for_nobody_else(
    tmp_path: Path, model_file: Path, pair: Pair, authority: Authority
) -> None:
    options = ("--import", str(model_file), *pair.options)
    with running(tmp_path / "data", *options, trust=authority.trust()) as server, ExitStack() as stack:
        idle, half, busy = (stack.enter_context(connected(server)) for _ in range(3))
        idle.send(EVALUATION)
        assert idle.answer().status == 200
        half.send(HALF_HEAD)
        stack.enter_context(RawConnection(server.host, server.port)).send(HALF_HELLO)
        busy.send(EVALUATION[:-1])
        assert asked(server).status == 200  # what was sent before is read by now
        server.process.send_signal(signal.SIGTERM)
        assert wait_until(lambda: not _accepts(server))
        busy.send(EVALUATION[-1:])
        assert busy.answer().status == 200
        busy.socket.close()
        assert server.process.wait(60) == 0
        assert "Forcing close" not in server.log
        assert "Traceback" not in server.log


def _accepts(server: Server) -> bool:
    try:
        RawConnection(server.host, server.port).socket.close()
    except ConnectionError:  # refused, or reset by a backlog that is being closed
        return False
    return True


def test_a_renewed_certificate_is_read_at_sighup(tmp_path: Path, authority: Authority) -> None:
    """One that can't be used leaves the old one; connections that are open go on."""
    used, renewed = authority.pair("used"), authority.pair("renewed", later=timedelta(hours=1))

    def served() -> bytes | None:
        with connected(server) as connection:
            assert isinstance(connection.socket, ssl.SSLSocket)
            return connection.socket.getpeercert(binary_form=True)

    def end() -> float:
        with server.client() as client:
            text = client.get("/metrics").text
        (line,) = re.findall(r'^writ_tls_certificate_expiry\S+{certificate="served"} (\S+)$', text, re.M)
        return float(line)

    with running(tmp_path / "data", *used.options, trust=authority.trust()) as server:
        before = served()
        assert end() == first_end(used.certificate.read_bytes())
        shutil.copy(renewed.certificate, used.certificate)
        server.process.send_signal(signal.SIGHUP)
        assert wait_until(lambda: "the certificate that was read before stays" in server.log)
        assert wait_until(lambda: server.log.count("Worker exiting") == 1)
        assert served() == before
        assert end() != first_end(renewed.certificate.read_bytes()), "the metric is of what is served, not of the file"
        shutil.copy(renewed.key, used.key)
        server.process.send_signal(signal.SIGHUP)
        assert wait_until(lambda: server.log.count("Worker exiting") == 2)
        assert served() == ssl.PEM_cert_to_DER_cert(renewed.certificate.read_text()) != before
        assert asked(server).status == 200
        assert end() == first_end(renewed.certificate.read_bytes())


def test_a_certificate_outside_its_dates_is_told_at_the_start_and_at_sighup(
    tmp_path: Path, authority: Authority
) -> None:
    """It is served, since the clock may be wrong, but no client takes it."""
    ended, future = authority.pair("ended", later=timedelta(days=-3)), authority.pair("future", later=timedelta(days=3))
    trust = authority.trust()
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    with running(tmp_path / "data", *ended.options, trust=trust) as server:
        assert re.search(re.escape(f"the certificate `{ended.certificate}` ended at ") + r"20[-0-9T:]{17}Z", server.log)
        shutil.copy(future.certificate, ended.certificate)
        shutil.copy(future.key, ended.key)
        server.process.send_signal(signal.SIGHUP)
        begins = f"the certificate `{ended.certificate}` begins at "
        assert wait_until(lambda: begins in server.log)
        assert server.log.count("renew it") == 2, "it is told once each, by the master"


def test_a_certificate_within_its_dates_is_not_told_of(pair: Pair) -> None:
    files, now = TlsFiles(pair.certificate, pair.key), datetime.now(UTC)
    text = pair.certificate.read_bytes()
    assert files.fault_of_dates(text, now) is None
    assert files.fault_of_dates(b"", now) is None, "OpenSSL says what is wrong with it"
    assert "ended at" in (files.fault_of_dates(text, now + timedelta(days=2)) or "")
    assert "begins at" in (files.fault_of_dates(text, now - timedelta(days=2)) or "")


# -- client certificates


def test_a_client_needs_a_certificate_of_the_authority(tmp_path: Path, pair: Pair, authority: Authority) -> None:
    clients, strangers = Authority(tmp_path, "clients"), Authority(tmp_path, "strangers")
    trust = authority.trust(clients.pair("client"))
    with running(tmp_path / "data", *pair.options, "--tls-client-ca", str(clients.file), trust=trust) as server:
        for wrong in (None, strangers.pair("stranger"), pair):
            with pytest.raises((OSError, EOFError)):
                asked(server, authority.trust(wrong))
        assert asked(server).status == 200
        with connected(server) as connection:  # a certificate is no credential
            connection.send(request("POST", SINGLE, BODY))
            assert connection.answer().status == 401
        assert "Traceback" not in server.log


# -- what is refused at the start


def test_old_versions_and_renegotiation_are_off(pair: Pair) -> None:
    context = TlsFiles(pair.certificate, pair.key).context()
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
    assert context.options & ssl.OP_NO_RENEGOTIATION
    assert context.verify_mode == ssl.CERT_NONE


def test_no_environment_variable_makes_it_write_session_keys(
    tmp_path: Path, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    assert TlsFiles(pair.certificate, pair.key).context().keylog_filename is None


def test_files_that_can_t_be_used_are_told_of_in_one_sentence(tmp_path: Path, authority: Authority, pair: Pair) -> None:
    other, locked = authority.pair("other"), authority.pair("locked", password=b"secret")
    nothing, empty, broken = tmp_path / "nothing", tmp_path / "empty", tmp_path / "broken"
    empty.touch()
    broken.write_text("-----BEGIN PRIVATE KEY-----\nxx\n-----BEGIN CERTIFICATE-----\n")
    certificate, key = pair.certificate, pair.key
    for files, sentence in (
        (TlsFiles(nothing, key), f"`{nothing}` can't be read: no such file or directory"),
        (TlsFiles(certificate, nothing), f"`{nothing}` can't be read: no such file or directory"),
        (TlsFiles(certificate, tmp_path), f"`{tmp_path}` can't be read: is a directory"),
        (TlsFiles(certificate, key, nothing), f"`{nothing}` can't be read: no such file or directory"),
        (TlsFiles(empty, key), f"`{empty}` holds no certificate in PEM"),
        (TlsFiles(key, key), f"`{key}` holds no certificate in PEM"),
        (TlsFiles(certificate, empty), f"`{empty}` holds no private key in PEM"),
        (TlsFiles(certificate, certificate), f"`{certificate}` holds no private key in PEM"),
        (TlsFiles(certificate, key, empty), f"`{empty}` holds no certificate in PEM"),
        (TlsFiles(broken, key), f"`{broken}` and `{key}` can't be used: "),
        (TlsFiles(certificate, broken), f"`{certificate}` and `{broken}` can't be used: "),
        (TlsFiles(certificate, key, broken), f"`{broken}` can't be used: "),
        (TlsFiles(certificate, other.key), f"the key `{other.key}` is not that of the first certificate in "),
        (TlsFiles(certificate, locked.key), f"the key `{locked.key}` is encrypted; "),
    ):
        with pytest.raises(UnusableTls) as refused:
            files.context()
        assert str(refused.value).startswith(sentence)
        assert "\n" not in str(refused.value)
