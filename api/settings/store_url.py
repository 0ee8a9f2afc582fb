"""Reads the URL of a store, and refuses one that the driver of the database would read in another way than its author.

An `@`, `/`, `:` or `%` in a password may need its code, such as `%40`. Without it, the driver takes a part of the
password for a host, a port or a database, and its messages quote that part. No message of this module quotes a URL.
"""

import re
from typing import Final
from urllib.parse import unquote

from .setting_readers import BadSetting, Reader

_NAME: Final = r"(?:[^\s\0-\x1f\x7f:@/?#%&=,\[\]]|%(?!00|2[Ff]|3[Aa]|40)[0-9A-Fa-f]{2})*"
"""A user or a database. A `@`, `/` or `:` in it, also by its code, is one of a password."""

_UP_TO_AT: Final = r"(?:[^\s\0-\x1f\x7f@/%]|%(?!00)[0-9A-Fa-f]{2})*"
_VALUE: Final = r"(?:[^\s\0-\x1f\x7f@&=%]|%(?!00)[0-9A-Fa-f]{2})*"
_SOCKETS: Final = r"%2[Ff](?:[\w.~+-]|%(?!00|3[Aa]|40)[0-9A-Fa-f]{2})*"
"""The folder of a socket as a host."""

_HOST: Final = rf"(?:\[[0-9A-Fa-f:.]+(?:%25[\w.-]+)?\]|{_SOCKETS}|[\w.-]*)(?::[0-9]{{1,5}})?"
_URL: Final = re.compile(
    rf"postgres(?:ql)?://(?:{_NAME}(?::{_UP_TO_AT})?@)?(?P<hosts>{_HOST}(?:,{_HOST})*)(?:/{_NAME})?"
    rf"(?:\?{_VALUE}={_VALUE}(?:&{_VALUE}={_VALUE})*)?"
)
_PORTS: Final = re.compile(r":([0-9]+)(?=,|$)")
_HIGHEST_PORT: Final = 65_535


def url_fault(text: str) -> str | None:
    """Returns what is wrong with the URL of a store, as the end of a sentence that does not quote it, or None.

    >>> url_fault("postgresql://writ:a%40b@db1.example,db2.example:5433/writ?sslmode=verify-full")
    >>> url_fault("https://example.com")
    'must be a URL that begins with `postgresql://`'
    """
    if not text.startswith(("postgresql://", "postgres://")):
        return "must be a URL that begins with `postgresql://`"
    found = _URL.fullmatch(text)
    ports = () if found is None else _PORTS.findall(found["hosts"])
    if found is not None and all(0 < int(port) <= _HIGHEST_PORT for port in ports) and _is_utf8(text):
        return None
    return (
        "can't be read; write it like `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`, and each character of the"
        " password that is no letter or digit as its code, such as `%40` for `@`"
    )


def _is_utf8(text: str) -> bool:
    """Returns whether the codes of a URL are UTF-8. The driver fails on others."""
    try:
        unquote(text, errors="strict")
    except UnicodeDecodeError:
        return False
    return True


def _read(variable: str, text: str) -> str | None:
    fault = url_fault(text) if text else None
    if fault:
        raise BadSetting(f"`{variable}` {fault}")
    return text or None


STORE_URL: Final[Reader[str | None]] = Reader("a URL with `postgresql`", _read)
