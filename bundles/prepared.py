"""Prepares types for msgspec while modules load, in one thread."""

from typing import Any, TypeVar

import msgspec

_T = TypeVar("_T")


def prepared(shape: type[_T]) -> type[_T]:
    """Returns a type, after msgspec has made what it needs to decode it. It also serves as a decorator.

    Else msgspec makes that at the first use, and lets other threads see it half made: two threads that use a type for
    the first time at once may crash the process. So every struct that is decoded has this, or a decoder that is made
    while its module loads.
    """
    msgspec.json.Decoder[Any](shape)
    return shape
