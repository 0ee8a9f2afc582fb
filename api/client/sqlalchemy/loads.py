"""The relationships that a select loads besides its rows: rows of declared types need a condition too."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.orm import strategy_options

from ..queries.questions import Question
from ..queries.refusal import QueryRefused
from .entities import Entity, entity_of, is_declared
from .permitted import restricted_by
from .returned import Returned

_NOT_JOINED: Final = object()
_EAGER: Final = {"joined", "selectin", "subquery", "immediate", False}
_WITHOUT_CRITERIA: Final = "immediate"
"""SQLAlchemy loads so without the conditions of the option."""

_Path = tuple[Any, ...]


@dataclass(frozen=True)
class _Load:
    """The way a relationship is loaded.

    `target` is the class or alias that it is loaded as. `joined` is the class or alias in FROM whose rows it gets, if
    it gets those.
    """

    strategy: Any
    criteria: Sequence[Any]
    target: Any
    joined: Any = _NOT_JOINED


def check_loads(
    statement: sa.Select[Any] | sa.Update | sa.Delete,
    columns: Sequence[Any],
    authorized: Sequence[Entity],
    question: Question,
) -> None:
    """Raises QueryRefused if the statement loads rows of a declared type that no condition of `permitted` restricts.

    These are relationships that the mapping or an option loads with the rows. Loading one later, when it is first read,
    is not part of the statement.
    """
    options = _options(statement)
    for column in columns:
        root = sa.inspect(column, raiseerr=False)
        if getattr(root, "is_mapper", False) or getattr(root, "is_aliased_class", False):
            for prop, load in _loaded(root.mapper, (_root(root),), options, frozenset()):
                _check(prop, load, authorized, question)
                _check_values(prop, load, statement, question)


def _check(prop: Any, load: _Load, authorized: Sequence[Entity], question: Question) -> None:
    target = entity_of(prop.mapper.class_)
    if load.joined is not _NOT_JOINED:
        is_restricted = any(load.joined is one.named or load.joined in one.tables for one in authorized)
    else:
        restricted = restricted_by(load.criteria)
        of_target = target.is_restricted(restricted) or load.target.selectable in restricted
        is_restricted = of_target and load.strategy != _WITHOUT_CRITERIA
    if is_restricted or not is_declared(target, question):
        return
    name = _shown(prop)
    raise QueryRefused(
        f"the statement loads all rows of `{name}`",
        f"load it with `.options(selectinload({name}.and_(permitted({target.shown}, …))))`, or later with `lazyload`",
    )


def _check_values(prop: Any, load: _Load, statement: Any, question: Question) -> None:
    """Raises QueryRefused if loaded rows come with values of other rows of a declared type."""
    returned = Returned(lambda: load.target.mapper.tables)
    returned.add(load.target.entity, statement._with_options)
    for one in map(entity_of, returned.inside):
        if is_declared(one, question):
            reason = f"the rows of `{_shown(prop)}` come with values of `{one.shown}`"
            raise QueryRefused(reason, "defer them, or load the rows later with `lazyload`")


def _shown(prop: Any) -> str:
    return f"{prop.parent.class_.__name__}.{prop.key}"


def _root(inspected: Any) -> Any:
    """Returns what an option and a column have in common, if the option is about the rows of the column."""
    return inspected if inspected.is_aliased_class else inspected.base_mapper


def _options(statement: Any) -> dict[_Path, _Load]:
    """Returns the strategy and the conditions of each relationship that an option names, by the way that leads to it.

    Raises QueryRefused for an option that loads everything.
    """
    found: dict[_Path, _Load] = {}
    for option in statement._with_options:
        if isinstance(option, strategy_options._WildcardLoad):
            if dict(option.strategy or ()).get("lazy") in _EAGER:
                raise QueryRefused("an option loads every relationship", "name the relationships to load")
            continue
        for element in getattr(option, "context", ()):
            names = [one.key for one in element.path.path if isinstance(one, orm.RelationshipProperty)]
            strategy = dict(element.strategy or ())
            if names and "lazy" in strategy:
                first, last, options = element.path.path[0], element.path.path[-1], element.local_opts or {}
                joined = options.get("eager_from_alias") if "eager_from_alias" in options else _NOT_JOINED
                joined = last.entity if joined is None else joined
                load = _Load(strategy["lazy"], element._extra_criteria, last, joined)
                found[(_root(first), *names)] = load
    return found


def _loaded(mapper: Any, path: _Path, options: dict[_Path, _Load], seen: frozenset[Any]) -> Iterator[tuple[Any, _Load]]:
    """Yields the relationships that are loaded with the rows of a mapper, each with its conditions."""
    for prop in {one for below in mapper.self_and_descendants for one in below.relationships}:
        here = (*path, prop.key)
        load = options.get(here, _Load(prop.lazy, (), prop.mapper))
        is_deeper = len(here) - 1 <= (prop.join_depth or 0)  # SQLAlchemy loads so many levels of the same
        if load.strategy in _EAGER and (here in options or prop not in seen or is_deeper):
            yield prop, load
            yield from _loaded(prop.mapper, here, options, seen | {prop})
