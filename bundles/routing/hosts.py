"""The names of routes: hosts, methods and headers, and which names cover a host."""

import re
from typing import Final

ANYWHERE: Final = ""
"""The name under which the routes for any host are found."""

BELOW: Final = "*."
"""Before a name: the hosts below it, to any depth."""

MAX_HOST: Final = 253
"""The characters of a host name (RFC 1035)."""

MAX_METHOD: Final = 64
"""The characters of a method."""

MAX_HEADER: Final = 100
"""The characters of a header's name."""

_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LABEL = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST: Final = re.compile(rf"(\*\.)?{_LABEL}(\.{_LABEL})*")
_METHOD: Final = re.compile(r"[A-Z][A-Z0-9_-]*")


def is_host_pattern(text: str) -> bool:
    """Returns whether a text is a name in lower case without a port, or `*.` and such a name.

    >>> [is_host_pattern(one) for one in ("api.example", "*.example", "API.example", "a.example:80", "*")]
    [True, True, False, False, False]
    """
    return len(text) <= MAX_HOST + len(BELOW) and _HOST.fullmatch(text) is not None


def is_method(text: str) -> bool:
    """Returns whether a text is a method in upper case, such as `GET` or `M-SEARCH`."""
    return len(text) <= MAX_METHOD and _METHOD.fullmatch(text) is not None


def is_header_name(text: str) -> bool:
    """Returns whether a text is the name of a header: a token of RFC 9110, 5.6.2."""
    return len(text) <= MAX_HEADER and _HEADER.fullmatch(text) is not None


def names_above(host: str) -> list[str]:
    """Returns the names under which routes for a host are found: any, its own, and `*.` of each domain above it.

    For a pattern such as `*.b.example`, these are the names that cover all its hosts.

    >>> names_above("a.b.example"), names_above("*.b.example")
    (['', 'a.b.example', '*.b.example', '*.example'], ['', '*.b.example', '*.example'])
    """
    names = [ANYWHERE]
    if host:
        names.append(host)
        rest = host.removeprefix(BELOW)
        while "." in rest:
            rest = rest.partition(".")[2]
            names.append(f"{BELOW}{rest}")
    return names
