"""A filter as a mask of a pandas frame, tested value by value, since a column may hold values of many types."""

from collections.abc import Callable
from decimal import Decimal as Exact
from math import isfinite
from typing import Any, assert_never

import numpy as np
import pandas as pd

from ...bundles.conditions.comparisons import predicate
from ...bundles.conditions.keys import read, steps_of
from ...bundles.conditions.trees.tree import And, Comparison, Const, FilterTree, Not, Or
from ...bundles.conditions.values import Json as Value
from ...bundles.conditions.values import is_number
from .fields import Attributes, Boolean, Decimal, Field, Fields, Integer, Json, Real, Text, field_of
from .read_tree import ROOT, TreeLimits, path_of_child, read_tree


def mask(tree: Any, frame: pd.DataFrame, fields: Fields, limits: TreeLimits | None = None) -> pd.Series:
    """Returns the filter as one boolean for each row, for `frame[mask(...)]`.

    A column is its label; NaN, None, NA and NaT are absent, and so is what is not of the field's type. Json and
    Attributes read columns of JSON values as a parser gives them. Raises BadFilter and Untranslatable.

    >>> frame = pd.DataFrame({"status": ["draft", None, 5]})
    >>> tree = {"type": "field", "field": "status", "operator": "ne", "value": "x"}
    >>> mask(tree, frame, {"status": Text("status")}).tolist()
    [True, False, False]
    """
    return _mask(read_tree(tree, limits), ROOT, frame, fields)


def _mask(tree: FilterTree, path: str, frame: pd.DataFrame, fields: Fields) -> pd.Series:
    match tree:
        case Comparison(key, op, constant):
            field = field_of(fields, key, path, "pandas")
            check, reads = predicate(op, constant), _reader(field, key)
            return pd.Series([check(reads(value)) for value in frame[field.column].tolist()], frame.index, dtype=bool)
        case And(children):
            return _masks(children, path, frame, fields).all(axis=1)
        case Or(children):
            return _masks(children, path, frame, fields).any(axis=1)
        case Not(child):
            return ~_mask(child, path_of_child(path, 0), frame, fields)
        case Const(value):
            return pd.Series(value, index=frame.index, dtype=bool)
        case _:
            assert_never(tree)


def _masks(children: tuple[FilterTree, ...], path: str, frame: pd.DataFrame, fields: Fields) -> pd.DataFrame:
    masks = [_mask(child, path_of_child(path, number), frame, fields) for number, child in enumerate(children)]
    return pd.concat(masks, axis=1)


def _reader(field: Field, key: str) -> Callable[[Any], Value]:
    """Returns how a value of the column is read. A value that is not JSON of the field's type is absent."""
    match field:
        case Attributes():
            steps = steps_of(key)
            return lambda value: read(value, key, steps) if isinstance(value, dict) else None
        case Json(path=path):
            return lambda value: _walked(_plain(value), path)
        case Text():
            return lambda value: value if isinstance(value, str) else None
        case Boolean():
            return lambda value: found if isinstance(found := _plain(value), bool) else None
        case Integer() | Real() | Decimal():
            # Integers with a gap between them are floats in pandas; the two are one type here too (C3).
            return lambda value: found if is_number(found := _plain(value)) else None
        case _:
            assert_never(field)


def _plain(value: Any) -> Value:
    """Returns a number of NumPy or `decimal` as Python's own, or None for NaN and infinity."""
    if isinstance(value, np.generic):
        value = value.item()
    elif isinstance(value, Exact):
        value = float(value)
    return None if isinstance(value, float) and not isfinite(value) else value


def _walked(value: Value, path: tuple[str | int, ...]) -> Value:
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return None
    return value
