"""Seals: signatures of the head of the log, and of its start once the oldest entries are removed."""

from enum import StrEnum
from typing import Protocol

import msgspec

from ....bundles.prepared import prepared
from ..database.connection import Connection

_COLUMNS = "purpose, number, digest, time, key, signature"


class Purpose(StrEnum):
    """The statement of a seal: the log up to here was so, or the log starts after this entry."""

    HEAD = "head"
    CHECKPOINT = "checkpoint"


@prepared
class Seal(msgspec.Struct, frozen=True):
    """A signature of an entry's number and hash, by the key of the id `key`. `time` is RFC 3339."""

    purpose: Purpose
    number: int
    digest: bytes
    time: str
    key: str
    signature: bytes

    @property
    def text(self) -> bytes:
        """The signed text."""
        return sealed_text(self.purpose, self.number, self.digest, self.time)


class Sealer(Protocol):
    """The holder of the signing key, which the store never has."""

    def sign(self, text: bytes) -> tuple[str, bytes]:
        """Returns the id of the key, and the signature. Raises its own error if there is no usable key."""

    def verify(self, key: str, text: bytes, signature: bytes) -> bool | None:
        """Returns whether a signature is right, or None if the key is not known."""


def sealed_text(purpose: Purpose, number: int, digest: bytes, time: str) -> bytes:
    """Returns the text that a seal signs. It contains the purpose, so a seal is valid for one purpose only."""
    return f"writ audit log\n{purpose}\n{number}\n{digest.hex()}\n{time}\n".encode()


def head(db: Connection) -> tuple[int, bytes] | None:
    """Returns the number and hash of the newest entry, or None if there is no entry."""
    row = db.execute("SELECT number, digest FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    return None if row is None else (int(row[0]), row[1])


def all_seals(db: Connection) -> list[Seal]:
    """Returns all seals, by number."""
    return [_seal(row) for row in db.execute(f"SELECT {_COLUMNS} FROM audit_seals ORDER BY number, purpose")]


def newest_seal(db: Connection, purpose: Purpose) -> Seal | None:
    """Returns the seal of a purpose with the highest number, or None."""
    query = f"SELECT {_COLUMNS} FROM audit_seals WHERE purpose = ? ORDER BY number DESC LIMIT 1"
    row = db.execute(query, (str(purpose),)).fetchone()
    return None if row is None else _seal(row)


def add_seal(db: Connection, purpose: Purpose, number: int, digest: bytes, time: str, sealer: Sealer) -> Seal:
    """Sign an entry. Raises what `Sealer.sign` raises."""
    key, signature = sealer.sign(sealed_text(purpose, number, digest, time))
    seal = Seal(purpose, number, digest, time, key, signature)
    db.execute(
        "INSERT INTO audit_seals VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (purpose, number, digest, time, key, signature),
    )
    return seal


def _seal(row: tuple[str, int, bytes, str, str, bytes]) -> Seal:
    purpose, number, digest, time, key, signature = row
    return Seal(Purpose(purpose), number, digest, time, key, signature)
