"""The embedded store: models, their change log, credentials and the audit log in one SQLite database.

All SQL of Writ is in this package. Reading path: `errors` → `database` → `environments` → `elements` → `models` →
`history` → `search` → `credentials` → `audit` → `writing` → `gathered_writes` → `insight` → `store`, the
interface; then `backup`
and `historical_model`.
"""
