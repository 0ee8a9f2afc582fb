"""The base of all errors of Writ, and those of a bundle that can't be read, or that is not accepted."""

LONGEST_MESSAGE = 400
"""The length of a message, in characters. Longer messages are cut."""


class Error(Exception):
    """The base of all errors that Writ raises for an application. The message is one sentence."""


class BundleError(Error):
    """A bundle file is damaged, foreign, truncated or newer than this reader. The message is one sentence.

    A request that raises this error gets no answer. It is never allowed.
    """

    def __init__(self, message: str):
        """`message` may quote the file. Control characters are escaped, and a long message is cut."""
        super().__init__("".join(map(_shown, message[:LONGEST_MESSAGE])))


class UntrustedBundle(BundleError):
    """The signature of a bundle was not accepted. Each of the classes below has one reason."""


class UnsignedBundle(UntrustedBundle):
    """The bundle has no signature."""


class BadSignature(UntrustedBundle):
    """The signature can't be read, is not that of a bundle, or was not made with the key that it names."""


class UnknownKey(UntrustedBundle):
    """The signature names a key that is not among the given ones."""


class ChangedBundle(UntrustedBundle):
    """The bundle is not the one that was signed."""


class WrongEnvironment(UntrustedBundle):
    """The bundle belongs to another environment."""


class ExpiredBundle(UntrustedBundle):
    """The signature has expired, or its time of issue is in the future."""


class OlderBundle(UntrustedBundle):
    """The epoch and the revision of the bundle are below the least that is accepted."""


class DoesNotFollow(BundleError):
    """An update does not lead on from the revision in force. A whole bundle does."""


def _shown(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]


UNREADABLE = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""The exceptions that Python raises for crafted bytes, which have a right checksum but were not written by Writ."""
