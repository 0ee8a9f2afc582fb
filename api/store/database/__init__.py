"""The SQLite database: connections, schema and migrations, and files with access for their owner alone.

Reading path: `element_tables`, `history_tables`, `credential_tables`, `audit_tables` → `schema` → `connections` →
`opening` → `copying` → `upgrade_copies` → `migrating` → `watch`; `private_files`, `commit_signal`, `newest_format` and
`versions` stand alone.
"""
