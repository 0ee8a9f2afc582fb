"""The check of the format that a file or a message states. Formats count from 1."""

from typing import Final

from .errors import BundleError

FIRST_FORMAT: Final = 1


def check_format(named: str, stated: int, newest: int) -> None:
    """Raises BundleError unless `stated` is a format from the first to the `newest`. `named` says what states it.

    >>> check_format("the bundle", 1, newest=1)
    """
    if stated > newest:
        raise BundleError(f"{named} has format {stated}, but this Writ reads only formats up to {newest}")
    if stated < FIRST_FORMAT:
        raise BundleError(f"{named} is damaged: it has format {stated}, and formats count from {FIRST_FORMAT}")
