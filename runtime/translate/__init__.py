"""Translates filters for callers' own stores: each target says exactly what the filter means, or refuses.

Reading path: `errors` → `read_tree` (JSON to nodes) → `python` (the meaning) → `fields` (the column of a key) →
`column_numbers` → `conditions` → `plan` (the tree over columns, for every target) → `sql/fragments` → `sql/dialect` →
`sql/postgresql`, `mysql`, `sqlite`, `duckdb` → `sqlalchemy`, `django` → `mongo`, `elasticsearch`, `polars`, `pandas`.
An optional library is imported by the one module that is named after it.
"""

from .errors import BadFilter, Untranslatable
from .fields import Attributes, Boolean, Decimal, Integer, Json, Real, Text
from .read_tree import TreeLimits

__all__ = [
    "Attributes",
    "BadFilter",
    "Boolean",
    "Decimal",
    "Integer",
    "Json",
    "Real",
    "Text",
    "TreeLimits",
    "Untranslatable",
]
