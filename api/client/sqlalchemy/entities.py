"""The rows that are resources: of a mapped class, of an alias of one, or of a table."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.ext.hybrid import HybridExtensionType
from sqlalchemy.orm.mapper import _all_registries
from sqlalchemy.orm.util import AliasedInsp
from sqlalchemy.orm.util import _WrapUserEntity as _InLambda
from sqlalchemy.sql import visitors
from sqlalchemy.sql.selectable import Alias, FromGrouping

from ..queries.questions import Question
from ..queries.refusal import QueryRefused

LAMBDA: Final = (
    "SQLAlchemy keeps what a lambda makes, so that the condition of one subject would serve others",
    "give the condition itself, such as `with_loader_criteria(Document, permitted(Document, …), include_aliases=True)`",
)
"""The reason and the remedy of a refusal."""


@dataclass(frozen=True)
class Entity:
    """A class, an alias or a table in a statement.

    - `named` is what the application wrote, such as `Document`.
    - `names` are the names that its resource type may have, the best first.
    - `related` are those of the classes that it inherits from or that inherit from it: its rows may be theirs.
    - `tables` are the tables and aliases by which it stands in FROM.
    """

    named: Any
    shown: str
    names: tuple[str, ...]
    related: tuple[str, ...]
    key: tuple[Any, ...]
    mapper: orm.Mapper[Any] | None
    tables: tuple[Any, ...]

    def attribute(self, name: str) -> Any:
        """Returns the column of an attribute: a mapped column, a hybrid property, or a column of the table.

        Raises QueryRefused if there is none.
        """
        found = _of_table(self.named, name) if self.mapper is None else _of_class(self.named, self.mapper, name)
        if found is None:
            near = get_close_matches(name, self.attribute_names(), n=1)
            hint = f"did you mean `{near[0]}`? Else " if near else ""
            remedy = f"{hint}declare a hybrid property `{name}`, or give it in `fields`"
            raise QueryRefused(f"a policy compares `{name}`, and `{self.shown}` has no such column", remedy)
        return found

    def anchors(self) -> tuple[Any, ...]:
        """Returns a column of each table, or the key: columns that say where the rows stand in a statement."""
        found = self.key or tuple(next(iter(table.c)) for table in self.tables)
        return tuple(one.__clause_element__() if hasattr(one, "__clause_element__") else one for one in found)

    def is_restricted(self, restricted: Collection[Any]) -> bool:
        """Returns whether a condition on some tables restricts the rows: on one of those that inheritance joins.

        The tables of a class that is mapped to a join may be of several types, so each of them needs one.
        """
        is_join = self.mapper is not None and isinstance(self.mapper.local_table, sa.Join)
        found = [table in restricted for table in self.tables]
        return bool(found) and (all(found) if is_join else any(found))

    def is_column(self, key: str) -> bool:
        """Returns whether a key of a filter is the id, or a column or a part of one, and nothing that is computed."""
        name = key.partition(".")[0]
        if key == "id" or self.mapper is None:
            return len(self.key) == 1 if key == "id" else {key, name} & set(self.named.c.keys()) != set()
        columns = self.mapper.column_attrs
        return key in columns or (name in columns and key not in self.mapper.all_orm_descriptors)

    def attribute_names(self) -> tuple[str, ...]:
        """Returns the names of all columns and hybrid properties."""
        if self.mapper is None:
            return tuple(self.named.c.keys())
        named = self.mapper.all_orm_descriptors.items()
        hybrids = (name for name, one in named if one.extension_type is HybridExtensionType.HYBRID_PROPERTY)
        return (*(one.key for one in self.mapper.column_attrs), *hybrids)


def entity_of(target: Any) -> Entity:
    """Returns the entity that a class, an alias or a table is. Raises QueryRefused for anything else."""
    if type(target) is _InLambda:
        raise QueryRefused(*LAMBDA)
    inspected = sa.inspect(target, raiseerr=False)
    if isinstance(inspected, orm.Mapper):
        return _mapped(inspected.entity, inspected, _tables_of(inspected))
    if isinstance(inspected, AliasedInsp):
        return _mapped(inspected.entity, inspected.mapper, _aliased(inspected.selectable))
    if isinstance(target, sa.TableClause):
        return _of_table_alone(target, target)
    if isinstance(target, Alias):
        (found,) = _aliased(target)
        return _of_table_alone(target, found.element)
    raise QueryRefused(
        f"`{target!r}` has no rows that are resources", "give a mapped class, an alias of one, or a table"
    )


def _mapped(named: Any, mapper: orm.Mapper[Any], tables: tuple[Any, ...]) -> Entity:
    key = tuple(getattr(named, mapper.get_property_by_column(column).key) for column in mapper.primary_key)
    line = (*mapper.iterate_to_root(), *mapper.self_and_descendants)
    of_line = (name for one in line if one is not mapper for name in _names_of(one))
    below = (name for one in line if not isinstance(one.local_table, sa.Table) for name in _names_below(one))
    related = tuple(dict.fromkeys((*of_line, *below)))
    return Entity(named, mapper.class_.__name__, _names_of(mapper), related, key, mapper, tables)


def _of_table_alone(named: Any, table: Any) -> Entity:
    """Returns a table or an alias of one as the type of the class that is mapped to it.

    If several classes are, each of their types is a related one.
    """
    mappers = mappers_of(table)
    first = [one for one in mappers if one.inherits is None or table.name not in _tables_above(one)]
    own = _names_of(first[0]) if len(first) == 1 else ()
    others = (name for mapper in mappers for one in mapper.iterate_to_root() for name in _names_of(one))
    names = tuple(dict.fromkeys((table.name, *own)))
    related = tuple(one for one in dict.fromkeys(others) if one not in names)
    key = tuple(named.c[column.key] for column in table.primary_key)
    return Entity(named, table.name, names, related, key, None, (named,))


def _tables_above(mapper: orm.Mapper[Any]) -> set[Any]:
    return set() if mapper.inherits is None else {getattr(one, "name", None) for one in mapper.inherits.tables}


def mappers_of(table: Any) -> list[orm.Mapper[Any]]:
    """Returns the mappers of a table, by the name of their class.

    A table that no class is mapped to counts as the one with its name, also of another `MetaData`, or if one of both
    has no schema.
    """
    every = [
        (mapper, one) for registry in _all_registries() for mapper in registry.mappers for one in _tables_of(mapper)
    ]
    own = {mapper for mapper, one in every if one is table}
    found = own or {mapper for mapper, one in every if _is_same(one, table)}
    return sorted(found, key=lambda one: (one.class_.__name__, one.class_.__module__))


def _is_same(one: Any, other: Any) -> bool:
    schemas = getattr(one, "schema", None), getattr(other, "schema", None)
    names = str(getattr(one, "name", "")), str(other.name)
    return names[0].casefold() == names[1].casefold() and (None in schemas or schemas[0] == schemas[1])


def _names_of(mapper: orm.Mapper[Any]) -> tuple[str, ...]:
    names = getattr(mapper.local_table, "name", None), mapper.class_.__name__.lower()
    return tuple(dict.fromkeys(filter(None, names)))


def _tables_of(mapper: orm.Mapper[Any]) -> tuple[Any, ...]:
    """Returns what a class has in FROM. The tables inside of a select or an alias to which it is mapped are not."""
    return tuple(one for one, _ in leaves(mapper.persist_selectable))


def _names_below(mapper: orm.Mapper[Any]) -> Iterator[str]:
    """Yields the names of the tables in the select, the join or the alias to which a class is mapped."""
    for table in visitors.iterate(mapper.local_table):
        if isinstance(table, sa.TableClause):
            found = _of_table_alone(table, table)
            yield from (*found.names, *found.related)


def is_declared(entity: Entity, question: Question) -> bool:
    """Returns whether the model declares the type of an entity, or of a class whose rows may be its rows."""
    return question.declared((*entity.names, *entity.related))


def _aliased(selectable: Any) -> tuple[Any, ...]:
    """Returns the alias of a table, or the tables that `with_polymorphic` joins and that never are NULL.

    Raises QueryRefused for an alias of a select, which may have other rows.
    """
    if isinstance(selectable, sa.Table):
        return (selectable,)
    if isinstance(selectable, Alias) and isinstance(selectable.element, sa.TableClause):
        return (selectable,)
    if isinstance(selectable, sa.Join):
        return tuple(one for one, nullable in leaves(selectable) if not nullable)
    raise QueryRefused(
        "an alias of a select has other columns and rows than its table",
        "authorize the select inside, or give `with_polymorphic` the option `flat=True` in place of `aliased`",
    )


def _of_table(table: Any, name: str) -> Any:
    return table.c.get(name)


def _of_class(named: Any, mapper: orm.Mapper[Any], name: str) -> Any:
    descriptor = mapper.all_orm_descriptors.get(name)
    if descriptor is None:
        return None
    is_hybrid = descriptor.extension_type is HybridExtensionType.HYBRID_PROPERTY
    return getattr(named, name) if is_hybrid or name in mapper.column_attrs or name in mapper.synonyms else None


def leaves(from_clause: Any, nullable: bool = False) -> Iterator[tuple[Any, bool]]:
    """Yields the tables of a FROM, each with whether an outer join may put NULL in place of its rows."""
    if isinstance(from_clause, FromGrouping):  # the tables of a class that inherits, on the right of a join
        yield from leaves(from_clause.element, nullable)
    elif isinstance(from_clause, sa.Join):
        yield from leaves(from_clause.left, nullable or from_clause.full)
        yield from leaves(from_clause.right, nullable or from_clause.isouter or from_clause.full)
    else:
        yield from_clause, nullable
