"""Entity tags: conditions on what a request may change, and on what need not be sent again (RFC 9110, 8.8.3, 13.1)."""

import re
from typing import Final

import falcon
import falcon.asgi

from ..store.errors import BadQuery, PreconditionFailed

_TAG = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
MOST_TAGS: Final = 100


def expected_tags(req: falcon.asgi.Request) -> frozenset[str] | None:
    """The tags of `If-Match`, without quotes; None where any will do.

    Weak ones are left out: they never match (13.1.1).

    Raises:
        BadQuery: the header can't be read; to leave it aside would be to overwrite.
    """
    tags = _tags(req, "If-Match")
    return None if tags is None else frozenset(tag for weak, tag in tags if not weak)


def required_tag(req: falcon.asgi.Request, current: str) -> str | None:
    """The tag that a write must find: the `current` one where the request has conditions, None where any will do.

    Raises:
        PreconditionFailed: `If-Match` does not name it, or `If-None-Match` does (RFC 9110, 13.2.2).
        BadQuery: a header can't be read.
    """
    expected = expected_tags(req)
    if expected is not None and current not in expected:
        raise PreconditionFailed("what is stored is none of those that `If-Match` names; read it again")
    if is_known(req, current):
        raise PreconditionFailed("what is stored is one of those that `If-None-Match` names")
    return None if expected is None and req.get_header("If-None-Match") is None else current


def refuse_tags(req: falcon.asgi.Request) -> None:
    """Pass where a write to what has no tag has no condition that asks for one.

    Raises:
        PreconditionFailed: it has; to leave it aside would be to overwrite.
        BadQuery: a header can't be read.
    """
    if expected_tags(req) is not None:
        raise PreconditionFailed("this has no tag that `If-Match` could name; leave the header out")


def is_known(req: falcon.asgi.Request, current: str) -> bool:
    """Whether the client has what it asks for: `If-None-Match` names the `current` tag. Raises BadQuery."""
    if req.get_header("If-None-Match") is None:
        return False
    tags = _tags(req, "If-None-Match")
    return tags is None or any(tag == current for _, tag in tags)


def show_tag(resp: falcon.asgi.Response, tag: str) -> None:
    """Set `ETag`."""
    resp.set_header("ETag", f'"{tag}"')


def answer_unchanged(resp: falcon.asgi.Response) -> None:
    """Answer 304: the client has it already."""
    resp.status = falcon.HTTP_304


def _tags(req: falcon.asgi.Request, header: str) -> list[tuple[str, str]] | None:
    """The tags of a header, each with what marks it as weak; None where it is missing or `*`."""
    text = req.get_header(header)
    if text is None or text.strip() == "*":
        return None
    tags = _TAG.findall(text)
    if not 0 < len(tags) <= MOST_TAGS or _TAG.sub("", text).strip(", \t"):
        raise BadQuery(f'`{header}` is `*`, or up to {MOST_TAGS} tags in double quotes, like `"abc"`')
    return tags
