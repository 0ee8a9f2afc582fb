"""`writ publish`, as processes: to a real server of the protocol of S3, two at once, and killed at any point."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

import pytest
from writ.api.identity.keys.bundle_keys import bundle_keys_at
from writ.api.identity.keys.folder import FOLDER, KeyFolder
from writ.api.identity.keys.signing_keys import read_keys
from writ.api.store.elements.edits import Create
from writ.api.store.store import Store

from tests.support.closing import closed_later
from tests.support.command import writ
from tests.support.published import PublishedFolder
from tests.support.server import command, environment
from tests.support.stored import ACTOR, ENV
from tests.support.waiting import wait_until

pytestmark = pytest.mark.agent


class Store3:
    """A store, and what is published of it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir()
        KeyFolder(directory, FOLDER).make_first("EdDSA")
        self.store = closed_later(Store.open(directory))
        self._count = 0

    def change(self) -> None:
        """One more revision."""
        self._count += 1
        self.store.write(ENV, ACTOR, [Create("roles", {"id": f"r{self._count}"})])

    @property
    def revision(self) -> int:
        """The newest revision."""
        return self.store.environment(ENV).revision

    def folder(self, url: str) -> PublishedFolder:
        """The published folder."""
        keys = read_keys(bundle_keys_at(self.directory, None).pems())[0]
        return PublishedFolder(url, [key.public_pem() for key in keys.verifying.values()])

    def publishing(self, url: str, *more: str, settings: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """A process that publishes."""
        line = command("publish", url, "--data", str(self.directory), *more)
        with self.log.open("ab") as log:
            return subprocess.Popen(
                line, stdout=subprocess.DEVNULL, stderr=log, env=environment(settings), cwd=self.directory
            )

    @property
    def log(self) -> Path:
        """What the publishing processes wrote to standard error."""
        return self.directory / "publishers.log"

    def follow(self, processes: int) -> object:
        """Waits until so many publishers follow. Only then does a signal stop them between two publications."""
        return wait_until(lambda: self.log.read_text().count("Following changes.") >= processes)


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Store3]:
    made = Store3(tmp_path / "data")
    yield made
    made.store.close()


def test_a_publication_tells_what_it_put(source: Store3, tmp_path: Path) -> None:
    url = str(tmp_path / "published")
    done = writ("publish", url, "--data", source.directory, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "revision": 0,
        "epoch": 1,
        "files": [*source.folder(url).check().files()[0:0]],
    } | {"files": [file.name for file in source.folder(url).check().files()]}
    source.change()
    done = writ("publish", url, "--data", source.directory, settings={"WRIT_PUBLIC_URL": "https://writ.example"})
    assert done.stdout.startswith(b"revision 1: 2 files, ")
    assert done.stderr == b""
    assert source.folder(url).check().callers is not None
    done = writ("publish", url, "--data", source.directory)
    assert b"set WRIT_PUBLIC_URL" in done.stderr
    entries = writ("audit", "--data", source.directory, "--format", "json").stdout.splitlines()
    events = [json.loads(line)["event"] for line in entries]
    assert "bundle.published" in events


def test_the_public_halves_of_the_keys_of_tokens_suffice(source: Store3, tmp_path: Path) -> None:
    """A publisher on another machine than the services issues no tokens: no private key has to lie there."""
    private, public, url = tmp_path / "signing.pem", tmp_path / "public.pem", str(tmp_path / "published")
    for words in (["genpkey", "-algorithm", "ed25519"], ["pkey", "-in", str(private), "-pubout"]):
        target = public if "-pubout" in words else private
        subprocess.run(["openssl", *words, "-out", str(target)], check=True, capture_output=True)
    settings = {"WRIT_PUBLIC_URL": "https://writ.example", "WRIT_SIGNING_KEY": str(public)}
    done = writ("publish", url, "--data", source.directory, settings=settings)
    assert (done.returncode, done.stderr) == (0, b"")
    callers = source.folder(url).check().callers
    assert callers is not None
    settings["WRIT_SIGNING_KEY"] = str(tmp_path / "none.pem")
    done = writ("publish", url, "--data", source.directory, settings=settings)
    assert done.returncode == 2
    assert b"set WRIT_SIGNING_KEY to the public halves of the service's keys" in b" ".join(done.stderr.split())


@pytest.mark.parametrize("arguments", [["--env", "nowhere"], ["--data", "nowhere"]])
def test_what_is_not_there_is_exit_code_2(source: Store3, tmp_path: Path, arguments: list[str]) -> None:
    done = writ("publish", str(tmp_path / "published"), "--data", source.directory, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Error: " in done.stderr


def test_a_followed_publication_has_each_change(source: Store3, tmp_path: Path) -> None:
    url = str(tmp_path / "published")
    process = source.publishing(url, "--follow")
    try:
        assert source.follow(1)
        for _ in range(5):
            source.change()
            assert wait_until(lambda: source.folder(url).index().revision == source.revision)
            source.folder(url).check()
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_two_publishers_at_once_never_go_back(source: Store3, tmp_path: Path) -> None:
    url, seen = str(tmp_path / "published"), 0
    processes = [source.publishing(url, "--follow") for _ in range(2)]
    try:
        assert source.follow(2)
        for _ in range(15):
            source.change()
            index = source.folder(url).check()
            assert index.revision >= seen
            seen = index.revision
        assert wait_until(lambda: source.folder(url).index().revision == source.revision)
        source.folder(url).check()
    finally:
        for process in processes:
            process.terminate()
        assert [process.wait(30) for process in processes] == [0, 0]


def test_a_publisher_killed_at_any_point_leaves_a_good_folder(source: Store3, tmp_path: Path) -> None:
    url, random = str(tmp_path / "published"), Random(14)
    assert writ("publish", url, "--data", source.directory).returncode == 0
    for _ in range(6):
        process = source.publishing(url, "--follow")
        wanted = source.folder(url).index().revision + random.randint(1, 15)
        while source.folder(url).index().revision < wanted:  # so it goes on publishing when it is killed
            source.change()
        process.kill()
        process.wait()
        source.folder(url).check()
    assert writ("publish", url, "--data", source.directory).returncode == 0
    assert source.folder(url).check().revision == source.revision


@pytest.fixture
def s3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a folder in a bucket of a real server, which this process and its children use."""
    pytest.importorskip("moto.server", reason="moto is not installed")
    fsspec = pytest.importorskip("fsspec")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    log = (tmp_path / "moto.log").open("w+b")
    process = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", "0"], stdout=log, stderr=log)
    try:
        found = wait_until(lambda: _port_in(tmp_path / "moto.log") or process.poll())
        assert isinstance(found, str)
        for name, value in {
            "AWS_ENDPOINT_URL": found,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            monkeypatch.setenv(name, value)
        fsspec.filesystem("s3", skip_instance_cache=True).mkdir("bundles")
        yield "s3://bundles/prod"
    finally:
        process.kill()
        process.wait()
        log.close()


def _port_in(log: Path) -> str | None:
    for line in log.read_text().splitlines():
        if "Running on http" in line:
            return line.rpartition(" ")[2]
    return None


def test_an_object_store_is_published_to_and_tidied(source: Store3, s3: str) -> None:
    for revision in range(3):
        done = writ("publish", s3, "--data", source.directory)
        assert done.returncode == 0, done.stderr
        assert source.folder(s3).check().revision == revision
        source.change()
    processes = [source.publishing(s3, "--follow") for _ in range(2)]
    try:
        assert wait_until(lambda: source.folder(s3).index().revision == source.revision)
    finally:
        assert source.follow(2)
        for process in processes:
            process.terminate()
        assert [process.wait(30) for process in processes] == [0, 0]
    source.folder(s3).check()


def test_an_object_store_that_is_gone_is_one_sentence(source: Store3, s3: str) -> None:
    done = writ("publish", "s3://nowhere/folder", "--data", source.directory)
    assert done.returncode == 2
    assert done.stderr.count(b"Error: ") == 1
    assert b"Traceback" not in done.stderr
