"""Reads the target of a request to a backend, or refuses it: what two programs may read differently never passes."""

import re
from typing import Final
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from ...bundles.routing.templates import MAX_SEGMENTS

MAX_TARGET: Final = 8_192
"""The characters of a target that is read."""

MAX_PARAMETERS: Final = 1_000
"""The parameters of a query that is read."""

_PLAIN: Final = re.compile(r"""(?:/[!"$&-\-0-:<->@-\[\]-~][!"$&-.0-:<->@-\[\]-~]*)+/?(?:\?[!"$-~]*)?""")
"""Most targets: nothing is encoded, no mark has a second meaning, and no segment is empty or begins with a dot."""

_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_OUTSIDE: Final = re.compile(r"[^!-~]")
_STILL_ENCODED: Final = re.compile(r"%(?:[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})")
_CUT: Final = re.compile(r"[\[\x00]")
_FORBIDDEN: Final = {"\\": "a backslash", ";": "a `;`", "#": "a `#`", "?": "an encoded `?`"}


class BadTarget(Exception):
    """The target is refused. The message is a part of a sentence that says what it has."""


class Target(Struct, frozen=True, gc=False):
    """A request target (RFC 9112, 3.2.1): the decoded segments of its path, its path as sent, and its query."""

    segments: tuple[str, ...]
    path: str
    query: str

    @property
    def decoded_path(self) -> str:
        """The path with its segments decoded."""
        return self.path if "%" not in self.path else "/" + "/".join(self.segments)

    def parameter(self, name: str) -> str | None:
        """Returns a parameter of the query, or None if there is none.

        Raises BadTarget if it is there twice, or if there is one that some programs read as this one.
        """
        found = []
        for key, value in parameters(self.query):
            if key == name:
                found.append(value)
            elif loose_name(key) == loose_name(name):
                raise BadTarget(f"the parameter {key!r}, which some programs read as {name!r}")
        if len(found) > 1:
            raise BadTarget(f"the parameter {name!r} twice")
        return found[0] if found else None


def read_target(text: str) -> Target:
    """Returns the target of a request in origin form. Raises BadTarget.

    Refused are encoded slashes, backslashes, dots, `?` and NUL, dot segments, empty segments but the last, `;`, `#`,
    control and non-ASCII characters, escapes that are not UTF-8, what is encoded twice, and every other form of a
    target.

    PERF: a plain target is read by one expression. `test_a_plain_target_is_read_as_any_other` compares the two ways.
    """
    if len(text) > MAX_TARGET:
        raise BadTarget(f"more than {MAX_TARGET} characters")
    if _PLAIN.fullmatch(text) is None:
        return read_carefully(text)
    path, _, query = text.partition("?")
    return Target(_bounded(path[1:].split("/")), path, query)


def read_carefully(text: str) -> Target:
    """Returns any target of at most MAX_TARGET characters, part by part. Raises BadTarget; see `read_target`."""
    if not text.startswith("/"):
        raise BadTarget("a target that does not begin with `/`")
    if _OUTSIDE.search(text):
        raise BadTarget("a control character, white space, or a character beyond ASCII")
    if "#" in text:
        raise BadTarget(_FORBIDDEN["#"])
    path, _, query = text.partition("?")
    parts = _bounded(path[1:].split("/"))
    last = len(parts) - 1
    return Target(tuple(_segment(part, at == last) for at, part in enumerate(parts)), path, query)


def parameters(query: str) -> list[tuple[str, str]]:
    """Returns the decoded parameters of a query in order. Raises BadTarget.

    `+` is a space, as in forms. A `;` separates nothing, and is refused, since some programs take it for `&`.
    """
    if ";" in query:
        raise BadTarget(_FORBIDDEN[";"])
    pairs = query.split("&") if query else []
    if len(pairs) > MAX_PARAMETERS:
        raise BadTarget(f"more than {MAX_PARAMETERS} parameters")
    found = []
    for pair in pairs:
        name, _, value = pair.partition("=")
        found.append((_decoded(name.replace("+", " ")), _decoded(value.replace("+", " "))))
    return found


def loose_name(name: str) -> str:
    """Returns the name of a parameter as the loosest programs read it.

    Some drop white space at its ends or what follows a `[` or a NUL, some take no notice of case, and PHP reads a space
    and a dot as `_`.

    >>> {loose_name(name) for name in ("draft", " Draft", "draft[]", "draft\\0x")}
    {'draft'}
    """
    return _CUT.split(name, maxsplit=1)[0].strip().casefold().replace(" ", "_").replace(".", "_")


def _bounded(parts: list[str]) -> tuple[str, ...]:
    if len(parts) > MAX_SEGMENTS:
        raise BadTarget(f"more than {MAX_SEGMENTS} segments")
    return tuple(parts)


def _segment(part: str, is_last: bool) -> str:
    if not part:
        if is_last:
            return part
        raise BadTarget("`//`")
    text = _decoded(part) if "%" in part else part
    for mark, name in _FORBIDDEN.items():
        if mark in text:
            raise BadTarget(name)
    if text.strip() in (".", ".."):  # some programs drop white space at the ends of a name
        raise BadTarget("a dot segment")
    if text is not part:
        if "/" in text or _has_encoded_dot(part):
            raise BadTarget("an encoded `/` or `.`")
        if _STILL_ENCODED.search(text):
            raise BadTarget("a segment that is encoded twice")
        if any(character < " " or "\x7f" <= character <= "\x9f" for character in text):
            raise BadTarget("an encoded control character")
    return text


def _has_encoded_dot(part: str) -> bool:
    return "%2e" in part.lower()


def _decoded(part: str) -> str:
    if _PERCENT.search(part):
        raise BadTarget("a `%` without two hexadecimal digits")
    try:
        return unquote_to_bytes(part).decode()
    except UnicodeDecodeError:
        raise BadTarget("escapes that are not UTF-8") from None
