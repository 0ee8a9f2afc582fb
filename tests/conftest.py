"""Options and settings of the whole test run."""

import asyncio
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import WorkStealingScheduling

from tests.support import postgres
from tests.support.closing import close_all
from tests.support.heavy import HEAVY, are_heavy_alone, may_be_heavy

settings.register_profile(
    "writ",
    max_examples=25,  # of each law in a run; what takes more says so itself
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    derandomize=bool(os.environ.get("CI")),  # a pipeline tells the same story twice; people's runs explore
)
settings.load_profile("writ")


def pytest_configure(config: pytest.Config) -> None:
    for name, why in {**HEAVY, "heavy": "any of the heavy groups", "of_file": "asks about the file of SQLite"}.items():
        config.addinivalue_line("markers", f"{name}: {why}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Begin to collect: without the garbage collector, which finds nothing in tests and modules that all stay."""
    gc.disable()
    sys.dont_write_bytecode = False  # else each process compiles all tests in each run, where the environment says so
    if hasattr(session.config, "workerinput"):
        _import_share(session.config, **session.config.workerinput)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run of heavy tests alone leaves the other files unread: to collect them takes 10 s of each process."""
    if collection_path.name.startswith("test_") and are_heavy_alone(config.option.markexpr):
        return not may_be_heavy(collection_path) or None
    return None


def _import_share(config: pytest.Config, workerid: str, workercount: int, **_rest: object) -> None:
    """Import a share of the test modules before the others, so that the processes of `-n` don't all compile the same.

    Each writes what it compiled, and the others load it. If a module can't be imported, pytest says so later.
    """
    folder = Path(__file__).parents[1]
    paths = sorted(path for argument in config.args for path in (folder / argument).rglob("test_*.py"))
    if are_heavy_alone(config.option.markexpr):
        paths = [path for path in paths if may_be_heavy(path)]
    for path in paths[int(workerid.removeprefix("gw")) :: workercount]:
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(path.relative_to(folder).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(marker.name in HEAVY for marker in item.iter_markers()):
            item.add_marker("heavy")
        if item.get_closest_marker("heavy") and not may_be_heavy(item.path):
            raise pytest.UsageError(f"{item.path} has heavy tests: write their marks there or in its conftest.py")


@contextmanager
def _without_loop_of_browser(item: pytest.Item) -> Iterator[None]:
    """The driver of browsers has an event loop that runs in this thread to its end. No other could begin beside it."""
    loop = asyncio._get_running_loop()
    if loop is None or item.get_closest_marker("browser"):
        yield
        return
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    with _without_loop_of_browser(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with _without_loop_of_browser(item):
        return (yield)


def pytest_collection_finish() -> None:
    """Keep the garbage collector off what stays to the end: the tests, and the modules that they import.

    To find the garbage among them would take longer than to keep it.
    """
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Returns the processes of `-n auto`: two more than cores, since many tests wait for servers."""
    return (os.cpu_count() or 1) + 2


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> WorkStealingScheduling:
    """Give each process of `-n auto` a run of neighbours, which share what their module starts."""
    return WorkStealingScheduling(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the expectations of tests/cases/*.case")


@pytest.fixture(autouse=True)
def _closed_at_the_end() -> Iterator[None]:
    yield
    close_all()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A connection string to a PostgreSQL server; a worker of pytest-xdist has one of its own."""
    place = postgres.needed()
    with postgres.server(place) as conninfo:
        yield conninfo
