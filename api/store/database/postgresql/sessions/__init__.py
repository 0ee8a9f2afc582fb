"""The beginning of a session with PostgreSQL.

Reading path: `session` → `conninfo`, `rights`, `exposures`.
"""
