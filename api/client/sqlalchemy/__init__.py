"""Authorized queries of SQLAlchemy: `writ.sqlalchemy.authorized` keeps the rows that a subject may act on.

Reading path: `entities` (a mapped class or a table as a resource type) → `row_fields` (its columns as attributes) →
`grants` (the table of direct grants) → `held` (the condition that a row has one) → `guarded` (the conditions of a
statement in brackets) → `raw_pieces` (pieces of SQL in a clause) → `raw_checks` (whether they may loosen a condition)
→ `permitted` (the condition as a clause) → `opened` (a filter without its values) → `templates` (conditions that are
made once) → `remembered` (those of subjects that asked before) → `conditions` (`permitted`) → `selects` (the parts of
a select) → `column_values` (SQL that comes with the rows of a class) → `returned` (whose values a statement returns) →
`loads` (what a statement loads besides its rows) → `statements` (`authorized`) → `awaited` (both for asyncio) →
`resources` (a row as the resource of a decision) → `changing` (rows before and after a flush).
"""

from ..queries.refusal import ChangeRefused, QueryRefused
from .awaited import aauthorized, apermitted
from .changing import changing
from .conditions import permitted
from .grants import grants_table
from .resources import resource_of
from .statements import authorized

__all__ = [
    "ChangeRefused",
    "QueryRefused",
    "aauthorized",
    "apermitted",
    "authorized",
    "changing",
    "grants_table",
    "permitted",
    "resource_of",
]
