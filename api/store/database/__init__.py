"""The SQLite database: connections, schema and migrations, and files with access for their owner alone.

Reading path: `schema` → `connections` → `opening` → `copying` → `upgrade_copies` → `migrating` → `watch`;
`private_files` stands alone.
"""
