"""The embedded store: models, their change log, credentials and the audit log in one SQLite database.

`policy_tests` keeps the stored policy tests, and `trials` finds out what a write would do.

All SQL of Writ is in this package. Reading path: `errors` → `database` → `environments` → `elements` → `models` →
`history` → `search` → `credentials` → `audit` → `writing` → `gathered_writes` → `insight` → `policy_tests` → `trials` →
`store`, the interface; then `backup` and `historical_model`.
"""
