"""Parameters, headers and answers that several operations share."""

from typing import Final

from ...store.finding.finding import LONGEST_PART
from ...store.pages import MAX_PAGE
from ..queries import DEFAULT_PAGE_ITEMS
from ..request_id import HEADER
from .operation import Answer, Parameter

PAGE: Final = (
    Parameter(
        "limit",
        f"The most items on the page. The default is {DEFAULT_PAGE_ITEMS}.",
        {"type": "integer", "minimum": 1, "maximum": MAX_PAGE},
    ),
    Parameter("cursor", "The start of the page: the `next_cursor` of the previous page."),
)
"""The query of every list."""

PART: Final = Parameter(
    "q",
    "A part of an id or a name. Case, marks on letters and invisible characters make no difference.",
    {"type": "string", "maxLength": LONGEST_PART},
)
"""The part of a text that the items of a list have."""

IF_MATCH: Final = Parameter(
    "If-Match", "The entity tag that the client read. If it has changed since, the answer is 412."
)
IF_NONE_MATCH: Final = Parameter(
    "If-None-Match",
    "The entity tags that the client has. If one of them still matches, a read is 304 and a change is 412.",
)
REQUEST_ID_SENT: Final = Parameter(HEADER, "An id of the request. The answer has the same. Without it, Writ makes one.")

ETAG: Final = Parameter("ETag", "The entity tag, for `If-Match` and `If-None-Match`.")
CACHE_CONTROL: Final = Parameter("Cache-Control", "Who may cache the answer, and how long.")
LOCATION: Final = Parameter("Location", "The path of the new resource.")
RETRY_AFTER: Final = Parameter("Retry-After", "Seconds until the client may try again.", {"type": "integer"})
WWW_AUTHENTICATE: Final = Parameter("WWW-Authenticate", "The credential that the request needs.")
ACCEPT: Final = Parameter("Accept", "The content types that the operation takes.")
ALLOW: Final = Parameter("Allow", "The methods of the path.")
REQUEST_ID: Final = Parameter(HEADER, "The id of the request: the client's, or one that Writ made.")

UNCHANGED: Final = Answer("Unchanged: the client has the newest version, as `If-None-Match` says.", headers=(ETAG,))
"""The answer 304."""
