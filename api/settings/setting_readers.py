"""Readers of settings: each turns the text of an environment variable into a value, or refuses it."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final, Generic, TypeVar

from ...bundles.wording import alternatives, quoted

T = TypeVar("T")

LONGEST_SECONDS: Final = 86_400
"""A day: no deadline of the service is longer."""

_URL: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)*"
)
_HIGHEST_PORT: Final = 65_535


class BadSetting(ValueError):
    """A value in the environment that can't be used; the message is one sentence that names the variable."""


@dataclass(frozen=True, slots=True)
class Reader(Generic[T]):
    """One kind of value: `read` takes the variable and its text and raises BadSetting; `bounds` says what it takes."""

    bounds: str
    read: Callable[[str, str], T]


def count(highest: int, lowest: int = 1) -> Reader[int]:
    """Returns the reader of a whole number from `lowest` to `highest`."""

    def read(variable: str, text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and lowest <= int(text) <= highest):
            raise BadSetting(f"`{variable}` must be a whole number from {lowest} to {highest}, not `{text}`")
        return int(text)

    return Reader(f"{lowest} to {highest}", read)


def choice(*values: str) -> Reader[str]:
    """Returns the reader of one of `values`."""

    def read(variable: str, text: str) -> str:
        if text not in values:
            raise BadSetting(f"`{variable}` must be {alternatives(values)}, not {quoted(text)}")
        return text

    return Reader(", ".join(f"`{value}`" for value in values), read)


def _read_seconds(variable: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value <= LONGEST_SECONDS:
        raise BadSetting(f"`{variable}` must be seconds above 0 and up to {LONGEST_SECONDS}, not `{text}`")
    return value


def _read_share(variable: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= 1.0:
        raise BadSetting(f"`{variable}` must be a share from 0 to 1, not {quoted(text)}")
    return value


def _read_text(_variable: str, text: str) -> str | None:
    return text or None


def _read_public_url(variable: str, text: str) -> str | None:
    """Returns `text` unchanged, since clients compare it byte by byte (authzen.md 85), or None if it is empty.

    Raises:
        BadSetting: it is not a URL with `https`, or with `http` to this machine; or it has a user, a query or a
            fragment. The sentence does not quote it, since a user may come with a password.
    """
    if not text:
        return None
    found = _URL.fullmatch(text)
    if found is None or int(found["port"] or 0) > _HIGHEST_PORT:
        raise BadSetting(
            f"`{variable}` must be a URL like `https://pdp.example.com`: a host, perhaps a port and a path,"
            " no user, query or fragment"
        )
    if found["scheme"] == "http" and not is_loopback(found["host"]):
        raise BadSetting(
            f"`{variable}` must begin with `https://`; `http://` is taken for this machine itself only,"
            " like `http://localhost:8080`"
        )
    return text


def is_loopback(host: str) -> bool:
    """Returns whether a host in a URL is this machine itself."""
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


SECONDS: Final = Reader(f"above 0, up to {LONGEST_SECONDS}", _read_seconds)
SHARE: Final = Reader("0 to 1", _read_share)
TEXT: Final[Reader[str | None]] = Reader("any text", _read_text)
PUBLIC_URL: Final[Reader[str | None]] = Reader("a URL with `https`", _read_public_url)

AnyReader = Reader[Any]
"""A reader of the table, where its kind of value does not matter."""

GROUP_DEPTH: Final = "WRIT_MAX_GROUP_DEPTH"
"""The variable with the depth of nested groups, which commands without other settings read too."""

GROUP_DEPTHS: Final = count(1_000)
"""The reader of its values."""
