"""Whether an input breaks the law of its target, and the smallest one that breaks it in the same way."""

import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.deep.fuzz.targets import Law

SECONDS: Final = 15.0
"""How long one input is made smaller, at most."""


def broken(law: Law, data: bytes) -> str | None:
    """Returns how an input breaks a law: the kind of error, its place and its words; or None."""
    try:
        law(data)
    except Exception as ex:  # whatever it is, Writ did not keep its promise
        *_, last = traceback.extract_tb(ex.__traceback__)
        return f"{type(ex).__name__} at {Path(last.filename).name}:{last.lineno}: {str(ex)[:1_000] or last.line}"
    return None


def kind_of(wrong: str | None) -> str | None:
    """The kind of error and its place, which a smaller input has to share."""
    return wrong and ": ".join(wrong.split(": ")[:1])


def smallest(law: Law, data: bytes, seconds: float = SECONDS) -> bytes:
    """Returns the smallest input that greedy steps reach in the time and that breaks the law in the same way."""
    deadline, kind = time.monotonic() + seconds, kind_of(broken(law, data))
    reduced = kind is not None
    while reduced:
        reduced = False
        for smaller in smaller_forms(data):
            if time.monotonic() > deadline:
                return data
            if kind_of(broken(law, smaller)) == kind:
                data, reduced = smaller, True
                break
    return data


def smaller_forms(data: bytes) -> Iterator[bytes]:
    """Each form with a part less, the largest parts first."""
    size = len(data) // 2
    while size:
        yield from (data[:at] + data[at + size :] for at in range(0, len(data), size))
        size //= 2
