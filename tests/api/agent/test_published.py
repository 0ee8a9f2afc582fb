"""A published folder as a source: on a disk, in memory and in S3."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import msgspec
import pytest
from writ.api.agent.sources.bundle_source import Ask, SourceError
from writ.api.agent.sources.published import FolderSource
from writ.bundles.errors import BundleError, ExpiredBundle, OlderBundle, UnknownKey, WrongEnvironment
from writ.bundles.feed.index import INDEX_FILE

from tests.support.feed import History, revision_of
from tests.support.following import TRUST, Time, at, follower, stepped
from tests.support.publishing import Folder
from tests.support.signed import LIFETIME, OTHER_KEY, STAGING


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(History(), str(tmp_path / "published"))


def source_of(folder: Folder, time: Time) -> FolderSource:
    return FolderSource(folder.root, TRUST, clock=lambda: time.wall)


def file_of(folder: Folder, suffix: str) -> Path:
    """The newest file of a kind."""
    return max(Path(folder.root).glob(f"*{suffix}"), key=lambda path: path.stat().st_mtime_ns)


def test_a_follower_of_a_folder(folder: Folder, time: Time, tmp_path: Path) -> None:
    """From the bundle over each update to the newest revision. A new bundle is fetched only if it must be."""
    one = follower(source_of(folder, time), time, tmp_path / "state")
    for _ in range(3):
        folder.history.commit(2)
        folder.publish()
    for revision in (1, 3, 5, 7, 7):
        stepped(one, time)
        assert revision_of(one.engine) == revision
    assert one.status().state == "following"
    folder.history.commit()
    folder.publish()
    folder.history.compact()
    folder.steps = [folder.history.revision]
    folder.history.commit()
    folder.publish()
    stepped(one, time, 4)
    assert (revision_of(one.engine), one.status().bundle_revision) == (9, 8)
    one.close()


def test_the_index_tells_how_fresh_it_is(folder: Folder, time: Time, tmp_path: Path) -> None:
    """Reading the same index again proves nothing."""
    one = follower(source_of(folder, time), time, None)
    stepped(one, time, 2)
    time.advance(300)
    stepped(one, time)
    status = one.status()
    assert status.staleness > 300
    assert status.last_contact == pytest.approx(time.wall, abs=20), "the folder answers, though its publisher is dead"
    assert status.confirmed == pytest.approx(time.wall - status.staleness)
    folder.history.issued = int(time.wall)
    folder.publish()
    stepped(one, time)
    assert one.status().staleness < 20
    time.advance(LIFETIME)
    one.step()
    assert "expired" in str(one.status().error)
    assert revision_of(one.engine) == 1


def test_a_list_of_callers_is_fetched_when_it_changes(folder: Folder, time: Time) -> None:
    """Also if nothing else does."""
    one = follower(source_of(folder, time), time, None)
    stepped(one, time, 2)
    folder.history.generation = 3
    folder.publish()
    stepped(one, time)
    assert one.callers is not None
    assert one.callers.generation == 3


def asked(folder: Folder, tmp_path: Path, revision: int | None = None) -> Ask:
    position = None if revision is None else at(revision, folder.history)
    return Ask(position, None, 0, tmp_path)


@pytest.mark.parametrize(
    ("break_index", "error"),
    [
        (lambda folder: setattr(folder.history, "key", OTHER_KEY), UnknownKey),
        (lambda folder: setattr(folder.history, "environment", STAGING), WrongEnvironment),
        (lambda folder: setattr(folder.history, "lifetime", 5), ExpiredBundle),
    ],
)
def test_an_index_that_is_not_genuine(
    break_index: Any, error: type[BundleError], folder: Folder, time: Time, tmp_path: Path
) -> None:
    """It is refused."""
    break_index(folder)
    folder.publish()
    with pytest.raises(error):
        source_of(folder, time).fetch(asked(folder, tmp_path))


def test_an_older_index_is_refused(folder: Folder, time: Time, tmp_path: Path) -> None:
    """Also by a source that has not seen the newer one."""
    source, path = source_of(folder, time), Path(folder.root) / INDEX_FILE
    old = path.read_bytes()
    folder.history.commit()
    folder.publish()
    source.fetch(asked(folder, tmp_path, 2))
    path.write_bytes(old)
    for one in (source, source_of(folder, time)):
        with pytest.raises(OlderBundle):
            one.fetch(asked(folder, tmp_path, 2))


@pytest.mark.parametrize(("suffix", "revision"), [(".bundle", None), (".update", 1), (".callers", 2)])
@pytest.mark.parametrize("fault", ["flipped", "truncated", "missing"])
def test_a_file_that_is_not_the_one_of_the_index(
    suffix: str, revision: int | None, fault: str, folder: Folder, time: Time, tmp_path: Path
) -> None:
    """It is refused before anything reads it. The right file is accepted afterwards."""
    folder.history.generation = 1
    folder.history.commit()
    folder.publish()
    file, source = file_of(folder, suffix), source_of(folder, time)
    content = file.read_bytes()
    if fault == "flipped":
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif fault == "truncated":
        file.write_bytes(content[:-1])
    else:
        file.unlink()
    with pytest.raises(SourceError):
        source.fetch(asked(folder, tmp_path, revision))
    file.write_bytes(content)
    source.fetch(asked(folder, tmp_path, revision))
    source.close()


def test_sizes_are_bounded(folder: Folder, time: Time, tmp_path: Path) -> None:
    """What the index says is bounded too, though its signature is right."""
    index = folder.publish()
    bundle = index.bundle
    huge = msgspec.structs.replace(bundle.file, size=17 * 1024**3)
    folder.publish(bundle=msgspec.structs.replace(bundle, file=huge))
    with pytest.raises(BundleError, match="more than"):
        source_of(folder, time).fetch(asked(folder, tmp_path))
    (Path(folder.root) / INDEX_FILE).write_bytes(b"x" * 2_000_000)
    with pytest.raises(BundleError, match="the index has 1048577 bytes"):
        source_of(folder, time).fetch(asked(folder, tmp_path))
    (Path(folder.root) / INDEX_FILE).unlink()
    with pytest.raises(SourceError, match=f"has no file `{INDEX_FILE}`"):
        source_of(folder, time).fetch(asked(folder, tmp_path))


def test_an_interrupted_download_goes_on(folder: Folder, time: Time, tmp_path: Path, monkeypatch: Any) -> None:
    """Piece by piece. The digest covers all of them."""
    monkeypatch.setattr("writ.api.agent.sources.published._PIECE", 1_000)
    source = source_of(folder, time)
    read, calls = source._read, []

    def flaky(name: str, start: int, end: int) -> bytes:
        calls.append(start)
        if len(calls) == 3:
            raise SourceError("cut")
        return read(name, start, end)

    source._read = flaky
    with pytest.raises(SourceError, match="cut"):
        source.fetch(asked(folder, tmp_path))
    found = source.fetch(asked(folder, tmp_path))
    assert calls[:4] == [0, 0, 1_000, 0]
    assert calls[4] == 1_000
    assert hashlib.sha256(found.path.read_bytes()).digest() == hashlib.sha256(folder.history.bundle()).digest()


def test_a_store_in_memory(time: Time, tmp_path: Path) -> None:
    """fsspec knows many stores."""
    folder = Folder(History(), "memory://published/prod")
    one = follower(FolderSource("memory://published/prod", TRUST, clock=lambda: time.wall), time, tmp_path)
    folder.history.commit()
    folder.publish()
    stepped(one, time, 3)
    assert revision_of(one.engine) == 2
    one.close()


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A server that speaks S3, and the options to reach it."""
    pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = {"key": "k", "secret": "s", "endpoint_url": f"http://{host}:{port}", "skip_instance_cache": True}
    fsspec.filesystem("s3", **options).mkdir("bucket")
    yield options
    server.stop()


@pytest.mark.object_store
def test_a_folder_in_s3(s3: dict[str, Any], time: Time, tmp_path: Path) -> None:
    """With the package for it."""
    folder = Folder(History(), "s3://bucket/prod", **s3)
    source = FolderSource("s3://bucket/prod", TRUST, options=s3, clock=lambda: time.wall)
    one = follower(source, time, tmp_path)
    folder.history.commit()
    folder.publish()
    stepped(one, time, 3)
    assert (revision_of(one.engine), one.status().state) == (2, "following")
    folder.store.rm(f"{folder.root}/{INDEX_FILE}")
    stepped(one, time)
    assert "has no file" in str(one.status().error)
    one.close()
