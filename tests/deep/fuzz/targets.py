"""The targets of fuzzing: a closed list. Each is a module, which is imported after Atheris was told to watch it."""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.strategies_pick import Pick

Law = Callable[[bytes], None]
"""Takes any bytes. It raises if Writ breaks what it promises about them."""

TARGETS: Final = (
    "requests",
    "writ",
    "documents",
    "bundles",
    "deltas",
    "routes",
    "tokens",
    "envoy",
    "messages",
)
"""In the order in which they run. Each is the name of a module of this package."""


class Target(NamedTuple):
    """What a module of a target has.

    `law` makes the law, which may write into a folder. `starts` are inputs to begin with, and `mutated` changes one as
    its structure suggests. Atheris also changes bytes without regard to structure.
    """

    name: str
    law: Callable[[Path], Law]
    starts: Callable[[], Iterator[bytes]]
    mutated: Callable[[Pick, bytes], bytes]


def target(name: str) -> Target:
    """Returns a target by its name. It raises ImportError if a package that the target needs is not installed."""
    module = import_module(f"{__package__}.{name}")
    return Target(name, module.law, module.starts, module.mutated)
