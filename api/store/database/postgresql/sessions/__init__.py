"""Sessions with PostgreSQL: their beginning, and those that another one waits for.

Reading path: `session` → `conninfo`, `rights`, `exposures`, `late_renewals`.
"""
