"""Splits paths as raw bytes and decodes each segment once, so that an id may contain a slash.

`/subjects/us%2Fer/x` names the subject (us/er, x), for routing, scopes and environments alike.
"""

import re
from typing import Final
from urllib.parse import quote, unquote

import falcon
import falcon.asgi

from .rejections import UndecodablePath

_ORIGIN = re.compile(rb"^https?://[^/]*", re.IGNORECASE)
"""The part before the path, if a client sends a complete URL (RFC 9112, 3.2.2)."""

_BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")

UNRESERVED_IN_SEGMENTS: Final = "!$&'()*+,;=:@"
"""Characters that need no escape in a segment (RFC 3986, 3.3), besides letters, digits and `-._~`."""


def segment(text: str) -> str:
    """Returns the segment of a path that decodes to `text`. Dots are escaped if clients would resolve the segment.

    >>> segment("us/er"), segment("a:b"), segment("..")
    ('us%2Fer', 'a:b', '%2E%2E')
    """
    if text in (".", ".."):
        return text.replace(".", "%2E")
    return quote(text, safe=UNRESERVED_IN_SEGMENTS)


def canonical(raw: bytes) -> str:
    """Returns the canonical text of the path `raw`, with as few escapes as possible. Equal paths have equal texts.

    Raises:
        BadPath: an escape is malformed, or the bytes are not UTF-8.

    >>> canonical(b"/v1/%65nv/us%2fer/%C3%A9")
    '/v1/env/us%2Fer/%C3%A9'
    """
    if b"%" not in raw and raw.isascii():
        return raw.decode("ascii")
    if _BAD_ESCAPE.search(raw):
        raise UndecodablePath("the path has a `%` that two hexadecimal digits do not follow")
    try:
        return "/".join(map(_canonical_segment, raw.decode().split("/")))
    except UnicodeDecodeError:
        raise UndecodablePath("the path is not UTF-8") from None


def _canonical_segment(part: str) -> str:
    if "%" not in part and part.isascii():
        return part
    return quote(unquote(part, errors="strict"), safe=UNRESERVED_IN_SEGMENTS)


class RawPaths:
    """Falcon middleware that routes by the canonical path and decodes the parameters for guard and responder."""

    def __init__(self, most_slashes: int) -> None:
        """`most_slashes` is the number of slashes in the deepest route. A path with more is not looked at."""
        self._most_slashes = most_slashes

    async def process_request(self, req: falcon.asgi.Request, _resp: falcon.asgi.Response) -> None:
        """Replaces the path that the server decoded as a whole.

        Raises:
            BadPath: see `canonical`.
            falcon.HTTPRouteNotFound: the path has too many segments, or begins with an empty one, which the router
                would skip.
        """
        raw = _ORIGIN.sub(b"", req.scope["raw_path"])
        if raw.count(b"/") > self._most_slashes:
            raise falcon.HTTPRouteNotFound
        path = canonical(raw)
        if path.startswith("//"):
            raise falcon.HTTPRouteNotFound
        req.path = path

    async def process_resource(
        self, _req: falcon.asgi.Request, _resp: falcon.asgi.Response, _resource: object, params: dict[str, str]
    ) -> None:
        """Decodes the parameters.

        Raises:
            falcon.HTTPRouteNotFound: a parameter is empty.
        """
        for name, value in params.items():
            if not value:
                raise falcon.HTTPRouteNotFound
            if "%" in value:
                params[name] = unquote(value)
