"""The SQL that comes with the rows of a mapped class: its column properties, and the expressions of options."""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.orm import strategy_options


def expressions_with(mapper: Any, options: Sequence[Any]) -> Iterator[Any]:
    """Yields the expressions that are loaded with the rows of a mapper, in a statement with these options.

    One that is deferred does not count, unless an option asks for it, wherever that option leads.
    """
    computed = [one for one in mapper.column_attrs if not isinstance(one.columns[0], sa.Column)]
    if not (computed or options):
        return
    deferred: dict[Any, bool] = {}
    for option in options:
        for last, strategy, criteria in _elements(option):
            if "query_expression" in strategy and getattr(last, "parent", None) in (mapper, *mapper.iterate_to_root()):
                yield from criteria
            if "deferred" in strategy:
                key = last if isinstance(last, orm.ColumnProperty) else None
                deferred[key] = deferred.get(key, True) and strategy["deferred"]
    for one in computed:
        if not deferred.get(one, deferred.get(None, one.deferred)):
            yield one.columns[0]


def _elements(option: Any) -> Iterator[tuple[Any, dict[str, Any], Sequence[Any]]]:
    """Yields the end of the path of each part of an option, with its strategy and its expressions."""
    if isinstance(option, strategy_options._WildcardLoad):
        yield None, dict(option.strategy or ()), ()
    for element in getattr(option, "context", ()):
        yield element.path.path[-1], dict(element.strategy or ()), element._extra_criteria
