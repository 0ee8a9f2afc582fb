"""The SQLite database: connections, schema and migrations, and files with access for their owner alone.

Reading path: `element_tables`, `history_tables`, `credential_tables`, `audit_tables` → `schema` → `overlay` →
`connections` → `opening` → `copying` → `upgrade_copies` → `migrating` → `watch`; `private_files`, `commit_signal`,
`newest_format`, `time_limit` and `versions` stand alone.
"""
