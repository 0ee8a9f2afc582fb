"""The database in a file: SQLite's connections, migrations and copies.

Reading path: `connection` → `overlay` → `without_index` → `opening` → `connections` → `copying` → `upgrade_copies` →
`migrating` → `soundness` → `place`, `watch`; `log_damage` finds a damaged log, and
`table_list` tells the tables of the schema.
"""
