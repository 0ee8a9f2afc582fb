"""A published folder on a web server: a plain one, and nginx with TLS beside `writ publish`, an agent and `follow`."""

import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import httpx
import pytest
import writ as public
from writ.api.agent.options import published_source
from writ.api.agent.sources.bundle_source import Interrupted, SourceError
from writ.api.agent.sources.published import FolderSource
from writ.api.agent.sources.web_folder import WebFolder
from writ.bundles.feed.index import INDEX_FILE

from tests.api.conftest import ALLOWED
from tests.support.certificates import Authority
from tests.support.command import writ
from tests.support.feed import History, revision_of
from tests.support.following import TRUST, Time, follower, stepped
from tests.support.fronts import program
from tests.support.gateways import listens
from tests.support.ports import free_port
from tests.support.publishing import Folder
from tests.support.server import KEY, command, environment, hide_modules, started
from tests.support.waiting import wait_until


class Quiet(SimpleHTTPRequestHandler):
    """It knows no ranges: it always sends the whole file."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", "/published")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            super().do_GET()


@contextmanager
def web_server(folder: Path, context: ssl.SSLContext | None = None) -> Iterator[str]:
    """The URL of a web server of a folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"{'http' if context is None else 'https'}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_follower_of_a_web_server(tmp_path: Path) -> None:
    folder, time = Folder(History(), str(tmp_path / "published")), Time()
    with web_server(tmp_path) as url:
        one = follower(FolderSource(f"{url}/published/", TRUST, clock=lambda: time.wall), time, tmp_path / "state")
        for _ in range(2):
            folder.history.commit(2)
            folder.publish()
        for revision in (1, 3, 5):
            stepped(one, time)
            assert revision_of(one.engine) == revision
        one.close()


def test_the_authorities_of_the_certificate_are_those_given(tmp_path: Path) -> None:
    authority, other = Authority(tmp_path, "ours"), Authority(tmp_path, "others")
    pair = authority.pair("web")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.certificate, pair.key)
    (tmp_path / "file").write_bytes(b"0123456789")
    with web_server(tmp_path, context) as url:
        folder = WebFolder(url, str(authority.file), None)
        assert [folder.cat_file("/file", *part) for part in ((0, 100), (3, 5))] == [b"0123456789", b"34"]
        folder.interrupt()
        with pytest.raises(Interrupted):
            folder.cat_file("/file", 0, 1)
        for ca_file in (None, str(other.file)):
            with pytest.raises(SourceError, match="TLS failed"):
                WebFolder(url, ca_file, None).cat_file("/file", 0, 1)


def test_what_is_no_folder_of_a_web_server(tmp_path: Path) -> None:
    with web_server(tmp_path) as url:
        folder = WebFolder(f"{url}/here", None, None)
        with pytest.raises(FileNotFoundError):
            folder.cat_file("/here/file", 0, 1)
        with pytest.raises(SourceError, match="redirects"):
            folder.cat_file("/moved/file", 0, 1)
        with pytest.raises(ValueError, match="no query"):
            WebFolder(f"{url}/here?sig=1", None, None)
    with pytest.raises(SourceError, match="can't be reached"):
        folder.cat_file("/here/file", 0, 1)


@pytest.mark.parametrize("url", ["memory://published/prod", "published/"])
def test_authorities_that_a_store_does_not_take_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="`ca_file` is for"):
        FolderSource(url, TRUST, ca_file="authority.pem")


def test_a_folder_is_given_by_its_place_or_by_its_index() -> None:
    for folder in ("https://host/prod", "published", "s3://bucket/prod", "/var/www/prod"):
        for given in (folder, f"{folder}/", f"{folder}/{INDEX_FILE}"):
            assert published_source(given) == f"{folder}/{INDEX_FILE}"
    assert published_source(INDEX_FILE) == f"./{INDEX_FILE}"


def test_the_modes_of_a_published_folder(tmp_path: Path, model_file: Path) -> None:
    """The folder decides who may read, and a new one is for everybody, whatever the umask."""
    data, narrow, new = tmp_path / "data", tmp_path / "narrow", tmp_path / "new" / "prod"
    narrow.mkdir(mode=0o750)
    assert writ("import", model_file, "--data", data).returncode == 0
    for target, folder, file in ((narrow, 0o750, 0o640), (new, 0o755, 0o644)):
        publish(data, target)
        assert target.stat().st_mode & 0o777 == folder
        assert {one.stat().st_mode & 0o777 for one in target.iterdir()} == {file}


def publish(data: Path, target: Path) -> None:
    """Publish with the umask of a careful administrator."""
    line = command("publish", str(target), "--data", str(data))
    done = subprocess.run(line, env=environment(), capture_output=True, umask=0o077)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def www() -> Iterator[Path]:
    """A folder that nginx's user reaches: pytest keeps its own from other users."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def nginx(folder: Path, root: Path, authority: Authority) -> Iterator[str]:
    """The URL of an nginx with TLS that serves a folder, as another user where the tests run as root."""
    found, port, pair = program("nginx"), free_port(), authority.pair("nginx")
    assert found is not None
    folder.mkdir()
    (folder / "nginx.conf").write_text(f"""
daemon off; pid {folder}/pid; error_log stderr;
events {{}}
http {{
    access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    server {{
        listen 127.0.0.1:{port} ssl; ssl_certificate {pair.certificate}; ssl_certificate_key {pair.key};
        root {root};
    }}
}}
""")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([found, "-c", str(folder / "nginx.conf"), "-e", "stderr"], stdout=log, stderr=log)
    try:
        assert wait_until(lambda: listens(port) or process.poll() is not None)
        assert process.poll() is None, (folder / "log").read_text()
        yield f"https://localhost:{port}"
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.gateway
@pytest.mark.skipif(program("nginx") is None, reason="nginx is not installed")
def test_an_agent_and_follow_read_the_same_folder_of_nginx(tmp_path: Path, model_file: Path, www: Path) -> None:
    """Without `aiohttp`, by the folder's URL and by that of its index, with an authority of the test."""
    data, target, authority = tmp_path / "data", www / "prod", Authority(tmp_path, "authority")
    assert writ("import", model_file, "--data", data).returncode == 0
    publish(data, target)
    (tmp_path / "key.pem").write_bytes(writ("keys", "--kind", "bundle", "--data", data).stdout)
    (tmp_path / "callers").write_text(writ_caller())
    hidden = hide_modules(tmp_path / "hidden", "aiohttp", "requests")
    with nginx(tmp_path / "nginx", www, authority) as url:
        for number, given in enumerate((f"{url}/prod", f"{url}/prod/{INDEX_FILE}")):
            line = command("agent", "--env", "default", "--from", given, "--ca-file", str(authority.file))
            line += [
                "--key",
                str(tmp_path / "key.pem"),
                "--callers",
                str(tmp_path / "callers"),
                "--bind",
                "127.0.0.1:0",
            ]
            with started(line, environment({}, [hidden]), tmp_path / f"log{number}", tmp_path) as agent:
                assert wait_until(partial(decides, agent.url))
        following = public.follow(
            f"{url}/prod/{INDEX_FILE}",
            environment="default",
            keys=(tmp_path / "key.pem").read_text(),
            ca_file=authority.file,
            poll_seconds=0.1,
        )
        with following:
            assert following.engine.decide(ALLOWED)["decision"] is True
            document = model_file.read_text().replace('"alice"', '"another"')
            (tmp_path / "later.json").write_text(document)
            assert writ("import", tmp_path / "later.json", "--data", data).returncode == 0
            publish(data, target)
            assert wait_until(lambda: following.engine.decide(ALLOWED)["decision"] is False), following.status()


def decides(url: str) -> bool:
    """Returns whether an agent allows what the model allows."""
    answer = httpx.post(f"{url}/access/v1/evaluation", json=ALLOWED, headers={"Authorization": f"Bearer {KEY}"})
    return answer.status_code == 200 and answer.json()["decision"] is True


def writ_caller() -> str:
    """A file of callers with the key of the tests."""
    return f'{{"name": "tests", "sha256": "{sha256(KEY.encode()).hexdigest()}"}}\n'
