"""Makes the handlers of routes from the parts of a server."""

from collections.abc import Callable
from functools import cache
from inspect import Parameter, signature
from typing import Any


@cache
def needed_parts(maker: Callable[..., object]) -> dict[str, Any]:
    """Returns the parts that a handler's maker needs: the names of its parameters without a default, with their types.

    >>> needed_parts(lambda work, limits, shown=True: None)
    {'work': <class 'inspect._empty'>, 'limits': <class 'inspect._empty'>}
    """
    parameters = signature(maker).parameters.values()
    return {one.name: one.annotation for one in parameters if one.default is Parameter.empty}


def made_handler(maker: Callable[..., object], parts: object) -> Any:
    """Returns the handler that `maker` makes of the attributes of `parts` which its parameters name."""
    return maker(**{name: getattr(parts, name) for name in needed_parts(maker)})
