"""A filter as a condition of SQL: `/v1/environments/{env}/filters:translate`."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any, Final, Literal, TypeAlias

import falcon
import falcon.asgi
from msgspec import Meta, Struct

from ....bundles.conditions.attribute_keys import OWN_KEYS
from ....bundles.wording import quoted, show_path
from ....runtime.translate import (
    Attributes,
    BadFilter,
    Boolean,
    Date,
    DateTime,
    Decimal,
    Integer,
    Json,
    Real,
    Text,
    Untranslatable,
    Uuid,
)
from ....runtime.translate.fields import Field
from ....runtime.translate.sql import where
from ...engines.live.store_work import StoreWork
from ...engines.work.fair_threads import FairThreads
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ...http.rejections import BodyRejected
from ..management.body_shapes import shaped

CODE: Final = "bad-filter"
UNTRANSLATABLE: Final = "untranslatable"
"""The code of a filter that the dialect can't express exactly."""

ATTRIBUTES_COLUMN: Final = "attributes"
"""The column that has all attributes as a JSON object, if the caller maps none."""

MOST_COLUMNS: Final = 200
"""The columns of a request. Among them, a name like that of a missing one is looked for."""

MOST_STEPS: Final = 2_000
"""The conditions of a filter and the steps of the paths that they read, all together. To translate so many takes up to
a quarter of a second.
"""

_NUL: Final = "\0"

Dialect: TypeAlias = Literal["postgresql", "mysql", "sqlite", "duckdb"]
ColumnType: TypeAlias = Literal[
    "text", "integer", "real", "decimal", "boolean", "uuid", "date", "datetime", "json", "attributes"
]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=128)]

_PLAIN: Final[Mapping[str, type[Any]]] = {
    "text": Text,
    "integer": Integer,
    "real": Real,
    "boolean": Boolean,
    "uuid": Uuid,
    "date": Date,
    "datetime": DateTime,
    "json": Json,
    "attributes": Attributes,
}


class MappedColumn(Struct, frozen=True, forbid_unknown_fields=True):
    """The column of an attribute. `column` is its name, `table.column` or the name of the attribute if not given.

    `path` leads to a value inside a column of the type `json`. `digits` are the most digits of a `decimal`.
    """

    type: ColumnType
    column: Name | None = None
    path: Annotated[tuple[str, ...], Meta(max_length=32)] | None = None
    digits: Annotated[int, Meta(ge=1, le=15)] | None = None


class FilterToTranslate(Struct, frozen=True, forbid_unknown_fields=True):
    """A filter, and the columns that have its attributes, by attribute. `table` goes before columns that name none.

    Without `columns`, the columns `id` and `type` are texts, and all attributes are in a JSON object in the column
    `attributes`.
    """

    filter: dict[str, Any]
    dialect: Dialect
    table: Name | None = None
    columns: dict[Name, MappedColumn] | None = None


class TranslatedFilter(Struct, frozen=True):
    """A condition for a WHERE clause, which is never NULL, and its values in the order of their placeholders.

    Placeholders are `%s` in PostgreSQL and MySQL, and `?` in SQLite and DuckDB. A decimal, a date or an instant is a
    string.
    """

    sql: str
    parameters: list[Any]
    dialect: Dialect


TRANSLATE: Final = Operation(
    "translateFilter",
    "Insight",
    "Translate a filter to a condition of SQL",
    {200: Answer("The condition.", TranslatedFilter)},
    "A filter that the database can't express exactly is refused, never approximated.",
    bodies={JSON: FilterToTranslate},
)


class FilterTranslation:
    """Translates a filter."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies = work, bodies
        self._thread = FairThreads(1, "translate")

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200. Raises BodyRejected for what is no filter, or can't be expressed exactly."""
        known_parameters(req)
        asked = shaped(await self._bodies.read_element(req), FilterToTranslate, CODE)
        await self._work.read(self._work.store.environment, env, req.context.credential.bounds)
        resp.data = await self._thread.run(partial(self._translated, asked))

    def _translated(self, asked: FilterToTranslate) -> bytes:
        fields = _fields(asked)
        _refuse_large(asked, fields)
        try:
            found = where(asked.filter, fields, asked.dialect)
        except BadFilter as ex:
            raise BodyRejected(CODE, ex.message, _below_filter(ex.path)) from None
        except Untranslatable as ex:
            message = f"{asked.dialect} can't express this filter: {ex.reason}; {ex.remedy}"
            raise BodyRejected(UNTRANSLATABLE, message, _below_filter(ex.path)) from None
        return ENCODER.encode(TranslatedFilter(found.text, found.parameters, asked.dialect))


def _fields(asked: FilterToTranslate) -> Mapping[str, Field]:
    """Returns the field of each attribute. Raises BodyRejected for a column that does not fit its type."""
    if asked.columns is not None and len(asked.columns) > MOST_COLUMNS:
        raise BodyRejected(CODE, f"there are {len(asked.columns)} columns, the limit is {MOST_COLUMNS}", "$.columns")
    if asked.columns is None:
        attributes = dict.fromkeys(_keys(asked.filter), Attributes(_named(asked, ATTRIBUTES_COLUMN)))
        return attributes | {key: Text(_named(asked, key)) for key in OWN_KEYS}
    return {key: _field(asked, key, column) for key, column in asked.columns.items()}


def _field(asked: FilterToTranslate, key: str, column: MappedColumn) -> Field:
    name = _named(asked, column.column or key)
    for member, type in (("path", "json"), ("digits", "decimal")):
        if getattr(column, member) is not None and column.type != type:
            path = show_path(("columns", key, member))
            raise BodyRejected(CODE, f"only a column of the type {quoted(type)} has {quoted(member)}", path)
    if column.type == "decimal":
        if column.digits is None:
            message = "a column of the type `decimal` needs `digits`"
            raise BodyRejected(CODE, message, show_path(("columns", key)))
        return Decimal(name, column.digits)
    if column.type == "json":
        return Json(name, column.path or ())
    field: Field = _PLAIN[column.type](name)
    return field


def _named(asked: FilterToTranslate, column: str) -> str:
    """Returns the name of a column, with its table. Raises BodyRejected if no column has such a name."""
    name = column if asked.table is None or "." in column else f"{asked.table}.{column}"
    if _NUL in name or not all(name.split(".")):
        message = f"the column {quoted(name)} has an empty part or the character NUL"
        raise BodyRejected(CODE, message, "$.columns")
    return name


def _refuse_large(asked: FilterToTranslate, fields: Mapping[str, Field]) -> None:
    """Raises BodyRejected for a filter whose condition would be long: it reads a path in many columns many times."""
    steps = 0
    for key in _keys(asked.filter):
        field = fields.get(key)
        steps += 1 + (len(field.path) if isinstance(field, Json) else key.count("."))
        if steps > MOST_STEPS:
            message = f"the filter has more than {MOST_STEPS} conditions and steps of their paths"
            raise BodyRejected(CODE, message, "$.filter")


def _keys(tree: object) -> Iterator[str]:
    """Yields the keys that a tree reads. What is no tree has none."""
    waiting = [tree]
    while waiting:
        match waiting.pop():
            case {"conditions": list(parts)}:
                waiting += parts
            case {"field": str(key)}:
                yield key


def _below_filter(path: str) -> str:
    return f"$.filter{path.removeprefix('$')}"
