"""Why a request is refused before anything is decided: the service's own exceptions, each one sentence."""

from msgspec import Struct


class Detail(Struct, frozen=True):
    """One fault or warning: a stable code, the JSON path of its place in the body, one sentence.

    Where something else is in the way, there is one for each of these, its path below the environment's as `path`.
    """

    code: str
    path: str
    message: str


class ErrorAnswer(Struct, frozen=True, omit_defaults=True):
    """Why a request was refused, in one sentence."""

    error: str
    details: tuple[Detail, ...] = ()


class BodyRejected(Exception):
    """The body is not a request that this endpoint can read (authzen.md 69-72)."""

    def __init__(self, code: str, message: str, path: str = "$") -> None:
        super().__init__(message)
        self.detail = Detail(code, path, message)


class BodyTooLarge(BodyRejected):
    """The body has more bytes than the limit."""

    def __init__(self, limit: int, length: int | None = None) -> None:
        """`length` is what the client announced, None where it announced nothing."""
        found = f"has {length} bytes" if length is not None else f"goes on after {limit} bytes"
        super().__init__("body-too-large", f"the body {found}, the limit is {limit}")


class UnsupportedMedia(Exception):
    """The body is of a kind that this endpoint does not take; `accepted` are those that it takes."""

    def __init__(self, content_type: str | None, accepted: tuple[str, ...]) -> None:
        expected = " or ".join(f"`{one}`" for one in accepted)
        if content_type is None:
            super().__init__(f"the `Content-Type` header is missing; send {expected}")
        else:
            super().__init__(f"the content type must be {expected}, not `{content_type[:100]}`")
        self.accepted = accepted


class BadPath(Exception):
    """The path is no percent-encoded UTF-8 (RFC 3986, 2.1)."""


class Unauthenticated(Exception):
    """No credential was sent, or none that this service knows (authzen.md 97)."""

    def __init__(self, message: str, code: str | None = None) -> None:
        """`code` is that of RFC 6750, 3.1; None where no credential was sent at all."""
        super().__init__(message)
        self.code = code


class TooManyFailures(Exception):
    """The credential is wrong, and so were many others that came from this address in this minute."""

    def __init__(self, seconds: int) -> None:
        """`seconds` are those until the next attempt."""
        super().__init__(f"too many wrong credentials came from this address; try again in {seconds} s")
        self.seconds = seconds


class Forbidden(Exception):
    """The credential is known, and does not cover what was asked for (contract 7.2).

    `scope` is the one that would, None where it is not a matter of scopes.
    """

    def __init__(self, message: str, scope: str | None = None) -> None:
        super().__init__(message)
        self.scope = scope
