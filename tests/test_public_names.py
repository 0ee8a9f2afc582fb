"""What an application developer sees of the public names: their errors, and the pages of `help`."""

import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
import writ

from tests.support.structure import CLIENT_PACKAGES

MODULES = [import_module(name) for name in ("writ", *(f"writ.{name}" for name in CLIENT_PACKAGES if name != "django"))]
"""Names of `writ.django` need the settings of a project."""

NOTES = re.compile(r"PERF|INVARIANT|SAFETY|`_\w+`|`test_\w+`")
"""Notes for those who change Writ: they are comments, not docstrings of public names."""


def public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name in getattr(module, "__all__", ()):
        yield f"{module.__name__}.{name}", getattr(module, name)


NAMES = dict(pair for module in MODULES for pair in public(module))


def documented(name: str, found: Any) -> Iterator[tuple[str, str | None]]:
    """Each docstring that `help` shows of a name."""
    yield name, inspect.getdoc(found)
    if inspect.isclass(found) and found.__module__.startswith("writ."):
        for member, value in inspect.getmembers(found):
            is_ours = getattr(value, "__module__", None) or getattr(getattr(value, "fget", None), "__module__", "")
            if not member.startswith("_") and callable(value) | isinstance(value, property) and "writ" in str(is_ours):
                yield f"{name}.{member}", inspect.getdoc(value)


def test_every_public_error_is_an_error_of_writ() -> None:
    errors = [one for one in NAMES.values() if inspect.isclass(one) and issubclass(one, BaseException)]
    assert len(errors) > 10
    assert [one for one in errors if not issubclass(one, writ.Error)] == []
    assert issubclass(writ.BadRequest, ValueError)


def test_every_error_of_what_applications_import_is_one() -> None:
    """Also those that are not in the list of public names."""
    internal = {"Broken", "NotSent", "_Failed"}  # no application catches them: the last one is pytest's
    found = {
        one
        for module in MODULES
        for one in every_class(module)
        if issubclass(one, Exception) and one.__module__.startswith(tuple(f"writ.{name}." for name in CLIENT_PACKAGES))
    }
    assert {one.__name__ for one in found if not issubclass(one, writ.Error)} <= internal


def every_class(module: ModuleType) -> Iterator[type]:
    for name, one in list(sys.modules.items()):
        if name == module.__name__ or name.startswith(f"{module.__name__}."):
            # `isclass` would ask a lazy object of Django, such as its settings, which need not be there.
            yield from (found for found in vars(one).values() if issubclass(type(found), type))


def test_help_shows_what_a_client_answers() -> None:
    for one in (writ.Client, writ.AsyncClient):
        assert inspect.signature(one.decide).return_annotation is writ.EvaluationResponse
        assert inspect.signature(one.allowed).return_annotation is bool
        assert list(inspect.signature(one.ask).parameters)[1:3] == ["subject_type", "subject_id"]
        assert inspect.iscoroutinefunction(one.filter) is (one is writ.AsyncClient)


@pytest.mark.parametrize("name", NAMES)
def test_help_has_a_docstring_without_internal_notes(name: str) -> None:
    for member, text in documented(name, NAMES[name]):
        assert text, member
        assert NOTES.search(text) is None, (member, NOTES.search(text))
