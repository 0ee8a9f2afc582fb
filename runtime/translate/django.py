"""A filter as a Django `Q`, rendered as the SQL of one database with the model's columns in it."""

from typing import Any

from django.db.models import BooleanField, Expression, F, Q
from django.db.models.expressions import Col

from .django_types import check_fits
from .errors import Untranslatable
from .fields import Field, Fields
from .read_tree import TreeLimits
from .sql import condition
from .sql.fragments import Column, Fragment, Parameter


def q(tree: Any, fields: Fields, dialect: str, limits: TreeLimits | None = None) -> Q:
    """Returns the filter as a `Q` for `filter`, `exclude` and the like, never NULL.

    A column is a field's name as `F` takes it, along foreign keys too (`owner__department`), not along relations to
    many. `dialect` is the database's vendor: postgresql, mysql or sqlite. Raises BadFilter and Untranslatable; the
    query raises Untranslatable on a database of another vendor, and for a field of another type than the mapping says.

    >>> from writ.runtime.translate import Text
    >>> tree = {"type": "field", "field": "status", "operator": "ne", "value": "draft"}
    >>> isinstance(q(tree, {"status": Text("status")}, dialect="sqlite"), Q)
    True
    """
    mapped = [(key, field) for key, field in fields.items() if isinstance(field, Field)]
    return Q(_Filter(condition(tree, fields, dialect, limits), mapped, dialect))


class _Filter(Expression):  # type: ignore[misc]  # Django has no types
    """Fragments of SQL, with columns that Django resolves."""

    def __init__(self, fragments: tuple[Fragment, ...], mapped: list[tuple[str, Field]], dialect: str):
        super().__init__(output_field=BooleanField())
        self.fragments, self.mapped, self.dialect = fragments, mapped, dialect
        self.names = [fragment.named for fragment in fragments if isinstance(fragment, Column)]
        self.columns: list[Any] = [F(name) for name in self.names]

    def get_source_expressions(self) -> list[Any]:
        """The columns, in their order."""
        return self.columns

    def set_source_expressions(self, exprs: list[Any]) -> None:
        """The columns, resolved."""
        self.columns = exprs

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        """The fragments one after the other, with their parameters in order."""
        self._check(connection)
        text, parameters, columns = [], [], iter(self.columns)
        for fragment in self.fragments:
            match fragment:
                case Parameter(value):
                    text.append("%s")
                    parameters.append(value)
                case Column():
                    resolved = next(columns)
                    column, given = compiler.compile(resolved)
                    text.append(column if isinstance(resolved, Col) else f"({column})")
                    parameters.extend(given)
                case _:
                    text.append(fragment)
        return "".join(text), parameters

    def _check(self, connection: Any) -> None:
        vendor = "mariadb" if getattr(connection, "mysql_is_mariadb", False) else connection.vendor
        if vendor != self.dialect:
            raise Untranslatable("$", vendor, f"the filter was made for {self.dialect}", f"make it for {vendor}")
        resolved = dict(zip(self.names, self.columns, strict=True))
        for key, field in self.mapped:
            if field.column in resolved:
                check_fits(key, field, resolved[field.column], connection)
