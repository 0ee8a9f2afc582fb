"""What can be wrong with a bundle, said in one sentence."""

LONGEST_MESSAGE = 400


class BundleError(Exception):
    """A bundle file is damaged, foreign, truncated or newer than this reader; the message is one sentence.

    Nothing is ever granted from a bundle that raised this.
    """

    def __init__(self, message: str):
        """`message` may quote the file: what a terminal would obey or can't show is escaped, what is long is cut."""
        super().__init__("".join(map(_shown, message[:LONGEST_MESSAGE])))


def _shown(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]


UNREADABLE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""What Python raises over bytes that a checksum vouches for and no writer of ours wrote."""
