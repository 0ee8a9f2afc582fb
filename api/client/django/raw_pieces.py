"""The raw pieces of SQL in a query of Django: texts, templates, and expressions that write their SQL themselves."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from django.core.exceptions import EmptyResultSet, FieldError, FullResultSet
from django.db.models import Subquery
from django.db.models.expressions import BaseExpression, Col, Combinable, RawSQL
from django.db.models.functions import Cast
from django.db.models.sql import Query
from django.db.models.sql.where import ExtraWhere

from ..queries.raw_sql import VALUE, check_raw, shown
from ..queries.refusal import QueryRefused

_TRUSTED: Final = frozenset({"django", "writ", "builtins"})
"""The packages whose classes write no SQL that they were given as a text, but as their attributes below say."""

_TEMPLATES: Final = ("template", "function", "arg_joiner", "case_joiner")
_NAME: Final = re.compile(r"[A-Za-z_][\w.]*")
_WRITES: Final = ("as_", "process_lhs", "process_rhs", "get_rhs_op", "batch_process_rhs", "get_prep_lhs")
_OF_FIELDS: Final = ("select_format", "get_placeholder", "db_type", "cast_db_type", "db_parameters")
"""The attributes that write SQL in the class of a field. All but the first two count in a cast alone."""

_VALUES: Final = re.compile(r"%%|%(?:\([^)]*\))?.?", re.DOTALL)
_VALUES_OF_SQLITE: Final = re.compile(r"%%|%s")

_CONNECTORS: Final = frozenset(
    value for name, value in vars(Combinable).items() if name.isupper() and isinstance(value, str)
)


def raw_in(parts: Iterable[Any]) -> Iterator[Any]:
    """Yields the raw pieces in expressions and queries, at any depth. Authorized queries confine their own."""
    for part in parts:
        if isinstance(part, str) or is_raw(part):
            yield part
        yield from raw_in(below(part))


def is_raw(part: Any) -> bool:
    """Returns whether an expression has SQL as a text, or a class that is not Django's writes it."""
    if isinstance(part, RawSQL | ExtraWhere):
        return True
    if any(_writes(one) for one in type(part).__mro__ if not _is_trusted(one)):
        return True
    if _has_field_with_sql(part):
        return True
    if getattr(part, "connector", None) not in (None, "AND", "OR", "XOR", *_CONNECTORS):
        return True
    given = getattr(part, "extra", None)
    return _has_own_template(part, given if isinstance(given, dict) and not isinstance(part, Query) else {})


def check_pieces(pieces: Iterable[Any], compiler: Any, dialect: str) -> None:
    """Raises QueryRefused for a raw piece that may end elsewhere than brackets around it, or that misplaces values."""
    for piece in pieces:
        texts, count = _texts_of(piece, compiler)
        marked = [marked_values(text, dialect) for text in texts]
        for text in marked:
            check_raw(text, dialect)
        if sum(text.count(VALUE) for text in marked) != count:
            reason = f"the SQL text {shown(' '.join(marked))} has another number of values than are given for it"
            raise QueryRefused(reason, "give one value for each `%s`")


def marked_values(sql: str, dialect: str) -> str:
    """Returns SQL with `VALUE` for each value that Django's driver puts in, in strings too."""
    pattern = _VALUES_OF_SQLITE if dialect == "sqlite" else _VALUES
    return pattern.sub(lambda found: found.group() if found.group() == "%%" else VALUE, sql)


def _texts_of(piece: Any, compiler: Any) -> tuple[list[str], int]:
    """Returns the texts of a raw piece, and how many values are given for them."""
    if isinstance(piece, ExtraWhere):
        return [*(piece.sqls or ())], len(piece.params or ())
    if isinstance(piece, str):
        return [piece], 0
    if isinstance(piece, RawSQL):
        return [str(piece.sql)], len(piece.params)
    try:
        sql, params = compiler.compile(piece)
    except (EmptyResultSet, FullResultSet):
        return [], 0
    return [str(sql)], len(params)


def below(part: Any) -> Iterator[Any]:
    """Yields the parts of an expression, a condition or a query. An authorized query has none."""
    if isinstance(part, Query):
        if getattr(part.where, "confines", False):
            return
        yield from (part.where, *part.select, *part.annotations.values(), *part.combined_queries)
        yield from (text for text, _ in part.extra.values())
        yield from part.extra_order_by
        yield from (one.resolve_expression(part.clone()) for one in part.order_by if hasattr(one, "resolve_expression"))
    elif isinstance(part, Subquery):
        yield part.query
    elif hasattr(part, "get_source_expressions"):
        yield from (one for one in part.get_source_expressions() if one is not None)
        listed = getattr(part, "rhs", None)  # `In` names no expression of its list as a part
        if isinstance(listed, list | tuple | set | frozenset):
            yield from (one for one in listed if hasattr(one, "resolve_expression"))
    elif hasattr(part, "children"):
        yield from part.children


def _is_trusted(one: type) -> bool:
    return one.__module__.partition(".")[0] in _TRUSTED


def _writes(one: type) -> bool:
    return any(name.startswith(_WRITES) for name in vars(one))


def _has_field_with_sql(part: Any) -> bool:
    """Returns whether an expression has the type of a field that writes SQL itself. A column has its own field's."""
    if isinstance(part, Col) or not isinstance(part, BaseExpression):
        return False
    try:
        kind = type(part._output_field_or_none)
    except FieldError:  # of mixed types: Django refuses to select it
        return False
    names = _OF_FIELDS if isinstance(part, Cast) else _OF_FIELDS[:2]
    return any(name in vars(one) for one in kind.__mro__ if not _is_trusted(one) for name in names)


def _has_own_template(part: Any, given: dict[str, Any]) -> bool:
    for name in _TEMPLATES:
        value = given.get(name, getattr(part, name, None))
        if not (value is None or callable(value) or value in _of_django(part, name)):
            is_name = name == "function" and isinstance(value, str) and _NAME.fullmatch(value)
            if not is_name:
                return True
    template = str(getattr(part, "template", ""))
    others = (str(value) for name, value in given.items() if name not in _TEMPLATES and f"%({name})s" in template)
    return any(_NAME.fullmatch(one) is None for one in others)


def _of_django(part: Any, name: str) -> tuple[Any, ...]:
    """Returns the values that the classes of Django have for an attribute."""
    return tuple(vars(one)[name] for one in type(part).__mro__ if _is_trusted(one) and name in vars(one))
