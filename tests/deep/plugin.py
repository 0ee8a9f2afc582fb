"""A plugin of pytest for deep runs: more examples of each drawn law, in random order, for a limited time; and told."""

import json
import random
import time
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.deep.hypotheses import TIMES

BEGUN = time.monotonic()
COUNTS: dict[str, int] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a deep run."""
    parser.addoption("--deep-told", help="the file that gets a line about each law")
    parser.addoption("--deep-seconds", type=float, help="after so many seconds, no law is begun")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle the laws, and give each of them more examples, fresh ones and unremembered."""
    random.Random(config.getoption("hypothesis_seed")).shuffle(items)
    changed: set[int] = set()
    for item in items:
        law: Any = getattr(item, "obj", None)
        if hasattr(law, "hypothesis") and id(law) not in changed:
            changed.add(id(law))
            before = law._hypothesis_internal_use_settings
            law._hypothesis_internal_use_settings = settings(
                before, max_examples=TIMES * before.max_examples, derandomize=False, database=None
            )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Say that a law begins, and count its examples."""
    law: Any = getattr(item, "obj", None)
    if hasattr(law, "hypothesis"):
        tell(item, "stopped")
        inner = law.hypothesis.inner_test
        law.hypothesis.inner_test = counted(inner, item.nodeid)
        yield
        law.hypothesis.inner_test = inner
    else:
        yield
    if time.monotonic() - BEGUN > item.config.getoption("--deep-seconds"):
        item.session.shouldstop = "the time is over"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    """Tell the outcome of a law."""
    report = yield
    if report.when == "call" or report.failed:
        tell(item, report.outcome, str(report.longrepr) if report.failed else "")
    return report


def counted(inner: Any, name: str) -> Any:
    """The law's body, which counts its calls."""

    @wraps(inner)
    def counting(*positional: Any, **named: Any) -> Any:
        COUNTS[name] = COUNTS.get(name, 0) + 1
        return inner(*positional, **named)

    return counting


def tell(item: pytest.Item, outcome: str, why: str = "") -> None:
    """Append a line."""
    row = {"test": item.nodeid, "outcome": outcome, "examples": COUNTS.get(item.nodeid, 0), "why": why}
    with Path(item.config.getoption("--deep-told")).open("a") as told:
        print(json.dumps(row), file=told)
