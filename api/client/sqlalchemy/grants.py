"""The table of direct grants in the application's own database, and the condition that a row has one (F8, P4, P7)."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from ..queries.refusal import QueryRefused
from ..runtime.translate import DirectGrants

ID_LENGTH = 512
"""The longest id, in characters (E1)."""

_BYTEWISE = ("mysql", "mariadb")
"""The dialects whose collations take different texts for equal."""

_PREFIXES = {
    "resource_type": 96,
    "resource_id": 191,
    "action": 64,
    "subject_type": 64,
    "subject_id": 191,
    "group_id": 96,
}
"""The characters of each column that an index of MySQL holds: a key has at most 3,072 bytes."""


def grants_table(metadata: sa.MetaData, name: str = "writ_grants", schema: str | None = None) -> sa.Table:
    """Returns a table for the direct grants: a row for each action of each grant, to a subject or to a group.

    `resource_type` is the type's id. `starts_at` and `expires_at` are epoch seconds, or NULL. `revision` is the token
    of the revision that the row came with.
    """

    def text(column: str, *, null: bool = False) -> sa.Column[str]:
        bytewise = mysql.VARCHAR(ID_LENGTH, collation="utf8mb4_bin")
        return sa.Column(column, sa.String(ID_LENGTH).with_variant(bytewise, "mysql", "mariadb"), nullable=null)

    columns = [text("id"), *(text(one, null=True) for one in ("subject_type", "subject_id", "group_id"))]
    columns += [text(one) for one in ("resource_type", "resource_id", "action")]
    times: list[sa.Column[Any]] = [sa.Column(one, sa.Double(), nullable=True) for one in ("starts_at", "expires_at")]
    table = sa.Table(name, metadata, *columns, *times, text("revision", null=True), schema=schema)
    of_resource = ("resource_type", "resource_id", "action", "subject_id")
    of_subject = ("subject_id", "resource_type", "action", "resource_id")
    of_group = ("group_id", "resource_type", "action", "resource_id")
    for kind, indexed in (("resource", of_resource), ("subject", of_subject), ("group", of_group)):
        lengths = {one: _PREFIXES[one] for one in indexed}
        of_column = [table.c[one] for one in indexed]
        sa.Index(f"{name}_{kind}", *of_column, mysql_length=lengths, mariadb_length=lengths)
    return table


def held(node: DirectGrants, id: Any, mirror: Any, now: float, dialect: str) -> Any:
    """Returns the condition that the row with this id has a grant in force. It is never NULL.

    `id` is a column of texts, of integers or of UUIDs. Raises QueryRefused for another one.
    """
    grant, (type, subject) = mirror.alias(), node.subject
    holder = _exact(grant.c.subject_type, type, dialect) & _exact(grant.c.subject_id, subject, dialect)
    if node.groups:
        holder |= _any_of(grant.c.group_id, node.groups, dialect)
    return sa.exists().where(
        *_same_id(grant.c.resource_id, id, dialect),
        _exact(grant.c.resource_type, node.resource_type, dialect),
        _any_of(grant.c.action, (node.action, "*"), dialect),
        holder,
        grant.c.starts_at.is_(None) | (grant.c.starts_at <= now),
        grant.c.expires_at.is_(None) | (grant.c.expires_at > now),
    )


def _same_id(granted: Any, id: Any, dialect: str) -> list[Any]:
    """Returns that a grant is on the row. The first comparison lets an index serve, and the last one decides."""
    type = _held_type(id, dialect)
    match type:
        case sa.Integer():
            return [*_as_integer(granted, id, dialect), *_same_text(granted, sa.cast(id, sa.String()), dialect)]
        case sa.Uuid(native_uuid=True) if dialect == "mariadb":
            pass
        case sa.Uuid():
            text = sa.cast(id, sa.String()) if dialect == "postgresql" else _with_hyphens(id)
            return _same_text(granted, text, dialect)
        case sa.Enum():
            pass
        case sa.String():
            return _same_text(granted, id, dialect)
    remedy = "keep the id in a column of texts, integers or UUIDs, or map `id` in `fields` to one"
    raise QueryRefused(f"grants name their resources by texts, and the id has the type `{type!r}`", remedy)


def _held_type(id: Any, dialect: str) -> Any:
    return id.type._variant_mapping.get(dialect, id.type)


def _as_integer(granted: Any, id: Any, dialect: str) -> list[Any]:
    """Returns the comparison of integers, by which PostgreSQL gets from a few grants to their rows.

    A text that is no integer of 64 bits is NULL. A CASE keeps it from the cast, which would fail.
    """
    if dialect != "postgresql":
        return []
    exact, number = sa.cast(granted, sa.Numeric()), sa.cast(granted, sa.BigInteger())
    fitting = sa.case((exact.between(-(2**63), 2**63 - 1), number))
    return [sa.case((granted.regexp_match("^(0|-?[1-9][0-9]{0,18})$"), fitting)) == id]


def _with_hyphens(id: Any) -> Any:
    """Returns the text of a UUID that is stored as 32 hexadecimal digits."""
    digits = sa.type_coerce(id, sa.String())
    parts = [sa.func.substr(digits, start, size) for start, size in ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))]
    text: Any = parts[0]
    for part in parts[1:]:
        text = text.concat("-").concat(part)
    return text


def _same_text(granted: Any, text: Any, dialect: str) -> list[Any]:
    return [granted == text, _bytes(granted, dialect) == _bytes(text, dialect)]


def _exact(column: Any, value: str, dialect: str) -> Any:
    found = (column == value) & (_bytes(column, dialect) == _bytes(sa.literal(value, sa.String()), dialect))
    return found if dialect in _BYTEWISE else column == value


def _any_of(column: Any, values: tuple[str, ...], dialect: str) -> Any:
    if dialect in _BYTEWISE:
        return sa.or_(*(_exact(column, value, dialect) for value in values))
    return column.in_(values)


def _bytes(text: Any, dialect: str) -> Any:
    """Returns a text that is compared by its code points, whatever the collation of its column."""
    if dialect == "postgresql":
        return sa.collate(sa.cast(text, sa.String()), "C")
    if dialect in _BYTEWISE:
        return sa.cast(sa.func.convert(text.op("USING")(sa.literal_column("utf8mb4"))), sa.LargeBinary())
    return sa.collate(text, "BINARY")
