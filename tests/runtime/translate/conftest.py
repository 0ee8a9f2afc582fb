"""The engines that the translations are run on."""

import pytest

from tests.support import mariadb as mariadb_server
from tests.support import postgres


@pytest.fixture(scope="session")
def postgresql():
    """A connection string to a PostgreSQL server; a worker of pytest-xdist has one of its own."""
    place = postgres.programs()
    if place is None:
        pytest.skip("PostgreSQL's server is not installed: apt-get install postgresql")
    with postgres.server(place) as conninfo:
        yield conninfo


@pytest.fixture(scope="session")
def mariadb():
    """A connection to a MariaDB server; a worker of pytest-xdist has one of its own."""
    program = mariadb_server.program()
    if program is None:
        pytest.skip("MariaDB's server, which stands in for MySQL, is not installed: apt-get install mariadb-server")
    with mariadb_server.server(program) as connection:
        yield connection
