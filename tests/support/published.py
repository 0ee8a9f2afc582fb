"""Reads a published folder as a follower does, and checks that every file that the index names is right."""

import time
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import fsspec
from writ import Engine
from writ.bundles.delta import Delta
from writ.bundles.feed.index import INDEX_FILE, Index, PublishedBundle, PublishedFile, PublishedUpdate, verified_index
from writ.bundles.feed.position import Position, position_of
from writ.bundles.feed.update import verified_update
from writ.bundles.file.reader import Bundle
from writ.bundles.signing.signature_check import open_verified_bundle


class PublishedFolder:
    """A folder, or a folder of an object store, and the public keys that it is verified with."""

    def __init__(self, url: str, pems: Iterable[bytes], now: float | None = None) -> None:
        self.files, self.root = fsspec.core.url_to_fs(url, use_listings_cache=False)
        self.pems, self._now = list(pems), now

    @property
    def now(self) -> float:
        """The time at which signatures are checked, in epoch seconds."""
        return time.time() if self._now is None else self._now

    def index(self) -> Index:
        """The verified index."""
        return verified_index(self.files.cat_file(f"{self.root}/{INDEX_FILE}"), self.pems, self.now)

    def names(self) -> set[str]:
        """The names of all files."""
        return {path.rpartition("/")[2] for path in self.files.ls(self.root, detail=False)}

    def content(self, file: PublishedFile) -> bytes:
        """The content of a file that the index names, which must be as the index says."""
        content: bytes = self.files.cat_file(f"{self.root}/{file.name}")
        assert (len(content), sha256(content).hexdigest()) == (file.size, file.digest), file.name
        return content

    def engine(self) -> Engine:
        """An engine that starts from the published bundle and follows every update."""
        index = self.index()
        bundle, position = self.bundle(index.bundle, index)
        engine = Engine(bundle)
        engine.apply_deltas(self.deltas(index, position))
        assert engine.revision == index.revision
        return engine

    def bundle(self, published: PublishedBundle, index: Index) -> tuple[Bundle, Position]:
        """A published bundle, verified."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "bundle"
            path.write_bytes(self.content(published.file))
            bundle, _ = open_verified_bundle(path, self.pems, index.environment.uuid, self.now)
        position = position_of(bundle)
        assert (position.revision, position.manifest) == (published.revision, published.manifest)
        return bundle, position

    def deltas(self, index: Index, position: Position) -> list[Delta]:
        """The deltas that lead on from a position. Each update must follow the one before."""
        found: list[Delta] = []
        for one in self.updates_after(index, position.revision):
            update = verified_update(self.content(one.file), self.pems, self.now)
            update.check_follows(position)
            position = position._replace(revision=one.revision)
            found += update.deltas
        return found

    def updates_after(self, index: Index, revision: int) -> list[PublishedUpdate]:
        """The updates from a revision on, without a gap. Fails if the index leads nowhere from there."""
        chain = [one for one in index.updates if one.parent >= revision]
        reached = revision
        for one in chain:
            assert one.parent == reached, "the updates have a gap"
            reached = one.revision
        assert reached == index.revision
        return chain

    def check(self) -> Index:
        """Check that every file is there, and that the updates lead from the bundle to the newest revision."""
        index = self.index()
        for file in index.files():
            self.content(file)
        self.engine()
        return index
