"""The next format of a store, made for the tests: a program that has one migration more than this one."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from sqlite_utils import Database
from writ.api.store.database.formats.step import Step
from writ.api.store.database.newest_format import STORE_FORMAT
from writ.api.store.database.schema import MIGRATIONS
from writ.api.store.database.sqlite import migrating

from tests.support.next_steps import add_colours
from tests.support.server import environment

NEXT: Final = STORE_FORMAT + 1


@contextmanager
def newer_program(patch: pytest.MonkeyPatch, *steps: Callable[[Database], None]) -> Iterator[None]:
    """Lets this process write the next format. `steps` take the place of `add_colours`."""
    with patch.context() as patched:
        patched.setattr(migrating, "MIGRATIONS", (*MIGRATIONS, *map(Step, steps or (add_colours,))))
        yield


class NewerVersion:
    """The place of a service of a newer version of Writ, whose store has so many formats more."""

    address: Final = "127.0.0.1"

    def __init__(self, formats: int) -> None:
        self._formats = formats

    def within(self, line: Sequence[str]) -> list[str]:
        """Returns the command line that runs `line` here."""
        path = os.pathsep.join((str(Path(__file__).with_name("next_version")), environment()["PYTHONPATH"]))
        return ["env", f"PYTHONPATH={path}", f"FORMATS_OF_TESTS={self._formats}", *line]
