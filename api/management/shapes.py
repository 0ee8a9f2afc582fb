"""Reads the body of a management request into its shape, or says what of it does not fit."""

from typing import Any, TypeVar

import msgspec

from api.rejections import BodyRejected

_T = TypeVar("_T")


def shaped(body: dict[str, Any], shape: type[_T], code: str) -> _T:
    """`body` as `shape`, a struct. Raises BodyRejected with the `code`."""
    try:
        return msgspec.convert(body, shape)
    except msgspec.ValidationError as ex:
        message, _, path = str(ex).partition(" - at ")
        raise BodyRejected(code, message[:1].lower() + message[1:], path.strip("`") or "$") from None
