"""Reads the header `Prefer`: how long a client is ready to wait, and what it takes (RFC 7240)."""

import re
from typing import Final

from ....bundles.feed.update import OLDER

LONGEST_WAIT: Final = 60
"""The longest wait of a long poll, in seconds."""

_WAIT: Final = re.compile(r'wait[ \t]*=[ \t]*"?(\d{1,9})"?', re.IGNORECASE)


def wait_preferred(header: str | None) -> int:
    """Returns the seconds that a request is ready to wait, at most `LONGEST_WAIT`. Without the preference it is 0.

    What can't be read is ignored, as the standard demands.

    >>> wait_preferred("respond-async, wait=20"), wait_preferred("wait=999"), wait_preferred("wait=soon")
    (20, 60, 0)
    """
    for preference in (header or "").split(","):
        found = _WAIT.fullmatch(preference.partition(";")[0].strip(" \t"))
        if found is not None:
            return min(int(found[1]), LONGEST_WAIT)
    return 0


def is_older_preferred(header: str | None) -> bool:
    """Returns whether a whole bundle may be older than the newest revision.

    >>> is_older_preferred("wait=0, older"), is_older_preferred("wait=0"), is_older_preferred(None)
    (True, False, False)
    """
    return any(one.partition(";")[0].strip(" \t").lower() == OLDER for one in (header or "").split(","))
