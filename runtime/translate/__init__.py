"""Filter trees for callers' own stores: each target says exactly what the tree means, or refuses.

Reading path: `refusals` → `tree` (what a filter is) → `python` (its meaning) → `fields` (where a key is kept) →
`numbers` and `literals` → `plan` (the tree over columns, for every target) → `pieces` → `dialect` → `postgresql`,
`mysql`, `sqlite`, `duckdb` → `sql`, `sqlalchemy`, `django` → `mongo`, `elasticsearch`, `polars`, `pandas`.
Optional libraries are imported by the one module that is named after them.
"""

from .errors import BadFilter, Untranslatable
from .fields import Attributes, Boolean, Decimal, Integer, Json, Real, Text
from .tree import TreeLimits

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
