"""The relationships that a select loads besides its rows: rows of declared types need a condition too."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.orm import strategy_options

from ..queries.questions import Question
from ..queries.refusal import QueryRefused
from .entities import Entity, entity_of
from .permitted import conditions_in

_NOT_JOINED: Final = object()
_EAGER: Final = {"joined", "selectin", "subquery", "immediate", False}
_Path = tuple[str, ...]


@dataclass(frozen=True)
class _Load:
    """The way a relationship is loaded. `from_join` says that its rows are those of a joined class."""

    strategy: Any
    criteria: Sequence[Any]
    from_join: bool = False


def check_loads(
    statement: sa.Select[Any], descriptions: Sequence[Any], authorized: Sequence[Entity], question: Question
) -> None:
    """Raises QueryRefused if the select loads rows of a declared type that no condition of `permitted` restricts.

    These are relationships that the mapping or an option loads with the rows. Loading one later, when it is first read,
    is not part of the select.
    """
    options = _options(statement)
    for described in descriptions:
        mapper = _mapper_of(described["expr"])
        if mapper is not None:
            for prop, load in _loaded(mapper, (), options, frozenset()):
                _check(prop, load, authorized, question)


def _check(prop: Any, load: _Load, authorized: Sequence[Entity], question: Question) -> None:
    target = entity_of(prop.mapper.class_)
    if load.from_join and any(one.named is target.named for one in authorized):
        return
    if conditions_in(load.criteria) or not question.declared(target.names):
        return
    name = f"{prop.parent.class_.__name__}.{prop.key}"
    raise QueryRefused(
        f"the statement loads all rows of `{name}`",
        f"load it with `.options(selectinload({name}.and_(permitted({target.shown}, …))))`, or later with `lazyload`",
    )


def _mapper_of(shown: Any) -> Any:
    inspected = sa.inspect(shown, raiseerr=False)
    mapper = getattr(inspected, "mapper", None)
    return mapper if getattr(inspected, "is_mapper", False) or getattr(inspected, "is_aliased_class", False) else None


def _options(statement: Any) -> dict[_Path, _Load]:
    """Returns the strategy and the conditions of each relationship that an option names, by the names that lead to it.

    Raises QueryRefused for an option that loads everything.
    """
    found: dict[_Path, _Load] = {}
    for option in statement._with_options:
        if isinstance(option, strategy_options._WildcardLoad):
            if dict(option.strategy or ()).get("lazy") in _EAGER:
                raise QueryRefused("an option loads every relationship", "name the relationships to load")
            continue
        for element in getattr(option, "context", ()):
            names = tuple(one.key for one in element.path.path if isinstance(one, orm.RelationshipProperty))
            strategy = dict(element.strategy or ())
            if names and "lazy" in strategy:
                last, options = element.path.path[-1], element.local_opts or {}
                joined = options.get("eager_from_alias", _NOT_JOINED) is None and getattr(last, "is_mapper", False)
                found[names] = _Load(strategy["lazy"], element._extra_criteria, joined)
    return found


def _loaded(mapper: Any, path: _Path, options: dict[_Path, _Load], seen: frozenset[Any]) -> Iterator[tuple[Any, _Load]]:
    """Yields the relationships that are loaded with the rows of a mapper, each with its conditions."""
    for prop in {one for below in mapper.self_and_descendants for one in below.relationships}:
        here = (*path, prop.key)
        load = options.get(here, _Load(prop.lazy, ()))
        if load.strategy in _EAGER and (here in options or prop not in seen):
            yield prop, load
            yield from _loaded(prop.mapper, here, options, seen | {prop})
