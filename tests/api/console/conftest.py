"""One browser and one service with the demo's model for the tests of the console."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.console import Desk, chromium, desk
from tests.support.server import Server, running


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service of its own for each file of tests: what one changes, no other sees."""
    with running(tmp_path_factory.mktemp("console") / "data", "--demo") as found:
        yield found


@pytest.fixture
def at_desk(browser: Any, server: Server) -> Iterator[Desk]:
    """A fresh window that nobody has signed in to."""
    with desk(browser, server) as found:
        yield found


@pytest.fixture
def signed_in(at_desk: Desk) -> Desk:
    """A fresh window of the administrator."""
    at_desk.sign_in()
    return at_desk


@pytest.fixture(scope="module")
def window(browser: Any, server: Server) -> Iterator[Desk]:
    """One window of the administrator for all tests of a file: to sign in takes longer than to look at a page."""
    with desk(browser, server) as found:
        found.sign_in()
        yield found
