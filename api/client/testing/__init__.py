"""For the tests of applications: `writ.testing.engine` compiles a model in memory and answers by it.

Modules: `engines` has the engine, and `registered` the subjects and resources that it finds; `asserting` has assertions
that explain their failures; `pytest_plugin` has the fixtures for pytest, and `policy_tests` runs policy tests in it;
`fake_service` serves the answers of an engine over HTTP, which `answering` makes.

The names are loaded when they are first used: pytest imports the plugin wherever Writ is installed.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .asserting import assert_allowed, assert_denied
    from .engines import BadModel, TestingEngine, engine
    from .fake_service import FakeService, Received, service

__all__ = [
    "BadModel",
    "FakeService",
    "Received",
    "TestingEngine",
    "assert_allowed",
    "assert_denied",
    "engine",
    "service",
]

_HOMES: Final = {
    "BadModel": ".engines",
    "FakeService": ".fake_service",
    "Received": ".fake_service",
    "TestingEngine": ".engines",
    "assert_allowed": ".asserting",
    "assert_denied": ".asserting",
    "engine": ".engines",
    "service": ".fake_service",
}


def __getattr__(name: str) -> Any:
    """Returns the public name `name` from the module that defines it (PEP 562).

    Raises AttributeError for any other name.
    """
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module `writ.testing` has no attribute `{name}`; it has {', '.join(__all__)}")
    found = globals()[name] = getattr(import_module(_HOMES[name], __name__), name)
    return found


def __dir__() -> list[str]:
    """Returns the public names, loaded or not."""
    return sorted({*globals(), *__all__})
