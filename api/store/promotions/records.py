"""The rows of promotions: done, rejected, or waiting for an approval with what was shown."""

import zlib
from typing import Final

import msgspec

from ..database.connection import Connection
from ..environments import Environment
from ..errors import BadQuery, Conflict, NotFound
from ..pages import cursor_after, read_cursor, refuse_limit
from .policy_model import PolicyModel, unpacked
from .promotion import MAX_SHOWN_BYTES, Promotion, read_promotion

MAX_PENDING: Final = 100
"""The promotions that may wait for an approval in one environment."""

NOT_COMPARED: Final = b"null"
"""JSON of who gains and who loses, if nothing was compared."""

_LIST = "promotions"
_MOST_DIGITS = 18


def add_record(
    db: Connection,
    target: Environment,
    promotion: Promotion,
    content: bytes | None = None,
    people: bytes = NOT_COMPARED,
) -> None:
    """Add a promotion. `content` is what one that waits brings, and `people` who gains and who loses, in JSON.

    Raises Conflict if too many wait.
    """
    if content is not None:
        waiting = number_waiting(db, target)
        if waiting >= MAX_PENDING:
            raise Conflict(f"{waiting} promotions of `{target.id}` wait for an approval already; reject some first")
    packed = None if content is None else zlib.compress(content, 1)
    db.execute(
        "INSERT INTO promotions (environment, id, pending, body, content, people) VALUES (?, ?, ?, ?, ?, ?)",
        (target.number, promotion.id, content is not None, _text(promotion), packed, zlib.compress(people, 1)),
    )


def number_waiting(db: Connection, target: Environment) -> int:
    """Returns how many promotions wait for an approval."""
    query = "SELECT count(*) FROM promotions WHERE environment = ? AND pending = 1"
    (waiting,) = db.execute(query, (target.number,)).fetchone()
    return int(waiting)


def end_waiting(db: Connection, promotion: Promotion, people: bytes | None = None) -> None:
    """Store the decision on a promotion that waited. Its content is kept no longer. Without `people`, those stay."""
    query = "UPDATE promotions SET pending = 0, body = ?, content = NULL, people = coalesce(?, people) WHERE id = ?"
    db.execute(query, (_text(promotion), None if people is None else zlib.compress(people, 1), promotion.id))


def stored_people(db: Connection, promotion: Promotion) -> bytes:
    """Returns who gains and who loses by a promotion, in JSON."""
    (packed,) = db.execute("SELECT people FROM promotions WHERE id = ?", (promotion.id,)).fetchone()
    return zlib.decompress(packed)


def record_of(db: Connection, target: Environment, id: str) -> Promotion:
    """Returns the promotion of that id. Raises NotFound."""
    query = "SELECT body FROM promotions WHERE environment = ? AND id = ?"
    row = db.execute(query, (target.number, id)).fetchone() if id.isascii() else None
    if row is None:
        raise NotFound(f"there is no promotion of that id in `{target.id}`")
    return read_promotion(row[0])


def waiting_model(db: Connection, promotion: Promotion) -> PolicyModel:
    """Returns the policy model of a promotion that waits. Raises Conflict for one that waits no more."""
    return unpacked(waiting_content(db, promotion))


def waiting_content(db: Connection, promotion: Promotion) -> bytes:
    """Returns what a promotion that waits brings, in JSON. Raises Conflict for one that waits no more."""
    (packed,) = db.execute("SELECT content FROM promotions WHERE id = ?", (promotion.id,)).fetchone()
    if packed is None:
        raise Conflict(f"the promotion is {promotion.status} already")
    return zlib.decompress(packed)


def records(
    db: Connection, target: Environment, limit: int, cursor: str | None, pending: bool = False
) -> tuple[list[Promotion], str | None]:
    """Returns promotions, newest first, and the cursor of the next page, or None at the end. Raises BadQuery.

    With `pending`, only those that wait for an approval. A page has at most `limit` of them, and no more than fit into
    MAX_SHOWN_BYTES, but one at least: the drift that one accepted may be as large as that.
    """
    refuse_limit(limit)
    wanted = f"environment = ? AND number < ?{' AND pending = 1' if pending else ''}"
    query = f"SELECT number, body FROM promotions WHERE {wanted} ORDER BY number DESC LIMIT ?"
    found: list[Promotion] = []
    size, last = 0, 0
    for number, body in db.execute(query, (target.number, _before(cursor), limit + 1)):
        size += len(body)
        if len(found) == limit or (found and size > MAX_SHOWN_BYTES):
            return found, cursor_after(_LIST, (str(last),))
        found.append(read_promotion(body))
        last = number
    return found, None


def _before(cursor: str | None) -> int:
    if cursor is None:
        return 2**63 - 1
    (number,) = read_cursor(_LIST, cursor, 1)
    if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
        raise BadQuery("the cursor is not of this list; begin without one")
    return int(number)


def _text(promotion: Promotion) -> str:
    return msgspec.json.encode(promotion).decode()
