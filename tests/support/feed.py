"""The history of an environment for tests: real signed bundles, and real signed updates from one revision to the next.

In revision 7, and in no other one, Bob may read document 7. So a decision tells which revision an engine has.
"""

from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import msgspec
from writ.bundles.delta import encode_delta
from writ.bundles.feed.callers import Callers, name_of, sign_callers
from writ.bundles.feed.position import manifest_digest
from writ.bundles.feed.update import claims_about, encode_update
from writ.bundles.file.reader import Bundle, mapped
from writ.bundles.manifest import Environment
from writ.bundles.signing.pem_keys import SigningKey
from writ.bundles.signing.sign import sign
from writ.compiler.compile import Compiled
from writ.runtime import Engine

from tests.support.bundling import compiled
from tests.support.deltas import delta_between
from tests.support.signed import ISSUED, KEY, LIFETIME, PROD


@cache
def model(revision: int) -> Compiled:
    """The model of a revision."""
    bob, read = {"type": "user", "id": "bob"}, ["read"]
    grant = {"id": "g", "subject": bob, "resource": {"type": "document", "id": str(revision)}, "actions": read}
    return compiled({"resource_types": [{"id": "document", "actions": read}], "grants": [grant]})


@cache
def delta(revision: int) -> bytes:
    """The delta that leads to a revision from the one before."""
    return encode_delta(delta_between(model(revision - 1), model(revision), revision))


def revision_of(engine: Engine | None) -> int | None:
    """The revision that decisions show, or None without an engine."""
    if engine is None:
        return None
    revision = engine.revision
    shown = [one for one in range(max(0, revision - 3), revision + 4) if may_read(engine, one)]
    assert shown == [revision]
    return revision


def may_read(engine: Engine, document: int) -> bool:
    """Returns whether Bob may read a document."""
    return engine.allowed("user", "bob", "read", "document", str(document))


class History:
    """An environment that grows. `revision` is its newest one, and `base` that of its newest bundle."""

    def __init__(self, environment: Environment = PROD, epoch: int = 1, revision: int = 1, key: SigningKey = KEY):
        self.environment, self.epoch, self.key = environment, epoch, key
        self.revision = self.base = self.oldest = revision
        self.issued, self.lifetime = ISSUED, LIFETIME
        self.generation: int | None = None

    def commit(self, count: int = 1) -> int:
        """Make new revisions. Returns the newest."""
        self.revision += count
        return self.revision

    def compact(self) -> None:
        """Make a bundle of the newest revision."""
        self.base = self.revision

    @property
    def tag(self) -> str:
        """A value that differs after every change."""
        return f'"{self.environment.uuid[:4]}.{self.epoch}.{self.revision}.{self.generation}"'

    def bundle(self, revision: int | None = None, **changed: Any) -> bytes:
        """A signed bundle of a revision, of the newest bundle's unless another is named."""
        return _bundle(
            self.environment,
            self.epoch,
            self.base if revision is None else revision,
            changed.get("key", self.key),
            changed.get("issued", self.issued),
            changed.get("lifetime", self.lifetime),
        )

    def manifest(self, revision: int) -> str:
        """The digest of the manifest of a bundle."""
        return _manifest(self.environment, self.epoch, revision)

    def update(self, since: int, until: int | None = None, **changed: Any) -> bytes:
        """A signed update from one revision to another, to the newest unless another is named."""
        until = self.revision if until is None else until
        deltas = [delta(revision) for revision in range(since + 1, until + 1)]
        fits = sorted({self.oldest, self.base, since, *changed.get("bases", ())})[-16:]
        manifests = [self.manifest(base) for base in fits]
        claims = claims_about(self.environment, self.epoch, manifests, since, deltas, self.issued)
        claims = msgspec.structs.replace(claims, **changed.get("claims", {}))
        return encode_update(claims, deltas, changed.get("key", self.key), self.callers())

    def callers(self) -> bytes | None:
        """The signed list of callers, or None if there is no generation of it."""
        if self.generation is None:
            return None
        clients, revoked = (name_of("c1"),), (f"t{self.generation}",)
        times = self.issued, self.issued + self.lifetime
        listed = Callers(
            self.environment,
            self.epoch,
            self.generation,
            "https://w",
            "https://w",
            {"keys": []},
            clients,
            revoked,
            *times,
        )
        return sign_callers(listed, self.key)

    def write(self, path: Path, **changed: Any) -> Path:
        """A signed bundle in a file, which is renamed to its path."""
        draft = path.with_suffix(".draft")
        draft.write_bytes(self.bundle(**changed))
        return draft.replace(path)


@cache
def _written(environment: Environment, epoch: int, revision: int) -> bytes:
    made = model(revision)
    manifest = msgspec.structs.replace(made.manifest, environment=environment, epoch=epoch, revision=revision)
    content = BytesIO()
    replace(made, manifest=manifest).write(content)
    return content.getvalue()


@cache
def _manifest(environment: Environment, epoch: int, revision: int) -> str:
    with TemporaryFile() as file:
        file.write(_written(environment, epoch, revision))
        file.flush()
        return manifest_digest(Bundle(mapped(file)).manifest)


@cache
def _bundle(environment: Environment, epoch: int, revision: int, key: SigningKey, issued: int, lifetime: int) -> bytes:
    with TemporaryFile() as file:
        file.write(_written(environment, epoch, revision))
        sign(file, key, issued, lifetime)
        file.seek(0)
        return file.read()
