"""Paths as they came: split as raw bytes, each segment decoded once, so that an id may hold a slash.

`/subjects/us%2Fer/x` names the subject (us/er, x), for routing, scopes and environments alike.
"""

import re
from typing import Final
from urllib.parse import quote, unquote

import falcon
import falcon.asgi

from .rejections import BadPath

_ORIGIN = re.compile(rb"^https?://[^/]*", re.IGNORECASE)
"""What stands in front of the path where a client names all of the URL (RFC 9112, 3.2.2)."""

_BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")

UNRESERVED_IN_SEGMENTS: Final = "!$&'()*+,;=:@"
"""What may stand for itself in a segment of a path (RFC 3986, 3.3), beside letters, digits and `-._~`."""


def segment(text: str) -> str:
    """One segment of a path, such that decoding it gives `text`, and no client takes it for a step in the tree.

    >>> segment("us/er"), segment("a:b"), segment("..")
    ('us%2Fer', 'a:b', '%2E%2E')
    """
    if text in (".", ".."):
        return text.replace(".", "%2E")
    return quote(text, safe=UNRESERVED_IN_SEGMENTS)


def canonical(raw: bytes) -> str:
    """The one way to write the path `raw`: only what must be is escaped, so that equal paths are equal texts.

    Raises:
        BadPath: an escape is none, or the bytes are not UTF-8.

    >>> canonical(b"/v1/%65nv/us%2fer/%C3%A9")
    '/v1/env/us%2Fer/%C3%A9'
    """
    if b"%" not in raw and raw.isascii():
        return raw.decode("ascii")
    if _BAD_ESCAPE.search(raw):
        raise BadPath("the path has a `%` that two hexadecimal digits do not follow")
    try:
        return "/".join(map(_canonical_segment, raw.decode().split("/")))
    except UnicodeDecodeError:
        raise BadPath("the path is not UTF-8") from None


def _canonical_segment(part: str) -> str:
    if "%" not in part and part.isascii():
        return part
    return quote(unquote(part, errors="strict"), safe=UNRESERVED_IN_SEGMENTS)


class RawPaths:
    """Falcon middleware that routes by the canonical path, and hands each parameter decoded to guard and responder."""

    def __init__(self, most_slashes: int) -> None:
        """`most_slashes` is how many the deepest route has: what has more is no path of any, and is not looked into."""
        self._most_slashes = most_slashes

    async def process_request(self, req: falcon.asgi.Request, _resp: falcon.asgi.Response) -> None:
        """Replace the path that the server decoded as a whole.

        Raises:
            BadPath: see `canonical`.
            falcon.HTTPRouteNotFound: it has too many segments, or begins with an empty one, which the router would
                overlook.
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
        """Decode the parameters.

        Raises:
            falcon.HTTPRouteNotFound: one is empty: nothing has an empty name.
        """
        for name, value in params.items():
            if not value:
                raise falcon.HTTPRouteNotFound
            if "%" in value:
                params[name] = unquote(value)
