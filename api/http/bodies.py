"""Decodes the bodies of requests to JSON objects within the limits, and encodes the bodies of answers."""

import asyncio
import codecs
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from ...bundles.json_members import DUPLICATE_MEMBER, repeated_member
from ...runtime.requests.plain_bodies import PlainBodies
from ..settings.settings import HttpLimits
from .json_limits import check_bounds, too_deep
from .rejections import BodyRejected, BodyTooLarge, UnsupportedCoding, UnsupportedMedia

if TYPE_CHECKING:
    import falcon.asgi  # the command line reads requests too, and has no use for a web framework

JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"

ENCODER: Final = msgspec.json.Encoder()
"""Encodes every answer, so that equal answers are equal bytes (W6)."""

_DECODER = msgspec.json.Decoder()

_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""The byte order marks with which a body may begin."""

INLINE_BYTES: Final = 64 * 1024
"""A longer body is decoded in a thread: a megabyte of small objects would delay decisions by half a second."""


class Bodies:
    """Reads the bodies of requests to one application, within its limits."""

    def __init__(self, limits: HttpLimits, confirm: "Callable[[falcon.asgi.Request], None]" = lambda _: None) -> None:
        """`confirm` is called once a request's body is there; it raises if that took too long (see `guard.Guard`)."""
        self._limits, self.confirm = limits, confirm
        self.plain = PlainBodies(limits.key_characters, limits.string_bytes, limits.nesting)
        """Reads ordinary bodies of decision calls within the same limits."""

    def decoded(self, body: bytes) -> dict[str, Any]:
        """See `decoded`."""
        return decoded(body, self._limits)

    async def read_object(self, request: "falcon.asgi.Request") -> dict[str, object]:
        """Returns the JSON object in the body of `request` (authzen.md 69-73, W8).

        `request.context.body` is then the body as it came, and `is_long` whether it is longer than `INLINE_BYTES`.

        Raises:
            BodyTooLarge: the body is longer than the limit, by its announced or its real length.
            BodyRejected: the content type is not JSON, or `decoded` refuses the bytes.
        """
        check_content_type(request.content_type)
        body = request.context.body = await self._read(request)
        request.context.is_long = len(body) > INLINE_BYTES
        if request.context.is_long:
            return await asyncio.to_thread(decoded, body, self._limits)
        return decoded(body, self._limits)

    async def read_element(self, request: "falcon.asgi.Request", accepted: tuple[str, ...] = (JSON,)) -> dict[str, Any]:
        """Returns the JSON object in the body of a management request. No object in it may have a member twice.

        Raises:
            UnsupportedMedia: the content type is not one of `accepted`.
            BodyTooLarge, BodyRejected: as `read_object`.
        """
        check_media(request.content_type, accepted)
        body = await self._read(request)
        if len(body) <= INLINE_BYTES:
            return decoded(body, self._limits)
        return await asyncio.to_thread(decoded, body, self._limits)

    async def read_value(self, request: "falcon.asgi.Request") -> Any:
        """Returns the JSON value of any type in the body of a management request. Raises as `read_element`."""
        check_media(request.content_type, (JSON,))
        return value_in(await self._read(request), self._limits)

    async def read_optional_element(self, request: "falcon.asgi.Request") -> dict[str, Any]:
        """Returns as `read_element`, or an empty object for a request without a body. Raises as `read_element`."""
        framed = request.content_length or request.get_header("Transfer-Encoding")
        if request.content_type is None and not framed:
            return {}
        return await self.read_element(request)

    async def _read(self, request: "falcon.asgi.Request") -> bytes:
        check_coding(request.get_header("Content-Encoding"))
        limit = self._limits.body_bytes
        announced = request.content_length
        if announced is not None and announced > limit:
            raise BodyTooLarge(limit, announced)
        body = await request.stream.read(limit + 1)
        if len(body) > limit:
            raise BodyTooLarge(limit)
        self.confirm(request)
        return body


def check_coding(coding: str | None) -> None:
    """Checks that a body is not compressed or changed in another way.

    Raises:
        UnsupportedCoding: it has a content coding.
    """
    if coding is not None and coding.lower() not in ("", "identity"):
        raise UnsupportedCoding(coding)


def _check_charset(content_type: str) -> None:
    """Checks that the charset of a content type, if it has one, is UTF-8.

    Raises:
        BodyRejected: it is another one (W8).
    """
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        charset = value.strip().strip('"')
        if name.strip().lower() == "charset" and charset.lower() not in ("utf-8", "utf8"):
            raise BodyRejected("content-type", f"the charset must be UTF-8, not `{charset[:100]}`")


def check_content_type(content_type: str | None) -> None:
    """Checks that the content type is JSON, in UTF-8. Other parameters are legal and have no effect.

    Raises:
        BodyRejected: it is another one, or missing (authzen.md 69: 400, not 415).
    """
    if content_type == JSON:
        return
    if content_type is None:
        raise BodyRejected("content-type", f"the `Content-Type` header is missing; send `{JSON}`")
    if content_type.partition(";")[0].strip().lower() != JSON:
        raise BodyRejected("content-type", f"the content type must be `{JSON}`, not `{content_type[:100]}`")
    _check_charset(content_type)


def check_media(content_type: str | None, accepted: tuple[str, ...]) -> None:
    """Checks that the content type is one of `accepted`, in UTF-8.

    Raises:
        UnsupportedMedia: it is another one, or missing (RFC 9110, 15.5.16).
        BodyRejected: its charset is another one.
    """
    if content_type is None or content_type.partition(";")[0].strip().lower() not in accepted:
        raise UnsupportedMedia(content_type, accepted)
    _check_charset(content_type)


def decoded(body: bytes, limits: HttpLimits) -> dict[str, object]:
    """Returns the JSON object that `body` contains, in which no object has a member twice (E10).

    Raises:
        BodyRejected: the body is empty, is no JSON object, exceeds a limit, or has a member twice.

    >>> decoded(b'{"a": 1}', HttpLimits())
    {'a': 1}
    """
    if not body:
        raise BodyRejected("empty-body", "the body is empty; send a JSON object")
    try:
        value = _DECODER.decode(body)
    except (RecursionError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise _no_json(error, body, limits) from None
    if value.__class__ is not dict:
        raise BodyRejected("not-an-object", f"the body must be a JSON object, not {_kind(value)}")
    check_bounds(value, limits)
    refuse_repeated_members(body, value)
    return cast(dict[str, object], value)


def value_in(body: bytes, limits: HttpLimits) -> Any:
    """Returns the JSON value of any type that `body` contains, in which no object has a member twice.

    Raises:
        BodyRejected: as `element`, but not for a value that is no object.
    """
    if not body:
        raise BodyRejected("empty-body", "the body is empty; send a JSON value")
    try:
        value = _DECODER.decode(body)
    except (RecursionError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise _no_json(error, body, limits) from None
    if isinstance(value, dict | list):
        check_bounds(value, limits)
        refuse_repeated_members(body, value)
    return value


def refuse_repeated_members(body: bytes, value: object) -> None:
    """Checks that no object in `body`, which is JSON and was decoded to `value`, has a member twice (E10).

    Raises:
        BodyRejected: a member is there twice. The error has its path, as `writ check` shows it.

    >>> refuse_repeated_members(b'{"a": {"b": 1}, "b": [2, 2]}', {"a": {"b": 1}, "b": [2, 2]})
    """
    found = repeated_member(body, value)
    if found is not None:
        raise BodyRejected(DUPLICATE_MEMBER, found.sentence, found.path)


def _no_json(error: Exception, body: bytes, limits: HttpLimits) -> BodyRejected:
    """Returns the error for a body that the decoder does not read."""
    if body.startswith(_MARKS):
        return BodyRejected("invalid-json", "the body begins with a byte order mark; send UTF-8 without it")
    if isinstance(error, RecursionError):
        return too_deep(limits)
    reason = _reason(error) if isinstance(error, msgspec.DecodeError) else "a string is not UTF-8"
    return BodyRejected("invalid-json", f"the body is not valid JSON: {reason}")


def _reason(error: msgspec.DecodeError) -> str:
    text = str(error).removeprefix("JSON is malformed: ")
    return text[:1].lower() + text[1:]


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "an array"
    if isinstance(value, str):
        return "a string"
    if value is None or isinstance(value, bool):
        return {None: "`null`", True: "`true`", False: "`false`"}[value]
    return "a number"
