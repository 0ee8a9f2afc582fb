"""A table of direct grants in the application's own database: `writ.mirror.keep` follows, and keeps it up to date.

Modules: `rows` (the rows of grants), `progress` (the revision that the table has), `table_mirror` (one table, brought
to a revision), `keeping` (the thread that does so).
"""

from .keeping import KeptTable, keep
from .table_mirror import TableMirror

__all__ = ["KeptTable", "TableMirror", "keep"]
