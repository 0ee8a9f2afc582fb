"""A real PostgreSQL with the tables of leases."""

import psycopg
import pytest
from psycopg import sql
from writ.api.store.leases.confirmations import Confirmations
from writ.api.store.leases.lease_connection import connecting

from tests.support import postgres
from tests.support.leased_server import prepare

SECONDS = 0.5
"""The length of the leases."""


@pytest.fixture(scope="module")
def cluster():
    """A connection string to a PostgreSQL server for these tests."""
    place = postgres.needed()
    with postgres.server(place) as conninfo:
        yield conninfo


@pytest.fixture
def conninfo(cluster, request):
    """A connection string to a new database with one environment."""
    name = sql.Identifier(request.node.name)
    with psycopg.connect(cluster, autocommit=True) as db:
        db.execute(sql.SQL("CREATE DATABASE {}").format(name))
    here = f"{cluster} dbname={request.node.name}"
    prepare(here)
    yield here
    with psycopg.connect(cluster, autocommit=True) as db:
        db.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture
def db(conninfo):
    """A connection with autocommit."""
    with psycopg.connect(conninfo, autocommit=True) as db:
        yield db


@pytest.fixture
def confirmations(conninfo):
    """The confirmations of a process that is no server."""
    waits = Confirmations(None, connecting(conninfo, SECONDS), SECONDS)
    yield waits
    waits.close()
