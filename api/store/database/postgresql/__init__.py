"""The database on PostgreSQL, by psycopg, an optional library: any number of servers may use one database.

Reading path: `statements` → `tables` → `server_tables` → `functions` → `texts` → `sessions` → `connection` →
`problems` → `replication` → `overlay` → `write_locks` → `connections` → `poolers` → `migrating` →
`place`, `watch`, `shared_keys`.
"""
