"""The condition that a row has a direct grant in force, in the SQL of each database (F8, P4, P7)."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.visitors import InternalTraversal

from ..queries.refusal import QueryRefused
from ..runtime.translate import DirectGrants
from ..runtime.translate.sqlalchemy import VALUE

_BYTEWISE = ("mysql", "mariadb")
"""The dialects whose collations take different texts for equal."""

_AT_ONCE = ("postgresql", "sqlite")
"""The dialects whose condition reads the grants of the subject once, whatever row it is asked about.

PERF: PostgreSQL takes a subquery about each row for so expensive that it reads the whole table, and compiles the query
first. MySQL would read all grants of the subject for each row.
"""


# They are no values with names: the parameters of an execution set each value whose name they know.
_EVERY: Any = sa.literal_column("'*'", sa.String())
_INTEGER: Any = sa.literal_column("'integer'", sa.String())
_DIGITS: Any = sa.literal_column("'0123456789'", sa.String())
_WRITTEN: Any = sa.literal_column("'^-?[123456789][0123456789]{0,18}$'", sa.String())
_ZERO, _ONE, _MOST_DIGITS, _CODE_OF_ZERO = (sa.literal_column(one, sa.Integer()) for one in ("0", "1", "18", "48"))
_BOUNDS: Any = tuple(sa.literal_column(str(one)) for one in (-(2**63), 2**63 - 1))


class Held(sa.ColumnElement[bool]):
    """The condition that the row with an id has a grant in force. It is never NULL.

    PERF: its subquery is made when a statement is compiled. So SQLAlchemy visits a few values for its caches.
    """

    __visit_name__ = "writ_held"
    _traverse_internals = [  # noqa: RUF012  # its name
        ("grant", InternalTraversal.dp_clauseelement),
        ("id", InternalTraversal.dp_clauseelement),
        ("values", InternalTraversal.dp_clauseelement_tuple),
    ]
    type = sa.Boolean()

    def __init__(self, grant: Any, id: Any, node: DirectGrants, now: float):
        """`grant` is an alias of the table of grants. `id` is a column of texts, of integers or of UUIDs."""
        self.grant, self.id, self.values = grant, id, _values(node, now)

    @property
    def _from_objects(self) -> list[Any]:
        return [*self.id._from_objects]

    @property
    def subject(self) -> Any:
        """The id of the subject, as it was given."""
        return self.values[3].value

    def for_node(self, node: DirectGrants, now: float) -> "Held":
        """Returns the condition for another subject, another action or another instant."""
        return Held(self.grant, self.id, node, now)

    def condition(self, dialect: str) -> Any:
        """Returns the condition for a dialect."""
        grant, (resource_type, action, subject_type, subject, now, *groups) = self.grant, self.values
        holder = _exact(grant.c.subject_type, subject_type, dialect) & _exact(grant.c.subject_id, subject, dialect)
        if groups:
            texts, encoded = groups
            of_group = grant.c.group_id.in_(texts)
            if dialect in _BYTEWISE:
                of_group &= _bytes(grant.c.group_id, dialect).in_(encoded)
            holder |= of_group
        in_force = (
            _exact(grant.c.resource_type, resource_type, dialect),
            _one_of(grant.c.action, (action, _EVERY), dialect),
            holder,
            grant.c.starts_at.is_(None) | (grant.c.starts_at <= now),
            grant.c.expires_at.is_(None) | (grant.c.expires_at > now),
        )
        type = _held_type(self.id, dialect)
        if isinstance(type, sa.Integer) and dialect in _AT_ONCE:
            return _among_integers(grant.c.resource_id, self.id, in_force, dialect)
        return _among_texts(grant.c.resource_id, _text_of(self.id, type, dialect), in_force, dialect)


@compiles(Held)
def _rendered(element: Held, compiler: SQLCompiler, **options: Any) -> str:
    name = compiler.dialect.name
    return compiler.process(element.condition("postgresql" if name == "default" else name), **options)


def check_id(id: Any, dialect: str) -> None:
    """Raises QueryRefused if a column holds no ids as the grants have them: as texts, integers or UUIDs."""
    type = _held_type(id, dialect)
    is_kept = isinstance(type, sa.Uuid) and not (type.native_uuid and dialect == "mariadb")
    is_text = isinstance(type, sa.String) and not isinstance(type, sa.Enum)
    if not (is_kept or is_text or isinstance(type, sa.Integer)):
        remedy = "keep the id in a column of texts, integers or UUIDs, or map `id` in `fields` to one"
        raise QueryRefused(f"grants name their resources by texts, and the id has the type `{type!r}`", remedy)


def _values(node: DirectGrants, now: float) -> tuple[Any, ...]:
    texts = (node.resource_type, node.action, *node.subject)
    found = [*map(_literal, texts), sa.bindparam(VALUE, now, sa.Double(), unique=True)]
    if node.groups:
        encoded = [one.encode(errors="surrogatepass") for one in node.groups]
        found += [_several([*node.groups], sa.String()), _several(encoded, sa.LargeBinary())]
    return tuple(found)


def _literal(text: str) -> Any:
    return sa.bindparam(VALUE, text, sa.String(), unique=True)


def _several(values: Sequence[Any], type: Any) -> Any:
    return sa.bindparam(VALUE, values, type, unique=True, expanding=True)


def _text_of(id: Any, type: Any, dialect: str) -> Any:
    """Returns the id as the text that a grant has."""
    if isinstance(type, sa.Integer):
        return sa.cast(id, sa.String())
    if isinstance(type, sa.Uuid):
        return sa.cast(id, sa.String()) if dialect == "postgresql" else _with_hyphens(id)
    return id


def _among_integers(granted: Any, id: Any, in_force: tuple[Any, ...], dialect: str) -> Any:
    """Returns that an integer is among the ids of the grants. Only the text that an integer is written as counts."""
    number: Any = sa.cast(granted, sa.BigInteger())
    if dialect == "sqlite":
        same = _bytes(sa.cast(number, sa.String()), dialect) == _bytes(granted, dialect)
        return (sa.func.typeof(id) == _INTEGER) & id.in_(sa.select(number).where(same, *in_force))
    number = _integer(granted, number)
    return id.is_not(None) & id.in_(sa.select(number).where(number.is_not(None), *in_force))


def _integer(granted: Any, number: Any) -> Any:
    """Returns the integer that a text of PostgreSQL says, or NULL.

    A CASE keeps another text from the cast, which would fail.

    PERF: patterns and decimals take ten times as long. So they are for long and negative numbers alone.
    """
    length = sa.func.length(granted)
    has_digits_alone = sa.func.length(sa.func.ltrim(granted, _DIGITS)) == _ZERO
    begins_well = (sa.func.ascii(granted) != _CODE_OF_ZERO) | (length == _ONE)
    is_short = length.between(_ONE, _MOST_DIGITS)
    exact = sa.cast(granted, sa.Numeric()).between(*_BOUNDS)
    of_other = sa.case((exact, number))
    return sa.case((is_short & has_digits_alone & begins_well, number), (granted.regexp_match(_WRITTEN), of_other))


def _among_texts(granted: Any, text: Any, in_force: tuple[Any, ...], dialect: str) -> Any:
    """Returns that a text is among the ids of the grants. PostgreSQL compares by the column, for its index, and by
    code points.
    """
    if dialect != "postgresql":
        return _exists(granted, text, in_force, dialect)
    ids = sa.select(granted, _bytes(granted, dialect)).where(*in_force)
    return text.is_not(None) & sa.tuple_(text, _bytes(text, dialect)).in_(ids)


def _exists(granted: Any, text: Any, in_force: tuple[Any, ...], dialect: str) -> Any:
    """Returns that a grant is on a text. The first comparison lets an index serve, and the second one decides."""
    return sa.exists().where(granted == text, _bytes(granted, dialect) == _bytes(text, dialect), *in_force)


def _held_type(id: Any, dialect: str) -> Any:
    return id.type._variant_mapping.get(dialect, id.type)


def _with_hyphens(id: Any) -> Any:
    """Returns the text of a UUID that is stored as 32 hexadecimal digits."""
    digits = sa.type_coerce(id, sa.String())
    parts = [sa.func.substr(digits, start, size) for start, size in ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))]
    text: Any = parts[0]
    for part in parts[1:]:
        text = text.concat("-").concat(part)
    return text


def _exact(column: Any, value: Any, dialect: str) -> Any:
    equal = column == value
    return equal & (_bytes(column, dialect) == _bytes(value, dialect)) if dialect in _BYTEWISE else equal


def _one_of(column: Any, values: Sequence[Any], dialect: str) -> Any:
    if dialect in _BYTEWISE:
        return column.in_(values) & _bytes(column, dialect).in_([_bytes(value, dialect) for value in values])
    return column.in_(values)


def _bytes(text: Any, dialect: str) -> Any:
    """Returns a text that is compared by its code points, whatever the collation of its column."""
    if dialect == "postgresql":
        return sa.collate(sa.cast(text, sa.String()), "C")
    if dialect in _BYTEWISE:
        return sa.cast(sa.func.convert(text.op("USING")(sa.literal_column("utf8mb4"))), sa.LargeBinary())
    return sa.collate(text, "BINARY")
