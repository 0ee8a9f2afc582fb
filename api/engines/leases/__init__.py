"""The lease of a server on a database of PostgreSQL: the process that keeps it, and what the workers need of it.

Reading path: `keeper_request` → `keeping` → `keeper_process` → `shared_store`.
"""
