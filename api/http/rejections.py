"""The errors of requests that are refused before any decision; each message is one sentence."""

from msgspec import Struct


class Detail(Struct, frozen=True, omit_defaults=True):
    """One fault or warning: a stable code, the JSON path of its place in the body, one sentence.

    In a model of text or YAML, `line` and `column` are the place, counted from 1. If other elements prevent a change,
    there is one for each, with its path below the environment.
    """

    code: str
    path: str
    message: str
    line: int | None = None
    column: int | None = None


class ErrorAnswer(Struct, frozen=True, omit_defaults=True):
    """The reason why a request was refused, in one sentence."""

    error: str
    details: tuple[Detail, ...] = ()


class BodyRejected(Exception):
    """The endpoint can't read the body (authzen.md 69-72)."""

    def __init__(self, code: str, message: str, path: str = "$") -> None:
        super().__init__(message)
        self.detail = Detail(code, path, message)


class BodyTooLarge(BodyRejected):
    """The body has more bytes than the limit."""

    def __init__(self, limit: int, length: int | None = None) -> None:
        """`length` is the length that the client announced, or None if it announced none."""
        found = f"has {length} bytes" if length is not None else f"goes on after {limit} bytes"
        super().__init__("body-too-large", f"the body {found}, the limit is {limit}")


class UnsupportedMedia(Exception):
    """The endpoint does not take the body's content type. `accepted` are the types that it takes."""

    def __init__(self, content_type: str | None, accepted: tuple[str, ...]) -> None:
        expected = " or ".join(f"`{one}`" for one in accepted)
        if content_type is None:
            super().__init__(f"the `Content-Type` header is missing; send {expected}")
        else:
            super().__init__(f"the content type must be {expected}, not `{content_type[:100]}`")
        self.accepted = accepted


class UnsupportedCoding(Exception):
    """The endpoint takes no body with this content coding, such as a compressed one (RFC 9110, 15.5.16)."""

    def __init__(self, coding: str) -> None:
        named = f"`{coding[:100]}`"
        super().__init__(f"the content coding {named} is not supported; send the body without `Content-Encoding`")


class UndecodablePath(Exception):
    """The path is not percent-encoded UTF-8 (RFC 3986, 2.1)."""


class Unauthenticated(Exception):
    """The request has no credential, or an unknown one (authzen.md 97)."""

    def __init__(self, message: str, code: str | None = None) -> None:
        """`code` is the error code of RFC 6750, 3.1, or None if no credential was sent."""
        super().__init__(message)
        self.code = code


class TooManyFailures(Exception):
    """The credential is wrong, and so were too many others from this address in this minute."""

    def __init__(self, seconds: int) -> None:
        """`seconds` is the time until the next attempt."""
        super().__init__(f"too many wrong credentials came from this address; try again in {seconds} s")
        self.seconds = seconds


class Forbidden(Exception):
    """The credential is known, and does not allow the request (contract 7.2).

    `scope` is the scope that would allow it, or None if no scope would.
    """

    def __init__(self, message: str, scope: str | None = None) -> None:
        super().__init__(message)
        self.scope = scope


class OtherRevisions(Exception):
    """The request asks for a revision that no state of this environment follows."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.detail = Detail(code, "$", message)


class NotYet(Exception):
    """The request can't be answered yet, but soon may: 503 with `Retry-After`."""
