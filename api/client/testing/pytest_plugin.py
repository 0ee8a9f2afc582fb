"""The plugin for pytest: `writ_engine` answers by the sources that `writ_model` names, and policy tests are collected.

pytest loads it by the entry point `writ` wherever Writ is installed. So it imports the compiler when a test needs it.
"""

from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from .engines import TestingEngine

MODEL: Final = "writ_model"
"""The ini option with the sources of the model: documents, and folders of them."""

TESTS: Final = "writ_tests"
"""The ini option with the names of policy tests, as patterns. pytest collects none if it is not given."""

_ENGINES: Final = pytest.StashKey["dict[tuple[Path, ...], TestingEngine]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the ini options."""
    parser.addini(MODEL, "Writ: model documents, and folders of them, for the fixture `writ_engine`", "paths")
    parser.addini(TESTS, "Writ: names of policy tests to collect, as patterns, such as *.test.yaml", "args")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Returns the collector of a file of policy tests whose name has one of the patterns."""
    if not any(fnmatch(file_path.name, pattern) for pattern in parent.config.getini(TESTS)):
        return None
    from .policy_tests import PolicyTestFile

    return PolicyTestFile.from_parent(parent, path=file_path)


@pytest.fixture(scope="session")
def writ_model(pytestconfig: pytest.Config) -> Sequence[Path]:
    """The sources of the model for `writ_engine`: those of the ini option `writ_model`. Override it for another one."""
    found: Sequence[Path] = pytestconfig.getini(MODEL)
    if not found:
        pytest.fail(f"set `{MODEL}` in pytest's configuration to the documents of your model, or override the fixture")
    return found


@pytest.fixture
def writ_engine(writ_model: Sequence[Path], pytestconfig: pytest.Config) -> "TestingEngine":
    """An engine over `writ_model`, strict, whose rate limits count from zero. Each model is compiled once in a run."""
    from ..runtime.rate_counters import RateCounters
    from .engines import engine

    engines = pytestconfig.stash.setdefault(_ENGINES, {})
    sources = tuple(Path(one).absolute() for one in writ_model)
    if sources not in engines:
        engines[sources] = engine(*sources)
    return engines[sources].counting(RateCounters())
