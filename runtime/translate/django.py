"""A filter as a Django `Q`, rendered as the SQL of one database with the model's columns in it."""

from typing import Any

from django.db.models import BooleanField, Expression, F, Q
from django.db.models.expressions import Col
from django.db.models.lookups import Lookup

from .django_types import check_fits, vendor_of
from .errors import Untranslatable
from .fields import SPOKEN, Direct, Field, Fields
from .read_tree import TreeLimits
from .sql import condition
from .sql.fragments import Column, Fragment, Given, Parameter


def q(tree: Any, fields: Fields, dialect: str, limits: TreeLimits | None = None, *, direct: Direct | None = None) -> Q:
    """Returns the filter as a `Q` for `filter`, `exclude` and the like, never NULL.

    A column is a field's name as `F` takes it, along foreign keys too (`owner__department`), not along relations to
    many. `dialect` is the database's vendor: postgresql, mysql, mariadb or sqlite. `direct` returns the expression for
    a node of direct grants, such as `Exists` of a queryset (F8). Raises BadFilter and Untranslatable; the query raises
    Untranslatable on a database of another vendor, and for a field of another type than the mapping says.

    >>> from writ.runtime.translate import Text
    >>> tree = {"type": "field", "field": "status", "operator": "ne", "value": "draft"}
    >>> isinstance(q(tree, {"status": Text("status")}, dialect="sqlite"), Q)
    True
    """
    mapped = [(key, field) for key, field in fields.items() if isinstance(field, Field)]
    return Q(_Filter(condition(tree, fields, SPOKEN.get(dialect, dialect), limits, direct), mapped, dialect))


class _Filter(Lookup):  # type: ignore[misc]  # Django has no types
    """Fragments of SQL, with columns that Django resolves.

    It counts as a lookup, though it has no two sides. On MySQL, Django would write `… = True` after any other
    condition, and no index would serve it.
    """

    resolve_expression, identity = Expression.resolve_expression, Expression.identity
    __eq__, __hash__ = Expression.__eq__, Expression.__hash__

    def __init__(self, fragments: tuple[Fragment, ...], mapped: list[tuple[str, Field]], dialect: str):
        Expression.__init__(self, output_field=BooleanField())
        self.fragments, self.mapped, self.dialect = fragments, mapped, dialect
        self.names = [fragment.named for fragment in fragments if isinstance(fragment, Column)]
        self.columns: list[Any] = [F(name) for name in self.names]
        self.given: list[Any] = [fragment.condition for fragment in fragments if isinstance(fragment, Given)]

    def get_source_expressions(self) -> list[Any]:
        """The columns, in their order, and the caller's conditions."""
        return [*self.columns, *self.given]

    def set_source_expressions(self, exprs: list[Any]) -> None:
        """The columns and the caller's conditions, resolved."""
        self.columns, self.given = exprs[: len(self.names)], exprs[len(self.names) :]

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        """The fragments one after the other, with their parameters in order."""
        self._check(connection)
        text, parameters = list[str](), list[Any]()
        columns, conditions = iter(self.columns), iter(self.given)
        for fragment in self.fragments:
            match fragment:
                case Parameter(value):
                    text.append("%s")
                    parameters.append(value)
                case Given():
                    condition, given = compiler.compile(next(conditions))
                    text.append(f"({condition})")
                    parameters.extend(given)
                case Column():
                    resolved = next(columns)
                    column, given = compiler.compile(resolved)
                    text.append(column if isinstance(resolved, Col) else f"({column})")
                    parameters.extend(given)
                case _:
                    text.append(fragment)
        return "".join(text), parameters

    def _check(self, connection: Any) -> None:
        vendor = vendor_of(connection)
        if vendor != self.dialect:
            raise Untranslatable("$", vendor, f"the filter was made for {self.dialect}", f"make it for {vendor}")
        resolved = dict(zip(self.names, self.columns, strict=True))
        for key, field in self.mapped:
            if field.column in resolved:
                check_fits(key, field, resolved[field.column], connection)
