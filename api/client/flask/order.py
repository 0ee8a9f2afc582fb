"""Stops requests to views that Flask knows without their guard."""

from collections.abc import Callable
from types import FunctionType
from typing import Any, Final
from weakref import WeakSet

from flask import Flask, request, request_started

_UNGUARDED: Final = WeakSet[FunctionType]()
"""The functions below a `requires`. Flask should only know what `requires` made of them."""


def note_guarded(view: Callable[..., Any]) -> None:
    """Note a view that `requires` stands above, so that no request gets to it without the guard."""
    if isinstance(view, FunctionType):
        _UNGUARDED.add(view)


@request_started.connect
def _check_view(app: Flask, **_: Any) -> None:
    """Raises RuntimeError if the view of a request is one below `requires`, which Flask got from a route below it."""
    if request.endpoint and app.view_functions.get(request.endpoint) in _UNGUARDED:
        message = f"the view `{request.endpoint}` is not guarded, since `requires` stands above the route"
        raise RuntimeError(f"{message}: write `@app.route(…)` above it")
