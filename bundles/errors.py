"""The error of a bundle that can't be read."""

LONGEST_MESSAGE = 400
"""The length of a message, in characters. Longer messages are cut."""


class BundleError(Exception):
    """A bundle file is damaged, foreign, truncated or newer than this reader. The message is one sentence.

    A request that raises this error gets no answer. It is never allowed.
    """

    def __init__(self, message: str):
        """`message` may quote the file. Control characters are escaped, and a long message is cut."""
        super().__init__("".join(map(_shown, message[:LONGEST_MESSAGE])))


def _shown(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]


UNREADABLE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""The exceptions that Python raises for crafted bytes, which have a right checksum but were not written by Writ."""
