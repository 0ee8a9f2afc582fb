"""A real PostgreSQL with the table of duties, as the tests of leases have it."""

from tests.api.store.leases.conftest import cluster, conninfo, db

__all__ = ["cluster", "conninfo", "db"]
