"""The heads that a connection knows: a client repeats its head, but for a few values, and then it is not read again.

A head is learned from its bytes once it was read, checked and answered by the decision lane, and came twice in a row.
It is kept as a regular expression with a hole for each of these values. What differs anywhere else, or has a value that
is not plain, is no known head: the parser reads it. So the parser stays the meaning of every head.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ..http.request_id import FIELD, made_id
from .lane_calls import LANE_BYTES
from .request_parser import Request

_LENGTH: Final = b"content-length"
_CREDENTIALS: Final = (b"authorization", b"x-writ-authorization")

_HOLES: Final = {
    _LENGTH: rb"[1-9][0-9]{0,6}",
    **dict.fromkeys(_CREDENTIALS, rb"Bearer [!-~]{1,4096}"),
    **dict.fromkeys((FIELD, b"traceparent"), rb"[!-~]{1,128}"),
    **dict.fromkeys(
        (b"x-original-uri", b"x-original-url", b"x-original-method", b"x-writ-subject", b"x-forwarded-uri"),
        rb"[!-~]{1,1024}",
    ),
}
"""The values that may differ, by the lower-case names of their fields. No other white space is around them than that of
the head that was learned, so each is what the parser would read. Their lengths keep every bound of a head."""

LONGEST: Final = 4_096
"""The bytes of a head that is learned."""

MOST_KNOWN: Final = 4
"""The heads that a connection knows at a time, such as one for each of the calls that it makes in turn."""

MOST_LEARNED: Final = 16
"""The heads that a connection may try to learn. A client whose head is never the same twice ends the attempts."""


class KnownHead:
    """A head that was read. `request` is that of the last head that matched, without its credentials."""

    __slots__ = ("_holes", "_id", "_length", "_match", "credentials", "pattern", "request")

    def __init__(self, pattern: bytes, request: Request) -> None:
        """`pattern` is that of `pattern_of`."""
        self.pattern = pattern
        self._match = re.compile(pattern).match  # PERF: which remembers it for other connections too
        self._holes = holes = [name for name, _ in request.headers if name in _HOLES]
        # PERF: the places of two of the values, so that they are not looked up by their names.
        self._length = holes.index(_LENGTH) if _LENGTH in holes else None
        self._id = holes.index(FIELD) if FIELD in holes else None
        self.credentials = [name for name in _CREDENTIALS if name in holes]
        self.request = replace(request, headers=[], fields=dict(request.fields))
        self.forget()

    def read(self, data: bytes, at: int) -> int:
        """Returns the end of the head that begins at a place in `data`, or 0 if it is another head, or is not whole."""
        found = self._match(data, at)
        if found is None:
            return 0
        request, values = self.request, found.groups()
        fields = request.fields
        for name, value in zip(self._holes, values):  # noqa: B905 - PERF: `strict` or `update` takes twice as long
            fields[name] = value
        if self._length is not None:
            request.length = int(values[self._length])
        request.id = made_id() if self._id is None else values[self._id]
        return found.end()

    def forget(self) -> None:
        """Forget the credentials."""
        for name in self.credentials:
            self.request.fields.pop(name, None)


class KnownHeads:
    """The heads that one connection knows."""

    __slots__ = ("_last", "_left", "heads")

    def __init__(self) -> None:
        self.heads: tuple[KnownHead, ...] = ()
        self._last, self._left = b"", MOST_LEARNED

    def answer(
        self, data: bytes, most: int, answer_of: Callable[[Request, bytes], bytes | None], output: list[bytes]
    ) -> int:
        """Answers the requests with known heads at the start of `data`. Returns the end of the last one.

        `most` is the longest body that the service takes. `answer_of` returns the bytes of an answer for the `output`,
        or None for a request that the parser has to read.
        """
        at, size, answer = 0, len(data), None
        while at < size:
            for known in self.heads:
                if begin := known.read(data, at):
                    break
            else:
                return at
            if known is not self.heads[0]:  # so that the next one is found at once
                self.heads = (known, *(other for other in self.heads if other is not known))
            request = known.request
            length = request.length
            end = begin + length
            if end <= size and length <= LANE_BYTES and length <= most:
                answer = answer_of(request, data[begin:end])
            for name in known.credentials:  # PERF: as `forget`
                del request.fields[name]
            if answer is None:
                return at
            output.append(answer)
            at = end
        return at

    def learn(self, data: bytes, request: Request | None) -> None:
        """Learn the head at the start of `data`, from which `request` was read, if it came twice in a row."""
        if self._left <= 0 or request is None:
            return
        pattern = pattern_of(data, request)
        if any(known.pattern == pattern for known in self.heads):
            return  # the lane left it at first, since the machine was busy
        self._left -= 1
        if pattern is None or pattern != self._last:
            self._last = pattern or b""
            return
        self.heads = (KnownHead(pattern, request), *self.heads[: MOST_KNOWN - 1])


def pattern_of(data: bytes, request: Request) -> bytes | None:
    """Returns the pattern of the head at the start of `data`, from which `request` was read, or None if it has none.

    That is so for a head that is long, ends the connection, asks for another protocol, or is not plain.
    """
    head, end, _ = data[: LONGEST + 4].partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    asked = b"%b %b HTTP/1.1" % (request.method.encode(), request.target)
    plain = request.keep_alive and not (request.repeats or request.chunked or b"upgrade" in request.fields)
    if not (plain and end) or first != asked or len(lines) != len(request.headers):
        return None
    parts = [re.escape(first)]
    for line, (name, value) in zip(lines, request.headers, strict=True):
        sent, _, rest = line.partition(b":")
        hole = _HOLES.get(name)
        if sent.lower() != name or rest.strip(b" \t") != value or (hole and not re.fullmatch(hole, value)):
            return None
        space = rest[: len(rest) - len(rest.lstrip(b" \t"))]
        if hole is not None and space + value != rest:
            return None
        parts.append(re.escape(line) if hole is None else re.escape(sent + b":" + space) + b"(" + hole + b")")
    return b"\r\n".join(parts) + b"\r\n\r\n"
