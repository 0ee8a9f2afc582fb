"""Splits a pattern into its parts: letters, classes, escapes, anchors, groups and repeats."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

_PARTS: Final = re.compile(
    r"""(?P<escape>\\(?:p\{[^}]*\}|P\{[^}]*\}|x\{[^}]*\}|.))
    |(?P<set>\[\^?\]?(?:\[:[^:\]]*:\]|\\.|[^\]\\])*\])
    |(?P<open>\((?:\?P?<[^>]*>|\?[a-zA-Z-]*:|\?[a-zA-Z-]+(?=\)))?)
    |(?P<close>\))|(?P<bar>\|)|(?P<start>\^)|(?P<end>\$)|(?P<any>\.)
    |(?P<repeat>[*+?]\??|\{\d+(?:,\d*)?\}\??)
    |(?P<letter>.)""",
    re.VERBOSE | re.DOTALL,
)


class Part(NamedTuple):
    """A part of a pattern: its kind, such as `letter`, its text, and the groups around it."""

    kind: str
    text: str
    depth: int

    @property
    def letter(self) -> str:
        """The one character that it matches, or "" if it matches several or none."""
        if self.kind == "letter":
            return self.text
        return self.text[1:] if self.kind == "escape" and len(self.text) == 2 and not self.text[1].isalnum() else ""


def parts_of(pattern: str) -> Sequence[Part]:
    """Returns the parts of a pattern that RE2 accepts.

    >>> [part.kind for part in parts_of("^a[b]*$")]
    ['start', 'letter', 'set', 'repeat', 'end']
    """
    found, depth = [], 0
    for match in _PARTS.finditer(pattern):
        kind = str(match.lastgroup)
        depth -= kind == "close"
        found.append(Part(kind, match[0], depth))
        depth += kind == "open"
    return found
