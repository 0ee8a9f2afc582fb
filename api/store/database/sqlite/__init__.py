"""The database in a file: SQLite's connections, migrations and copies.

Reading path: `connection` → `overlay` → `connections` → `opening` → `copying` → `upgrade_copies` → `migrating` →
`soundness` → `place`, `watch`; `table_list` tells the tables of the schema.
"""
