"""Rows of clients and API keys: who may see them, and the environments that they are bound to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from ...bundles.conditions.instants import show_seconds
from ...bundles.wording import quoted
from .actor import API_KEY_PREFIX, CLIENT_PREFIX
from .database.connection import Connection
from .environment_ids import Bounds
from .environments import environment_by_id
from .errors import BodyFault, NotFound, OutOfBounds, Rejected
from .pages import cursor_after, read_cursor, refuse_limit


@dataclass(frozen=True, slots=True)
class OldSecret:
    """A secret that a rotation replaced, by its SHA-256. It ends at `ends`, in epoch seconds.

    `last_used` is the minute of its last use in RFC 3339, or None.
    """

    secret: bytes
    ends: int
    last_used: str | None = None


@dataclass(frozen=True, slots=True)
class Client:
    """An OAuth client (contract 2.8).

    `bounds` are its environments' UUIDs, `environments` the ids of those that exist.

    `secret` is the SHA-256 of its secret. `created`, `revoked` and `last_used` are RFC 3339. `revoked` is None while
    the client may request tokens. `last_used` is the minute of its last use that the service has stored, or None.
    `token_lifetime` is in seconds. `secret_used` is the last use of the present secret, and `old_secrets` are those
    before it that still work or ended lately, by their ends.
    """

    id: str
    name: str
    description: str | None
    scopes: tuple[str, ...]
    token_lifetime: int
    created: str
    revoked: str | None
    secret: bytes
    bounds: Bounds
    environments: tuple[str, ...] | None
    last_used: str | None = None
    secret_used: str | None = None
    old_secrets: tuple[OldSecret, ...] = ()


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key, without its secret. `expires_at` is RFC 3339, or None if it does not expire.

    The rest is as in `Client`.
    """

    id: str
    name: str
    scopes: tuple[str, ...]
    created: str
    expires_at: str | None
    bounds: Bounds
    environments: tuple[str, ...] | None
    last_used: str | None = None
    secret_used: str | None = None
    old_secrets: tuple[OldSecret, ...] = ()


class RowChoice(NamedTuple):
    """A choice of rows `t` by an SQL condition, with the values of its named parameters. The default is all rows."""

    condition: str = "1 = 1"
    values: Mapping[str, object] = MappingProxyType({})


EVERY_ROW: Final = RowChoice()

BOUND = (
    "environments, (SELECT json_group_array(id) FROM"
    " (SELECT e.id AS id FROM environments e JOIN json_each(t.environments) j ON e.uuid = j.value ORDER BY e.id)"
    " AS bound)"
)
"""The columns with the environments of a credential, of the row `t`, as `read_bounds` reads them."""

_USED = "(SELECT used FROM credential_uses WHERE credential = '{}' || t.id)"
_PRESENT_USED = "(SELECT used FROM secret_uses u WHERE u.secret = t.secret)"
_CLIENT = (
    "id, name, description, scopes, token_lifetime, created, revoked, secret,"
    f" {_USED.format(CLIENT_PREFIX)}, {_PRESENT_USED}, {BOUND}"
)
_API_KEY = f"id, name, scopes, created, expires_at, {_USED.format(API_KEY_PREFIX)}, {_PRESENT_USED}, {BOUND}"
_OLD = (
    "SELECT o.credential, o.secret, o.ends, u.used FROM old_secrets o LEFT JOIN secret_uses u ON u.secret = o.secret"
    " WHERE o.credential IN (SELECT value FROM json_each(?)) ORDER BY o.ends, o.secret"
)
_WITHIN = (
    "(CAST(:within AS TEXT) IS NULL OR (json_array_length(environments) > 0 AND NOT EXISTS"
    " (SELECT 1 FROM json_each(t.environments) WHERE value NOT IN (SELECT value FROM json_each(:within)))))"
)
"""True if a credential stays within the bounds `:within`. If not, a caller with these bounds can't manage it.

A credential without any environment is within no bounds, although the empty set is a subset of every set.
"""


def client_row(db: Connection, id: str, within: Bounds = None) -> Client:
    """Returns the client of that id.

    Raises NotFound; with bounds, OutOfBounds if it is outside them or does not exist.
    """
    (found,) = _clients(db, [one_within(db, "clients", _CLIENT, "client", id, within)])
    return found


def api_key_row(db: Connection, id: str, within: Bounds = None) -> ApiKey:
    """Returns the API key of that id. Raises as `client_row`."""
    (found,) = _api_keys(db, [one_within(db, "api_keys", _API_KEY, "API key", id, within)])
    return found


def api_key_with(db: Connection, secret: bytes) -> tuple[ApiKey, int | None] | None:
    """Returns the API key of which a secret has that SHA-256, and the end of an old secret, in epoch seconds.

    Returns None if there is no such key.
    """
    rows = db.execute(f"SELECT {_API_KEY} FROM api_keys t WHERE secret = ?", (secret,)).fetchall()
    if rows:
        return _api_keys(db, rows)[0], None
    old = db.execute("SELECT credential, ends FROM old_secrets WHERE secret = ?", (secret,)).fetchone()
    if old is None or not old[0].startswith(API_KEY_PREFIX):
        return None
    return api_key_row(db, old[0].removeprefix(API_KEY_PREFIX)), old[1]


def client_rows(
    db: Connection, within: Bounds, limit: int, cursor: str | None, chosen: RowChoice = EVERY_ROW
) -> tuple[list[Client], str | None]:
    """Returns clients within the bounds, by id, and the cursor of the next page, or None at the end.

    Raises BadQuery.
    """
    rows, behind = page_within(db, "clients", _CLIENT, within, limit, cursor, chosen)
    return _clients(db, rows), behind


def api_key_rows(
    db: Connection, within: Bounds, limit: int, cursor: str | None, chosen: RowChoice = EVERY_ROW
) -> tuple[list[ApiKey], str | None]:
    """Returns API keys within the bounds, as `client_rows`."""
    rows, behind = page_within(db, "api_keys", _API_KEY, within, limit, cursor, chosen)
    return _api_keys(db, rows), behind


def bound_to(
    db: Connection, environments: Sequence[str] | UnsetType | None, within: Bounds, before: Bounds = None
) -> str | None:
    """Returns the column that binds a credential to environments, given by id. `within` are the bounds of its maker.

    UNSET keeps the bounds `before`, with the environments that were deleted since. Raises OutOfBounds if the maker may
    not give these bounds, Rejected for an unknown environment.
    """
    if environments is UNSET and before is not None and (within is None or before <= within):
        return _json(before)
    if environments is None or environments is UNSET:
        if within is not None:
            raise OutOfBounds("your credential is bound to environments, so give `environments` within them")
        return None
    uuids = set()
    for place, id in enumerate(environments):
        uuid = uuid_of(db, id)
        if within is not None and uuid not in within:
            raise OutOfBounds(f"your credential is bound to environments, and {quoted(id)} is none of them")
        if uuid is None:
            message = f"there is no environment {quoted(id)}"
            raise Rejected((BodyFault("unknown-environment", f"$.environments[{place}]", message),))
        uuids.add(uuid)
    return msgspec.json.encode(sorted(uuids)).decode()


def uuid_of(db: Connection, environment: str) -> str | None:
    """Returns the UUID of an environment, or None if there is none of that id."""
    try:
        return environment_by_id(db, environment).uuid
    except NotFound:
        return None


def one_within(db: Connection, table: str, columns: str, noun: str, id: str, within: Bounds) -> tuple[Any, ...]:
    """Returns the row of a table with that id, within the bounds. `noun` is its name in messages.

    Raises NotFound; with bounds, OutOfBounds.
    """
    # SQLite takes no lone surrogates.
    query = f"SELECT {columns} FROM {table} t WHERE {_WITHIN} AND id = :id"
    row: tuple[Any, ...] | None = (
        db.execute(query, {"within": _json(within), "id": id}).fetchone() if id.isascii() else None
    )
    if row is None and within is not None:
        raise OutOfBounds(
            f"your credential is bound to environments, and no {noun} {quoted(id)} is bound to these alone"
        )
    if row is None:
        raise NotFound(f"there is no {noun} {quoted(id)}")
    return row


def page_within(
    db: Connection,
    table: str,
    columns: str,
    within: Bounds,
    limit: int,
    cursor: str | None,
    chosen: RowChoice = EVERY_ROW,
) -> tuple[list[tuple[Any, ...]], str | None]:
    """Returns rows of a table within the bounds, by id, and the cursor of the next page or None. Raises BadQuery."""
    refuse_limit(limit)
    (after,) = ("",) if cursor is None else read_cursor(table, cursor, 1)
    query = f"""SELECT {columns} FROM {table} t WHERE {_WITHIN} AND ({chosen.condition}) AND id > :after
        ORDER BY id LIMIT :limit"""
    asked = {"within": _json(within), "after": after, "limit": limit + 1}
    rows = db.execute(query, {**asked, **chosen.values}).fetchall()
    return rows[:limit], cursor_after(table, (rows[limit - 1][0],)) if len(rows) > limit else None


def number_within(db: Connection, table: str, within: Bounds, chosen: RowChoice, most: int) -> int:
    """Returns how many rows of a choice a table has within the bounds, up to `most`."""
    rows = f"SELECT 1 AS found FROM {table} t WHERE {_WITHIN} AND ({chosen.condition}) LIMIT :most"
    asked = {"within": _json(within), "most": most}
    (number,) = db.execute(f"SELECT count(*) FROM ({rows}) AS rows", {**asked, **chosen.values}).fetchone()
    return int(number)


def _json(bounds: Bounds) -> str | None:
    return None if bounds is None else msgspec.json.encode(sorted(bounds)).decode()


def read_bounds(uuids: str | None, ids: str) -> tuple[Bounds, tuple[str, ...] | None]:
    """Returns what the columns `BOUND` have: the bounds, and the ids of the environments that exist, or None twice."""
    if uuids is None:
        return None, None
    return frozenset(msgspec.json.decode(uuids, type=list[str])), tuple(msgspec.json.decode(ids, type=list[str]))


def _clients(db: Connection, rows: Sequence[tuple[Any, ...]]) -> list[Client]:
    old = _old_secrets(db, CLIENT_PREFIX, rows)
    return [_client(row, old.get(row[0], ())) for row in rows]


def _api_keys(db: Connection, rows: Sequence[tuple[Any, ...]]) -> list[ApiKey]:
    old = _old_secrets(db, API_KEY_PREFIX, rows)
    return [_api_key(row, old.get(row[0], ())) for row in rows]


def _old_secrets(db: Connection, prefix: str, rows: Sequence[tuple[Any, ...]]) -> dict[str, tuple[OldSecret, ...]]:
    """Returns the old secrets of the credentials in the rows, by the ids of these."""
    names = msgspec.json.encode([f"{prefix}{row[0]}" for row in rows]).decode()
    found: dict[str, tuple[OldSecret, ...]] = {}
    for name, secret, ends, used in db.execute(_OLD, (names,)):
        id = name.removeprefix(prefix)
        found[id] = (*found.get(id, ()), OldSecret(bytes(secret), ends, _shown_use(used)))
    return found


def _client(row: tuple[Any, ...], old: tuple[OldSecret, ...]) -> Client:
    id, name, description, scopes, lifetime, created, revoked, secret, used, now_used, uuids, ids = row
    bounds, uses = read_bounds(uuids, ids), (_shown_use(used), _shown_use(now_used))
    return Client(id, name, description, tuple(scopes.split()), lifetime, created, revoked, secret, *bounds, *uses, old)


def _api_key(row: tuple[Any, ...], old: tuple[OldSecret, ...]) -> ApiKey:
    id, name, scopes, created, expires_at, used, now_used, uuids, ids = row
    bounds, uses = read_bounds(uuids, ids), (_shown_use(used), _shown_use(now_used))
    return ApiKey(id, name, tuple(scopes.split()), created, expires_at, *bounds, *uses, old)


def _shown_use(used: int | None) -> str | None:
    return None if used is None else show_seconds(used)
