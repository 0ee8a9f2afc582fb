"""Parameters, headers and answers that several operations share."""

from typing import Final

from ..http.queries import DEFAULT_PAGE_ITEMS
from ..http.request_id import HEADER
from ..store.pages import MAX_PAGE
from .operation import Answer, Parameter

PAGE: Final = (
    Parameter(
        "limit",
        f"Items of a page, {DEFAULT_PAGE_ITEMS} where it is left out.",
        {"type": "integer", "minimum": 1, "maximum": MAX_PAGE},
    ),
    Parameter("cursor", "Where the page begins: `next_cursor` of the page before it."),
)
"""The query of every list."""

IF_MATCH: Final = Parameter("If-Match", "The tag that must still be that of what is changed; else 412.")
IF_NONE_MATCH: Final = Parameter(
    "If-None-Match",
    "The tags of what the client has; where one is still right a read is 304, and a change 412.",
)
REQUEST_ID_SENT: Final = Parameter(HEADER, "Comes back unchanged.")

ETAG: Final = Parameter("ETag", "The entity tag, for `If-Match` and `If-None-Match`.")
CACHE_CONTROL: Final = Parameter("Cache-Control", "Who may keep the answer, and how long.")
LOCATION: Final = Parameter("Location", "The path of what was made.")
RETRY_AFTER: Final = Parameter("Retry-After", "Seconds until it may be tried again.", {"type": "integer"})
WWW_AUTHENTICATE: Final = Parameter("WWW-Authenticate", "The challenge.")
ACCEPT: Final = Parameter("Accept", "The content types that are taken.")
ALLOW: Final = Parameter("Allow", "The methods that are served.")
REQUEST_ID: Final = Parameter(HEADER, "What the request had as this header, if anything.")

UNCHANGED: Final = Answer("What the client has, as `If-None-Match` says, is what there is.", headers=(ETAG,))
"""The answer 304."""
