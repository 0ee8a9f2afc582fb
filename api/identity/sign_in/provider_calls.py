"""Calls of the provider over HTTP, within a time and a size. No call follows a redirect."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from ...http.outgoing.bounded_exchange import BROKEN, Exchanged, exchanged
from ...http.outgoing.in_time import TooSlow
from ...settings.setting_readers import is_loopback
from ..issuers.key_sets import FETCH_SECONDS, MOST_BYTES

_FORM: Final = "application/x-www-form-urlencoded"


class ProviderUnavailable(Exception):
    """The provider can't be reached, or answers what no provider does. The message is a part of a sentence."""


def called(method: str, url: str, form: str | None = None, headers: Mapping[str, str] | None = None) -> Exchanged:
    """Returns the answer of a call that sends `form`. It takes FETCH_SECONDS at most. Raises ProviderUnavailable."""
    sent = {"Accept": "application/json", **(headers or {})} | ({} if form is None else {"Content-Type": _FORM})
    try:
        return exchanged(method, url, FETCH_SECONDS, MOST_BYTES, sent, form)
    except TooSlow:
        raise ProviderUnavailable("it answers too slowly") from None
    except BROKEN as ex:
        raise ProviderUnavailable(str(ex).partition("): ")[2] or type(ex).__name__) from None


def is_safe(url: str) -> bool:
    """Returns whether a URL of the provider can be used: `https`, or `http` to this machine, and no user or fragment.

    >>> is_safe("https://idp.example/token"), is_safe("http://idp.example/token"), is_safe("http://127.0.0.1:8080/t")
    (True, False, True)
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not host or parts.username is not None or parts.fragment or not url.isascii() or not url.isprintable():
        return False
    return " " not in url and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))
