"""Publishes the history of an environment into a folder, as `writ publish` does, for tests."""

from hashlib import sha256
from typing import Any

import fsspec
import msgspec
from writ.bundles.feed.index import (
    INDEX_FILE,
    Index,
    PublishedBundle,
    PublishedFile,
    PublishedUpdate,
    sign_index,
)

from tests.support.feed import History


class Folder:
    """A published folder in any store. `steps` are the revisions at which its updates begin and end."""

    def __init__(self, history: History, url: str, **options: Any):
        self.history, self._number = history, 0
        self.store, self.root = fsspec.url_to_fs(url, **options)
        self.store.makedirs(self.root, exist_ok=True)
        self.steps = [history.revision]
        self.publish()

    def publish(self, **changed: Any) -> Index:
        """Publish the newest revision."""
        history, self._number = self.history, self._number + 1
        if history.revision > self.steps[-1]:
            self.steps.append(history.revision)
        times = history.issued, history.issued + history.lifetime
        bundle = PublishedBundle(
            self._put("bundle", history.bundle()), history.base, history.manifest(history.base), *times
        )
        pairs = [pair for pair in zip(self.steps, self.steps[1:], strict=False) if pair[0] >= history.base]
        updates = tuple(
            PublishedUpdate(self._put("update", history.update(*pair, bases=self.steps)), *pair, times[1])
            for pair in pairs
        )
        callers = history.callers()
        listed = None if callers is None else self._put("callers", callers)
        index = Index(
            history.environment,
            history.epoch,
            self._number,
            history.revision,
            bundle,
            updates,
            (history.manifest(history.base),),
            listed,
            (),
            *times,
        )
        index = msgspec.structs.replace(index, **changed)
        self.store.pipe_file(f"{self.root}/{INDEX_FILE}", sign_index(index, history.key))
        return index

    def _put(self, kind: str, content: bytes) -> PublishedFile:
        digest = sha256(content).hexdigest()
        file = PublishedFile(f"{digest[:16]}.{kind}", len(content), digest)
        self.store.pipe_file(f"{self.root}/{file.name}", content)
        return file
