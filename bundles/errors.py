"""What can be wrong with a bundle, said in one sentence."""


class BundleError(Exception):
    """A bundle file is damaged, foreign, truncated or newer than this reader; the message is one sentence.

    Nothing is ever granted from a bundle that raised this.
    """


UNREADABLE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""What Python raises over bytes that a checksum vouches for and no writer of ours wrote."""
