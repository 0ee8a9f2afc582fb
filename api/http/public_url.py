"""The public URL: the base of every URL that the service hands out, as its operator says it."""

import re
from ipaddress import ip_address
from typing import Final

from ..settings import BadSetting

PUBLIC_URL_VARIABLE: Final = "WRIT_PUBLIC_URL"

_URL: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)*"
)
_HIGHEST_PORT: Final = 65_535


def checked_public_url(text: str) -> str:
    """`text`, as it is: clients compare it byte by byte (authzen.md 85).

    Raises:
        BadSetting: it is no URL with `https`, or to this machine itself with `http`; or has a user, query or fragment.
            The sentence does not quote it, since a user may come with a password.
    """
    found = _URL.fullmatch(text)
    if found is None or int(found["port"] or 0) > _HIGHEST_PORT:
        raise BadSetting(
            f"`{PUBLIC_URL_VARIABLE}` must be a URL like `https://pdp.example.com`: a host, perhaps a port and a path,"
            " no user, query or fragment"
        )
    if found["scheme"] == "http" and not _is_loopback(found["host"]):
        raise BadSetting(
            f"`{PUBLIC_URL_VARIABLE}` must begin with `https://`; `http://` is taken for this machine itself only,"
            " like `http://localhost:8080`"
        )
    return text


def url_warning(url: str) -> str:
    """What to tell an operator who did not set the variable, so that `url` stands for it."""
    return f"`{PUBLIC_URL_VARIABLE}` is not set, so clients are told `{url}`; set it to the URL that they reach"


def below(public_url: str, path: str) -> str:
    """The URL of `path`, which begins with `/`, below the public one.

    >>> below("https://pdp.example.com/", "/access")
    'https://pdp.example.com/access'
    """
    return public_url.removesuffix("/") + path


def _is_loopback(host: str) -> bool:
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
