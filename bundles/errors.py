"""The error that a bundle raises, in one sentence."""

LONGEST_MESSAGE = 400


class BundleError(Exception):
    """A bundle file is damaged, foreign, truncated or newer than this reader; the message is one sentence.

    A question that raises this error gets no answer, and never an allow.
    """

    def __init__(self, message: str):
        """`message` may quote the file. Control characters are escaped, and a long message is cut."""
        super().__init__("".join(map(_shown, message[:LONGEST_MESSAGE])))


def _shown(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]


UNREADABLE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""What Python raises for crafted bytes: their checksum is right, but Writ did not write them."""
