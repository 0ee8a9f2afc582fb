"""Verifies the hash chain: each entry follows from the previous one, and each seal has a known key."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from ....bundles.wording import quoted
from ..database.connection import Connection
from .entries import AuditEntry, chain_hash, entry_in
from .seals import Seal, Sealer


class Tampered(Exception):
    """The log was changed. The message names the first difference."""


class UnknownSealKey(Tampered):
    """The log can't be verified, because the key of a seal is not known here."""


class VerifiedEntry(NamedTuple):
    """An entry whose place in the chain is verified."""

    number: int
    digest: bytes
    entry: AuditEntry


def verified_entries(db: Connection, start: int, digest: bytes, end: int | None = None) -> Iterator[VerifiedEntry]:
    """Yields the entries after `start`, whose hash is `digest`, up to `end`.

    Raises Tampered at the first difference.
    """
    rows = db.stream(
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
        digest = chain_hash(digest, number, body)
        entry = _entry(number, body)
        if digest != stored:
            raise Tampered(f"entry {number}, or its hash, was changed")
        yield VerifiedEntry(number, digest, entry)
    if end is not None and expected < end:
        raise Tampered(f"entry {expected + 1} is missing")


def verified_seal(seal: Seal, sealer: Sealer) -> Seal:
    """Returns the seal if its signature is right. Raises Tampered."""
    right = sealer.verify(seal.key, seal.text, seal.signature)
    if right is None:
        by = f"the seal of entry {seal.number} is by the key {quoted(seal.key)}"
        raise UnknownSealKey(f"{by}, which is not known here; give its public key")
    if not right:
        raise Tampered(f"the seal of entry {seal.number} was changed")
    return seal


def _entry(number: int, body: bytes) -> AuditEntry:
    """Returns an entry in exactly the encoding that Writ writes: two readers must not read two meanings.

    Raises Tampered.
    """
    try:
        entry = entry_in(body)
        if msgspec.json.encode(entry) == body:
            return entry
    except (ValueError, msgspec.MsgspecError):
        pass
    raise Tampered(f"entry {number} was changed: it is not encoded like an entry")
