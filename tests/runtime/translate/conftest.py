"""The engine MariaDB, which the translations are run on too."""

import pytest

from tests.support import mariadb as mariadb_server


@pytest.fixture(scope="session")
def mariadb():
    """A connection to a MariaDB server; a worker of pytest-xdist has one of its own."""
    program = mariadb_server.program()
    if program is None:
        pytest.skip("MariaDB's server, which stands in for MySQL, is not installed: apt-get install mariadb-server")
    with mariadb_server.server(program) as connection:
        yield connection
