"""The database: connections, schema and migrations, and files with access for their owner alone.

Reading path: `element_tables`, `history_tables`, `credential_tables`, `audit_tables` → `connection` → `formats` →
`schema` → `sharing` → `connections`, `watch` → `asking_watch` → `sqlite`, `postgresql` → `engine`; `commit_signal`,
`driver_errors`, `element_rows`, `private_files`, `newest_format`, `time_limit` and `versions` stand alone.
"""
