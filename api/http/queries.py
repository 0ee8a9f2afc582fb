"""Reads query strings strictly: a misspelt parameter is an error."""

import re
from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import parse_qsl

import falcon.asgi

from ...bundles.conditions.instants import parse_instant
from ...bundles.wording import alternatives, quoted
from ..store.errors import BadQuery

_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
MOST_PARAMETERS: Final = 20
DEFAULT_PAGE_ITEMS: Final = 100


def parameters(req: falcon.asgi.Request) -> dict[str, str]:
    """Returns the parameters of the query.

    Raises:
        BadQuery: the query can't be read, or has a parameter twice.
    """
    if not req.query_string:
        return {}
    try:
        if _BAD_ESCAPE.search(req.query_string):
            raise ValueError
        pairs = parse_qsl(
            req.query_string,
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=MOST_PARAMETERS,
        )
    except ValueError:  # UnicodeDecodeError is one
        raise BadQuery(f"the query is not up to {MOST_PARAMETERS} `name=value`, percent-encoded UTF-8") from None
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadQuery("the query has a parameter twice")
    return found


def known_parameters(req: falcon.asgi.Request, *known: str) -> dict[str, str]:
    """Returns the parameters of the query. Raises BadQuery if one is not `known`."""
    found = parameters(req)
    refuse_others(found, known)
    return found


def refuse_others(found: Collection[str], known: Collection[str]) -> None:
    """Raises BadQuery if a parameter is not `known`."""
    for name in found:
        if name not in known:
            choice = f"only {alternatives(known)}" if known else "nor any other"
            raise BadQuery(f"there is no parameter {quoted(name)} here, {choice}")


def flag(found: dict[str, str], name: str) -> bool:
    """Returns a parameter that is `true` or `false`; it is false if it is left out. Raises BadQuery."""
    text = found.get(name, "false")
    if text not in ("true", "false"):
        raise BadQuery(f"`{name}` is `true` or `false`, not {quoted(text)}")
    return text == "true"


def number(name: str, text: str, lowest: int, highest: int) -> int:
    """Returns the whole number in `text`. Raises BadQuery if it is not one from `lowest` to `highest`."""
    if not (text.isascii() and text.isdigit() and len(text) <= 19 and lowest <= int(text) <= highest):
        raise BadQuery(f"`{name}` is a whole number from {lowest} to {highest}, not {quoted(text)}")
    return int(text)


def instant(found: Mapping[str, str], name: str) -> int | None:
    """Returns a parameter in RFC 3339 as nanoseconds since 1970, or None if it is left out. Raises BadQuery."""
    if name not in found:
        return None
    try:
        return parse_instant(found[name])
    except ValueError as ex:
        hint = "; a `+` in a query is `%2B`" if " " in found[name] else ""
        raise BadQuery(f"`{name}`: {ex}, not {quoted(found[name])}{hint}") from None


def page_limit(found: dict[str, str], highest: int) -> int:
    """Returns the number of items on a page, which `limit` sets. Raises BadQuery."""
    if "limit" not in found:
        return min(DEFAULT_PAGE_ITEMS, highest)
    return number("limit", found["limit"], 1, highest)
