"""Seals: signatures of the head of the log, and of where it begins once its oldest entries were removed."""

from enum import StrEnum
from typing import Protocol

import msgspec
from sqlite_utils import Database

_COLUMNS = "purpose, number, digest, time, key, signature"


class Purpose(StrEnum):
    """What a seal says: that the log up to here was so, or that it begins behind here."""

    HEAD = "head"
    CHECKPOINT = "checkpoint"


class Seal(msgspec.Struct, frozen=True):
    """A signature, by the key of the id `key`, of an entry's number and hash. `time` is RFC 3339."""

    purpose: Purpose
    number: int
    digest: bytes
    time: str
    key: str
    signature: bytes

    @property
    def text(self) -> bytes:
        """What is signed."""
        return sealed_text(self.purpose, self.number, self.digest, self.time)


class Sealer(Protocol):
    """Has the key that signs; the store has not."""

    def sign(self, text: bytes) -> tuple[str, bytes]:
        """The id of the key, and the signature. Raises whatever tells that there is no usable key."""

    def verify(self, key: str, text: bytes, signature: bytes) -> bool | None:
        """Whether a signature is right; None where that key is not known."""


def sealed_text(purpose: Purpose, number: int, digest: bytes, time: str) -> bytes:
    """The text that a seal signs: one that was made for one purpose is good for no other."""
    return f"writ audit log\n{purpose}\n{number}\n{digest.hex()}\n{time}\n".encode()


def head(db: Database) -> tuple[int, bytes] | None:
    """The number and the hash of the newest entry, None where there is none."""
    row = db.execute("SELECT number, digest FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    return None if row is None else (int(row[0]), row[1])


def all_seals(db: Database) -> list[Seal]:
    """All seals, by number."""
    return [_seal(row) for row in db.execute(f"SELECT {_COLUMNS} FROM audit_seals ORDER BY number, purpose")]


def add_seal(db: Database, purpose: Purpose, number: int, digest: bytes, time: str, sealer: Sealer) -> Seal:
    """Sign an entry. Raises what `Sealer.sign` raises."""
    key, signature = sealer.sign(sealed_text(purpose, number, digest, time))
    seal = Seal(purpose, number, digest, time, key, signature)
    db.execute(
        "INSERT OR IGNORE INTO audit_seals VALUES (?, ?, ?, ?, ?, ?)", (purpose, number, digest, time, key, signature)
    )
    return seal


def _seal(row: tuple[str, int, bytes, str, str, bytes]) -> Seal:
    purpose, number, digest, time, key, signature = row
    return Seal(Purpose(purpose), number, digest, time, key, signature)
