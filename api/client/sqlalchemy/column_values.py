"""The SQL that comes with the rows of a mapped class: its column properties, and the expressions of options."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.orm import strategy_options

_GROUP: Final = "undefer_group_"
_BELOW: Final = "selectinload_polymorphic"
"""The names in options of SQLAlchemy that load a group of columns, and columns of subclasses."""


def expressions_with(inspected: Any, options: Sequence[Any]) -> Iterator[Any]:
    """Yields the expressions that are loaded with the rows of a mapper or an alias, in a statement with these options.

    One that is deferred does not count, unless an option asks for it or its group, wherever that option leads.
    """
    mappers = _loaded_with(inspected, options)
    computed = [one for mapper in mappers for one in mapper.column_attrs if not isinstance(one.columns[0], sa.Column)]
    if not (computed or options):
        return
    deferred: dict[Any, bool] = {}
    lines = {one for mapper in mappers for one in mapper.iterate_to_root()}
    for option in options:
        for last, strategy, element in _elements(option):
            if "query_expression" in strategy and getattr(last, "parent", None) in lines:
                yield from element._extra_criteria
            if any(name.startswith(_GROUP) for name in element.local_opts or ()):
                deferred[None] = False
            if "deferred" in strategy:
                key = last if isinstance(last, orm.ColumnProperty) else None
                deferred[key] = deferred.get(key, True) and strategy["deferred"]
    for one in computed:
        if not deferred.get(one, deferred.get(None, one.deferred)):
            yield one.columns[0]


def _loaded_with(inspected: Any, options: Sequence[Any]) -> Iterable[Any]:
    """Returns the mapper, and those of the subclasses whose columns come with the rows."""
    mapper, loaded = inspected.mapper, {*inspected.with_polymorphic_mappers}
    if any(_BELOW in strategy for option in options for _, strategy, _ in _elements(option)):
        return [*mapper.self_and_descendants]
    below = [one for one in mapper.self_and_descendants if one in loaded or one.polymorphic_load == "selectin"]
    return dict.fromkeys((mapper, *below))


def _elements(option: Any) -> Iterator[tuple[Any, dict[str, Any], Any]]:
    """Yields the end of the path of each part of an option, with its strategy and the part itself."""
    if isinstance(option, strategy_options._WildcardLoad):
        yield None, dict(option.strategy or ()), option
    for element in getattr(option, "context", ()):
        yield element.path.path[-1], dict(element.strategy or ()), element
