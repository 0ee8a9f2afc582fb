"""Finds dot segments in raw paths: a program that resolves them reads another path than one that does not."""

import re
from typing import Final

_DOT_SEGMENT: Final = re.compile(r"(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\;#]|%2f|%5c|%3b|%23|\Z)", re.IGNORECASE)


def has_dot_segment(target: str) -> bool:
    r"""Returns whether a raw target has a dot segment before its query, for any program that reads it.

    The dots and what stands around them may be encoded. Some programs take `\` for `/`, and cut a segment at `;`.

    >>> [has_dot_segment(one) for one in ("/a/../b", "/a%2F%2e.", "/a?x=/../", "/.well-known", "/a..b/...")]
    [True, True, False, False, False]
    """
    if "." not in target and "%" not in target:  # PERF: most targets have no dot
        return False
    return _DOT_SEGMENT.search(target.partition("?")[0]) is not None
