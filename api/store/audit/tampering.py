"""The chain, walked: each entry proven to follow from the one before it, each seal to be by a key that is known."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from sqlite_utils import Database

from ....bundles.wording import quoted
from .entries import AuditEntry, chained, entry_in
from .seals import Seal, Sealer


class Tampered(Exception):
    """The log is not what was written; the message says where it first differs."""


class Unproven(Tampered):
    """Nobody can tell whether it is, without a key that is not known here."""


class Proven(NamedTuple):
    """An entry of which the place in the chain is proven."""

    number: int
    digest: bytes
    entry: AuditEntry


def walk(db: Database, start: int, digest: bytes, end: int | None = None) -> Iterator[Proven]:
    """The entries behind `start`, whose hash is `digest`, up to `end`. Raises Tampered for the first that differs."""
    rows = db.execute(
        "SELECT number, CAST(body AS BLOB), digest FROM audit WHERE number >= ? AND number <= ? ORDER BY number",
        (start, 2**62 if end is None else end),
    )
    expected = start
    for number, body, stored in rows:
        if number == start:
            if stored != digest:
                raise Tampered(f"entry {number} is not the one that was sealed")
            continue
        expected += 1
        if number != expected:
            raise Tampered(f"entry {expected} is missing")
        digest = chained(digest, number, body)
        entry = _entry(number, body)
        if digest != stored:
            raise Tampered(f"entry {number}, or its hash, was changed")
        yield Proven(number, digest, entry)
    if end is not None and expected < end:
        raise Tampered(f"entry {expected + 1} is missing")


def proven(seal: Seal, sealer: Sealer) -> Seal:
    """The seal, where its signature is right. Raises Tampered."""
    right = sealer.verify(seal.key, seal.text, seal.signature)
    if right is None:
        by = f"the seal of entry {seal.number} is by the key {quoted(seal.key)}"
        raise Unproven(f"{by}, which is not known here; give its public half")
    if not right:
        raise Tampered(f"the seal of entry {seal.number} was changed")
    return seal


def _entry(number: int, body: bytes) -> AuditEntry:
    """An entry that is written just as we write it: else two readers might read two things. Raises Tampered."""
    try:
        entry = entry_in(body)
        if msgspec.json.encode(entry) == body:
            return entry
    except (ValueError, msgspec.MsgspecError):
        pass
    raise Tampered(f"entry {number} was changed: it is not written as entries are")
