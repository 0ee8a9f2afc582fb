"""Refuses writes that servers of the older format can't read in a store that they share, until the contraction."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from .....bundles.delta import decode_delta
from ...errors import Conflict
from ..connection import Connection
from ..formats.step import Beside, MemberPath
from ..newest_format import STORE_FORMAT
from ..schema import MIGRATIONS

FINISH: Final = "upgrade them, and then run `writ upgrade --finish`"


def is_shared(db: Connection) -> bool:
    """Returns whether servers of an older format may use the store."""
    return 0 < db.format < STORE_FORMAT


def refuse_unread(db: Connection, list_name: str, body: Any) -> None:
    """Raises Conflict if an element of a list has a member that older servers can't read."""
    for path in _paths(db, list_name):
        if _has(body, path):
            member = ".".join(path)
            raise Conflict(
                f"`{member}` in `{list_name}` can't be stored yet: servers of the store's format {db.format} may read"
                f" it, and they don't know it; {FINISH}"
            )


def refuse_unread_text(db: Connection, list_name: str, text: bytes) -> None:
    """Do the same with the JSON of an element."""
    if reads_less(db, list_name):
        refuse_unread(db, list_name, msgspec.json.decode(text))


def reads_less(db: Connection, list_name: str) -> bool:
    """Returns whether a list may have members that older servers can't read."""
    return is_shared(db) and any(True for _ in _paths(db, list_name))


def readable_delta(db: Connection, delta: bytes | None) -> bytes | None:
    """Returns the delta, or None if older servers can't read it: then each server builds a bundle."""
    if delta is None or not is_shared(db):
        return delta
    needs = frozenset[str]().union(*(beside.needs for beside in _steps(db)))
    return None if needs and not needs.isdisjoint(decode_delta(delta).needs) else delta


def _paths(db: Connection, list_name: str) -> Iterator[MemberPath]:
    for beside in _steps(db) if is_shared(db) else ():
        yield from beside.unread.get(list_name, ())


def _steps(db: Connection) -> Sequence[Beside]:
    return [step.beside for step in MIGRATIONS[db.format :] if step.beside is not None]


def _has(value: Any, path: MemberPath) -> bool:
    """Returns whether a value has a member, which an older server can't read even if it says nothing.

    A list stands for each of its items.
    """
    if isinstance(value, list):
        return any(_has(one, path) for one in value)
    if not path:
        return True
    return isinstance(value, dict) and path[0] in value and _has(value[path[0]], path[1:])
