"""The names of environments: ids, and UUIDs in the bounds of a credential. It needs no database."""

import re
from typing import Final, TypeAlias

from .errors import OutOfBounds

DEFAULT: Final = "default"
"""The environment that every store has."""

Bounds: TypeAlias = frozenset[str] | None
"""The UUIDs of the environments that a credential is bound to, or None if it is not bound."""

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def is_environment_id(text: str) -> bool:
    """Returns whether an environment may have this id."""
    return _ID.fullmatch(text) is not None


def refuse_outside(uuid: str | None, bounds: Bounds) -> None:
    """Raises OutOfBounds if an environment is outside `bounds`. The bounds None are unlimited.

    `uuid` is None if the environment does not exist. A bound credential gets the same error then.
    """
    if bounds is not None and uuid not in bounds:
        raise OutOfBounds("the credential is bound to other environments than this one")
