"""A filter as a mask of a pandas frame, tested value by value, since a column may hold values of many types."""

from collections.abc import Callable, Mapping
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime
from decimal import Decimal as Exact
from enum import Enum as Names
from math import isfinite
from typing import Any, assert_never
from uuid import UUID

import numpy as np
import pandas as pd

from ...bundles.conditions.attribute_keys import read, steps_of
from ...bundles.conditions.comparisons import predicate
from ...bundles.conditions.trees.direct_grants import DirectGrants, FilterLike
from ...bundles.conditions.trees.instant_comparisons import InstantComparison
from ...bundles.conditions.trees.tree import And, Const, Not, Or, TreeComparison
from ...bundles.conditions.values import Json as Value
from ...bundles.conditions.values import is_number
from .column_conditions import ELEMENT
from .column_plan import refuse_elements
from .column_texts import FORMS
from .errors import Untranslatable
from .fields import (
    Array,
    Attributes,
    Boolean,
    Date,
    DateTime,
    Decimal,
    Direct,
    Enum,
    Field,
    Fields,
    Integer,
    Json,
    Real,
    Text,
    Uuid,
    direct_condition,
    field_of,
)
from .python import json_value
from .read_tree import ROOT, TreeLimits, path_of_child, read_tree


def mask(
    tree: Any,
    frame: pd.DataFrame,
    fields: Fields,
    limits: TreeLimits | None = None,
    *,
    direct: Direct | None = None,
) -> pd.Series:
    """Returns the filter as one boolean for each row, for `frame[mask(...)]`.

    A column is its label; NaN, None, NA and NaT are absent, and so is what is not of the field's type. Json and
    Attributes read columns of JSON values as a parser gives them. `direct` returns the booleans of the rows for a node
    of direct grants (F8). Raises BadFilter and Untranslatable.

    >>> frame = pd.DataFrame({"status": ["draft", None, 5]})
    >>> tree = {"type": "field", "field": "status", "operator": "ne", "value": "x"}
    >>> mask(tree, frame, {"status": Text("status")}).tolist()
    [True, False, False]
    """
    return _mask(read_tree(tree, limits), ROOT, frame, fields, direct)


def _mask(tree: FilterLike, path: str, frame: pd.DataFrame, fields: Fields, direct: Direct | None) -> pd.Series:
    match tree:
        case DirectGrants():
            return pd.Series(direct_condition(direct, tree, path, "pandas"), frame.index, dtype=bool)
        case InstantComparison(key):
            field = field_of(fields, key, path, "pandas")
            reads, values = _reader(field, key), _values(frame[field.column])
            _check_kinds(values, field, key, path)
            return pd.Series([tree.holds(reads(value)) for value in values], frame.index, dtype=bool)
        case TreeComparison(key, op, constant):
            field = field_of(fields, key, path, "pandas")
            if not isinstance(field, Array | Json | Attributes):
                refuse_elements(tree, path, "pandas")
            check, reads, values = predicate(op, constant), _reader(field, key), _values(frame[field.column])
            _check_kinds(values, field, key, path)
            return pd.Series([check(reads(value)) for value in values], frame.index, dtype=bool)
        case And(children):
            return _masks(children, path, frame, fields, direct).all(axis=1)
        case Or(children):
            return _masks(children, path, frame, fields, direct).any(axis=1)
        case Not(child):
            return ~_mask(child, path_of_child(path, 0), frame, fields, direct)
        case Const(value):
            return pd.Series(value, index=frame.index, dtype=bool)
        case _:
            assert_never(tree)


def _masks(
    children: tuple[FilterLike, ...], path: str, frame: pd.DataFrame, fields: Fields, direct: Direct | None
) -> pd.DataFrame:
    masks = [_mask(child, path_of_child(path, number), frame, fields, direct) for number, child in enumerate(children)]
    return pd.concat(masks, axis=1)


def _values(column: pd.Series) -> list[Any]:
    """Returns the values. pandas can't give those of a zone that lie beyond the year 9999."""
    zoned = isinstance(column.dtype, pd.DatetimeTZDtype)
    found: list[Any] = (column.dt.tz_convert(None) if zoned else column).tolist()
    return found


def _reader(field: Field, key: str) -> Callable[[Any], Value]:
    """Returns how a value of the column is read. A value that is not JSON of the field's type is absent."""
    match field:
        case Attributes():
            steps = steps_of(key)
            return lambda value: json_value(read(value, key, steps), key) if isinstance(value, dict) else None
        case Json(path=path):
            return lambda value: json_value(_walked(_plain(value), path), key)
        case Array(_, of):
            element = _reader(of(ELEMENT), key)
            return lambda value: [element(item) for item in value] if _is_flat(value) else None
        case Text():
            return lambda value: value if isinstance(value, str) else None
        case Boolean():
            return lambda value: found if isinstance(found := _plain(value), bool) else None
        case Integer() | Real() | Decimal():
            # Integers with a gap between them are floats in pandas; the two are one type here too (C3).
            return lambda value: found if is_number(found := _plain(value)) else None
        case Enum(_, attributes):
            return lambda value: _attribute(attributes, value)
        case DateTime():
            return _instant
        case Uuid() | Date():
            kind, show = _KINDS[type(field)], FORMS[type(field)].show
            return lambda value: show(value) if isinstance(value, kind) and value is not pd.NaT else None
        case _:
            assert_never(field)


_LISTS = (list, tuple, np.ndarray)
"""The kinds of arrays; a frame from Parquet has those of NumPy."""


def _is_flat(value: Any) -> bool:
    return isinstance(value, _LISTS) and not any(isinstance(item, _LISTS) for item in value)


_KINDS: dict[type, type] = {Uuid: UUID, DateTime: datetime, Date: date, Decimal: Exact, Enum: Names}
"""The kind of value, none of JSON, that a field reads. A datetime is a date too, so it comes first."""

_PLAIN = (str, int, float, list, dict, np.generic, type(None), type(pd.NA), type(pd.NaT))


def _check_kinds(values: list[Any], field: Field, key: str, path: str) -> None:
    """Refuses values that the field can't read and JSON has not: they are no absent ones."""
    if isinstance(field, Array):
        values = [item for value in values for item in (value if _is_flat(value) else [value])]
        values, field = [item for item in values if not isinstance(item, _LISTS)], field.of(ELEMENT)
    for kind in {type(value) for value in values if not isinstance(value, _PLAIN)}:
        right = next((right for right, read in _KINDS.items() if issubclass(kind, read)), None)
        if right is None or not isinstance(field, right):
            remedy = f"map it to {right.__name__}" if right else "convert them to strings, numbers or booleans"
            raise Untranslatable(
                path, "pandas", f"the column of `{key}` holds values of type `{kind.__name__}`", remedy
            )


def _attribute(attributes: Mapping[Any, Value], value: Any) -> Value:
    name = value.name if isinstance(value, Names) else value
    return attributes.get(name) if isinstance(name, str) else None


def _instant(value: Any) -> Value:
    """Returns the text of an instant without its nanoseconds. The years of pandas go beyond those of the text."""
    if value is pd.NaT or not isinstance(value, datetime):
        return None
    utc = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
    return FORMS[DateTime].show(utc) if MINYEAR <= utc.year <= MAXYEAR else None


def _plain(value: Any) -> Value:
    """Returns a number of NumPy or `decimal` as Python's own, or None for what pandas takes for missing."""
    if isinstance(value, np.generic):
        value = value.item()
    elif isinstance(value, Exact):
        value = float(value)
    missing = value is pd.NA or value is pd.NaT or (isinstance(value, float) and not isfinite(value))
    return None if missing else value


def _walked(value: Value, path: tuple[str | int, ...]) -> Value:
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return None
    return value
