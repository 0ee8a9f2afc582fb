"""Which names of headers some backend reads as the same, and which of them no client may tell."""

import re
from collections.abc import Iterable
from typing import Final

OWN: Final = b"x-writ-"
"""Header names that begin with it are Writ's own: only Writ tells a backend something under them."""

FORWARDING: Final = (b"x-forwarded-", b"x-real-")
"""Beginnings of the names by which a gateway tells a backend of the client. The gateway itself sets the plain ones."""

REPLACING: Final = frozenset(
    (
        b"x-http-method",
        b"x-http-method-override",
        b"x-method-override",
        b"x-original-host",
        b"x-original-method",
        b"x-original-uri",
        b"x-original-url",
        b"x-rewrite-url",
    )
)
"""Headers by which some backend takes another method, host or path than the one that Writ has decided about."""

_PLAIN: Final = b"-0123456789abcdefghijklmnopqrstuvwxyz"

_ALIKE: Final = re.sub(rb"[^a-z0-9]", b"-", bytes(range(256)).lower())


def read_as(name: bytes) -> bytes:
    """Returns a name without case, and with `-` for each character that is no letter and no digit.

    Backends read all names as one for which this is the same: WSGI, CGI and Rack read `_` as `-`, and PHP `.` too. Some
    servers, such as lighttpd and the httpd of BusyBox, read every other character so.

    >>> read_as(b"X.Writ_Team")
    b'x-writ-team'
    """
    return name.translate(_ALIKE)


def are_plain(names: Iterable[bytes]) -> bool:
    """Returns whether names in lower case have only letters, digits and `-`, so that each is read in one way.

    PERF: every request is asked this, and calls into C answer it.
    """
    return not b"".join(names).translate(None, _PLAIN)


def is_withheld(name: bytes) -> bool:
    """Returns whether a name in lower case, as a client sent it, never reaches a backend.

    >>> [is_withheld(name) for name in (b"x-writ-team", b"x.writ.team", b"x_forwarded_for", b"x-forwarded-for")]
    [True, True, True, False]
    """
    plain = read_as(name)
    return plain.startswith(OWN) or plain in REPLACING or (plain != name and plain.startswith(FORWARDING))
