"""Translates filters for callers' own stores: each target says exactly what the filter means, or refuses.

Reading path: `errors` → `read_tree` (JSON to nodes) → `python` (the meaning) → `fields` (the column of a key) →
`column_numbers` → `column_texts` → `column_conditions` → `column_plan` → `translation_plan` (the tree over columns, for
every target) → `sql/` (PostgreSQL, MySQL, SQLite, DuckDB) → `sqlalchemy_types` → `sqlalchemy` → `django_types` →
`django` → `mongo`, `elasticsearch`, `polars`, `pandas`. An optional library is imported only by the modules that are
named after it.
"""

from ...bundles.conditions.trees.direct_grants import DirectGrants
from .errors import BadFilter, Untranslatable
from .fields import Array, Attributes, Boolean, Date, DateTime, Decimal, Enum, Integer, Json, Real, Text, Uuid
from .read_tree import TreeLimits

__all__ = [
    "Array",
    "Attributes",
    "BadFilter",
    "Boolean",
    "Date",
    "DateTime",
    "Decimal",
    "DirectGrants",
    "Enum",
    "Integer",
    "Json",
    "Real",
    "Text",
    "TreeLimits",
    "Untranslatable",
    "Uuid",
]
