"""The head of a bundle is looked at before anything is written, and a small answer can't fill a disk."""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from writ.api.agent.sources.bundle_head import LONGEST_BUNDLE, HeadCheck
from writ.api.agent.sources.bundle_source import Ask, FetchedBundle, SourceError
from writ.api.agent.sources.file_source import FileSource
from writ.api.agent.sources.published import FolderSource
from writ.api.agent.sources.response_body import FREE_BYTES, MOST_EXPANSION
from writ.api.agent.sources.upstream import Upstream as Source
from writ.bundles.errors import BundleError
from writ.bundles.file.header import HEADER, decode_header, encode_header

from tests.support.feed import History, revision_of
from tests.support.following import TRUST, Time, follower, stepped
from tests.support.publishing import Folder
from tests.support.upstream import BUNDLE, Handler, Upstream, serving


@pytest.fixture
def server() -> Iterator[Upstream]:
    with serving(History()) as upstream:
        upstream.packs = False
        yield upstream


@pytest.fixture
def source(server: Upstream) -> Iterator[Source]:
    made = Source(server.url, "prod")
    yield made
    made.close()


def ask(folder: Path) -> Ask:
    return Ask(None, None, 0, folder)


def packed(handler: Handler, head: bytes) -> bool:
    """Send a bundle with a head and a gibibyte of zeros, in a million bytes: a thousandth is the least of gzip."""
    packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    begin = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    zeros = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    handler.send(200, BUNDLE, begin + zeros * 2**10, '"bomb"', {"Content-Encoding": "gzip"})
    return True


def head_of(content: bytes, size: int) -> bytes:
    """The head of a bundle whose last section grows until the bundle has `size` bytes. Its checksums are right."""
    table = decode_header(content, len(content))
    name, last = [*table.items()][-1]
    return encode_header({**table, name: replace(last, size=size - last.offset)}, size)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the pieces that were written to a disk."""
    sizes: list[int] = []
    passed = HeadCheck.passed

    def noted(self: HeadCheck, pieces: Iterable[bytes], offset: int) -> Iterator[bytes]:
        for piece in passed(self, pieces, offset):
            sizes.append(len(piece))
            yield piece

    monkeypatch.setattr(HeadCheck, "passed", noted)
    return sizes


def test_what_is_no_bundle_is_not_written(source: Source, server: Upstream, tmp_path: Path, written: list[int]) -> None:
    """A million bytes that unpack to a thousand times as many, a page, and a bundle that says that it is too long."""
    sound = server.history.bundle()
    for head, said in (
        (b"", "this is not a Writ bundle"),
        (b"<html>", "this is not a Writ bundle"),
        (sound[: HEADER.size - 9], "the checksum of its header does not match"),
        (sound[: HEADER.size + 9] + b"\1", "the checksum of its header does not match"),
        (head_of(sound, LONGEST_BUNDLE + 8), "more than the 4294967296 that are accepted"),
    ):
        server.fault = lambda handler, head=head: packed(handler, head)
        with pytest.raises(BundleError, match=said):
            source.fetch(ask(tmp_path))
    assert (written, list(tmp_path.iterdir())) == ([], [])


def test_a_packed_answer_unpacks_to_a_bounded_size(
    source: Source, server: Upstream, tmp_path: Path, written: list[int]
) -> None:
    """Also behind a sound head, and also an update. From then on, the source asks for answers that are not packed."""
    sound = server.history.bundle()
    head = head_of(sound, 2**30)
    server.fault = lambda handler: packed(handler, head)
    with pytest.raises(SourceError, match="more than 64 times longer"):
        source.fetch(ask(tmp_path))
    assert sum(written) < FREE_BYTES + MOST_EXPANSION * 2 * 2**20 < 2**30 / 4
    server.fault = None
    found = source.fetch(ask(tmp_path))
    assert isinstance(found, FetchedBundle)
    assert found.path.read_bytes() == sound
    assert [one.headers["accept-encoding"] for one in server.requests] == ["gzip", "identity"]
    assert list(tmp_path.iterdir()) == [found.path]


def test_more_than_the_head_says_is_not_written(source: Source, server: Upstream, tmp_path: Path) -> None:
    """A server could fill the disk behind a small bundle."""
    server.fault = lambda handler: handler.send(200, BUNDLE, server.history.bundle() + bytes(9), '"b1"') is None
    with pytest.raises(BundleError, match="is padded"):
        source.fetch(ask(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_for_which_the_disk_has_no_room_is_not_begun(
    server: Upstream, tmp_path: Path, written: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others need the rest of the disk. The status says why."""
    time = Time()
    one = follower(Source(server.url, "prod"), time, tmp_path, wait=0)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=len(server.history.bundle()) - 1))
    stepped(one, time)
    assert "the new state can't be stored: no space left on device" in str(one.status().error)
    assert written == []
    monkeypatch.undo()
    stepped(one, time)
    assert revision_of(one.engine) == 1
    one.close()


def test_a_file_is_looked_at_before_it_is_copied(tmp_path: Path) -> None:
    """The state directory would get a copy of it, whatever it is."""
    path, time = tmp_path / "prod.bundle", Time()
    with path.open("wb") as file:
        file.truncate(2**40)  # it takes no room on the disk, but a copy would
    one = follower(FileSource(path), time, tmp_path / "state")
    stepped(one, time)
    assert "this is not a Writ bundle" in str(one.status().error)
    path.write_bytes(History().bundle())
    stepped(one, time)
    assert revision_of(one.engine) == 1
    one.close()
    limited = follower(FileSource(path), time, None, longest=1_000)
    stepped(limited, time)
    assert "more than the 1000 that are accepted" in str(limited.status().error)


def test_the_files_of_a_folder_are_looked_at_too(tmp_path: Path) -> None:
    """Its index says how long they are, and its key may have signed another folder's file."""
    folder, time = Folder(History(), str(tmp_path / "published")), Time()
    source = FolderSource(folder.root, TRUST, longest=1_000, clock=lambda: time.wall)
    folder.publish()
    with pytest.raises(BundleError, match="more than the 1000 that are accepted"):
        source.fetch(ask(tmp_path))
    index = folder.publish()
    junk = Path(folder.root) / index.bundle.file.name
    junk.write_bytes(b"x" * index.bundle.file.size)
    source = FolderSource(folder.root, TRUST, clock=lambda: time.wall)
    with pytest.raises(BundleError, match="this is not a Writ bundle"):
        source.fetch(ask(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["published"]
