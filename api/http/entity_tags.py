"""Entity tags: the conditions of a request in `If-Match` and `If-None-Match` (RFC 9110, 8.8.3, 13.1).

Falcon reads the tags. A header that breaks the grammar is refused first: Falcon would read part of it, or nothing, and
a write without its condition would overwrite.
"""

import re
from typing import Final, Literal

import falcon
import falcon.asgi

from ..store.errors import BadQuery, PreconditionFailed

MOST_TAGS: Final = 100

_TAG: Final = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_TAGS: Final = re.compile(rf"[ \t,]*+{_TAG}(?:[ \t]*+,[ \t,]*+{_TAG})*+[ \t,]*+")


def expected_tags(req: falcon.asgi.Request) -> frozenset[str] | None:
    """Returns the tags of `If-Match` without quotes, or None if any tag will do.

    Weak tags are left out: they never match (13.1.1).

    Raises:
        BadQuery: the header breaks the grammar.
    """
    tags = _tags(req, "If-Match")
    return None if tags is None or tags == "*" else frozenset(str(tag) for tag in tags if not tag.is_weak)


def required_tag(req: falcon.asgi.Request, current: str) -> str | None:
    """Returns the tag that a write must find: `current` if the request has conditions, or None if it has none.

    Raises:
        PreconditionFailed: `If-Match` does not name `current`, or `If-None-Match` does (13.2.2).
        BadQuery: a header breaks the grammar.
    """
    expected = expected_tags(req)
    if expected is not None and current not in expected:
        raise PreconditionFailed("`If-Match` does not name the stored version; read it again")
    if is_known(req, current):
        raise PreconditionFailed("`If-None-Match` names the stored version")
    return None if expected is None and req.get_header("If-None-Match") is None else current


def wants_new(req: falcon.asgi.Request) -> bool:
    """Returns whether a write may only create: its `If-None-Match` is `*` (13.1.2).

    Raises:
        BadQuery: it also has `If-Match`, which asks for a stored version, or the header breaks the grammar.
    """
    if _tags(req, "If-None-Match") != "*":
        return False
    if req.get_header("If-Match") is not None:
        raise BadQuery("`If-None-Match: *` asks that nothing is stored, and `If-Match` that something is; send one")
    return True


def refuse_tags(req: falcon.asgi.Request) -> None:
    """Refuses a write with a condition on something that has no tag. `If-Match: *` passes.

    Raises:
        PreconditionFailed: `If-Match` names tags.
        BadQuery: the header breaks the grammar.
    """
    if expected_tags(req) is not None:
        raise PreconditionFailed("this has no entity tag; leave `If-Match` out")


def is_known(req: falcon.asgi.Request, current: str) -> bool:
    """Returns whether `If-None-Match` names the tag `current`: the client has this already. Raises BadQuery."""
    tags = _tags(req, "If-None-Match")
    return tags is not None and (tags == "*" or current in tags)


def _tags(
    req: falcon.asgi.Request, header: Literal["If-Match", "If-None-Match"]
) -> list[falcon.ETag] | Literal["*"] | None:
    """Returns the tags of a header, `*`, or None if the header is missing."""
    text = req.get_header(header)
    if text is None:
        return None
    if text.strip() == "*":
        return "*"
    tags: list[falcon.ETag] = []
    if _TAGS.fullmatch(text):
        read = req.if_match if header == "If-Match" else req.if_none_match
        tags = [tag for tag in read or () if isinstance(tag, falcon.ETag)]
    if not 0 < len(tags) <= MOST_TAGS:
        raise BadQuery(f'`{header}` is `*`, or up to {MOST_TAGS} tags in double quotes, like `"abc"`')
    return tags
