"""The templates of a route: of a path, such as `/documents/{id}/pages/*`, and of a value, such as `doc-{id}`."""

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from .hosts import is_header_name

REST: Final = "*"
"""The name of the capture that a last `*` makes: the rest of the path."""

HEADER: Final = "header:"
"""Begins an action or a value that comes from a header which the gateway sets."""

MAX_SEGMENTS: Final = 64
"""The segments of a template, and of a path that a route can match."""

_CAPTURE: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*|\*)\}")
_LITERAL: Final = re.compile(r"[^{}*/?#\\%\x00-\x20\x7f-\x9f]*")


class BadTemplate(ValueError):
    """A template can't be read. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Capture:
    """A segment that matches any text but the empty one, and gives it a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Rest:
    """The rest of a path: one segment or more, the last of which may be empty."""


Segment: TypeAlias = str | Capture | Rest
"""A part of a path template between slashes. A text matches itself, after percent-decoding."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value with at most one capture: the text before it, its name or None, and the text after it.

    One capture only, so that two requests never give the same value by different parts. If it comes from a `header`
    that the gateway sets, it has nothing else.
    """

    before: str
    capture: str | None
    after: str
    header: str | None = None

    def of(self, captures: dict[str, str]) -> str:
        """Returns the value for these captures. It is empty if the value comes from a header."""
        return self.before if self.capture is None else f"{self.before}{captures[self.capture]}{self.after}"


def path_template(text: str) -> tuple[Segment, ...]:
    """Returns the segments of a path template. Raises BadTemplate.

    >>> path_template("/documents/{id}/*")
    ('documents', Capture(name='id'), Rest())
    """
    if not text.startswith("/"):
        raise BadTemplate("a path begins with `/`")
    parts = text[1:].split("/")
    if len(parts) > MAX_SEGMENTS:
        raise BadTemplate(f"a path has at most {MAX_SEGMENTS} segments")
    segments = tuple(_segment(part, at == len(parts) - 1) for at, part in enumerate(parts))
    names = [one.name for one in segments if isinstance(one, Capture)]
    for name in names:
        if names.count(name) > 1:
            raise BadTemplate(f"`{{{name}}}` stands in it twice")
    return segments


def captures_in(segments: tuple[Segment, ...]) -> frozenset[str]:
    """Returns the names that a path template captures."""
    return frozenset(REST if isinstance(one, Rest) else one.name for one in segments if not isinstance(one, str))


def value_template(text: str) -> Value:
    """Returns a value template. Raises BadTemplate.

    >>> value_template("doc-{id}").capture, value_template("main").before, value_template("header:X-Id").header
    ('id', 'main', 'X-Id')
    """
    header = header_in(text)
    if header is not None:
        return Value("", None, "", header)
    found = _CAPTURE.search(text)
    before, after = (text, "") if found is None else (text[: found.start()], text[found.end() :])
    if any(mark in part for part in (before, after) for mark in "{}"):
        raise BadTemplate("a value has at most one capture, such as `{id}`, and no other braces")
    return Value(before, None if found is None else found[1], after)


def header_in(text: str) -> str | None:
    """Returns the header that an action or a value of a route comes from, or None. Raises BadTemplate.

    >>> header_in("header:X-Operation"), header_in("read")
    ('X-Operation', None)
    """
    if not text.startswith(HEADER):
        return None
    name = text.removeprefix(HEADER)
    if not is_header_name(name):
        raise BadTemplate(f"`{HEADER}NAME` takes the name of a header, such as `{HEADER}X-Operation`")
    return name


def _segment(part: str, is_last: bool) -> Segment:
    if part == REST:
        if not is_last:
            raise BadTemplate("`*` stands only at the end of a path")
        return Rest()
    if part in (".", ".."):
        raise BadTemplate(f"`{part}` can't be a segment: no such request is let through")
    found = _CAPTURE.fullmatch(part)
    if found is not None and found[1] != REST:
        return Capture(found[1])
    if not _LITERAL.fullmatch(part):
        raise BadTemplate(
            f"`{part}` is neither a text nor a capture like `{{id}}`; a segment has no `*`, no `%`, no braces in its"
            " text, and no white space"
        )
    if not part and not is_last:
        raise BadTemplate("a segment is empty: no request with `//` is let through")
    return part
