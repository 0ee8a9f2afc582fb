"""Compares a revision token with the revision of the engine in force."""

import re
from typing import Final

from ...runtime.engine import Engine

_TOKEN: Final = re.compile(r"([0-9a-f-]{36})\.([0-9]{1,18})\.([0-9]{1,18})")


class NeverReached(ValueError):
    """No later revision can reach the token. The message is one sentence."""


def is_reached(engine: Engine | None, token: str) -> bool:
    """Returns whether the engine decides by the revision of a token, or by a newer one.

    Raises NeverReached for a text that is no token, for one of another environment, and for one of an earlier epoch.
    """
    return reaches(None if engine is None else engine.revision_token or "", token)


def reaches(present: str | None, token: str) -> bool:
    """Returns whether the present token is a token, or of a later revision. None is before each of them.

    Raises NeverReached as `is_reached`.
    """
    wanted = _TOKEN.fullmatch(token)
    if wanted is None:
        raise NeverReached("it is no revision token, such as UUID.EPOCH.REVISION")
    if present is None:
        return False
    found = _TOKEN.fullmatch(present)
    if found is None or found[1] != wanted[1]:
        raise NeverReached("the revision token is of another environment")
    if int(found[2]) > int(wanted[2]):
        raise NeverReached(f"the revision token is of epoch {wanted[2]}, and a backup was restored since")
    return (int(found[2]), int(found[3])) >= (int(wanted[2]), int(wanted[3]))
