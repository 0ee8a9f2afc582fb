"""Options and settings of the whole test run."""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "writ",
    max_examples=40,  # of each law in a run; what takes more says so itself
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    derandomize=bool(os.environ.get("CI")),  # a pipeline tells the same story twice; people's runs explore
)
settings.load_profile("writ")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the expectations of tests/cases/*.case")
