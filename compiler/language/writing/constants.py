"""The tokens of names, lists and constants, as they are written."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from ....bundles.conditions.values import Json
from ..words import written_name, written_text


def names(found: Iterable[str]) -> list[str]:
    """Returns the tokens of a list of names.

    >>> names(["read", "to"])
    ['read', ',', '"to"']
    """
    return commas([written_name(name)] for name in found)


def commas(groups: Iterable[Iterable[str]]) -> list[str]:
    """Returns the tokens of several things with commas between them."""
    tokens: list[str] = []
    for group in groups:
        if tokens:
            tokens.append(",")
        tokens += group
    return tokens


def constant(value: Json) -> Iterator[str]:
    """Yields the tokens of a constant.

    >>> print(*constant({"a": [1, "x", None]}))
    { a : [ 1 , "x" , null ] }
    """
    if isinstance(value, str):
        yield written_text(value)
    elif isinstance(value, list):
        yield from ("[", *commas(map(constant, value)), "]")
    elif isinstance(value, dict):
        members = ([written_name(name), ":", *constant(inner)] for name, inner in value.items())
        yield from ("{", *commas(members), "}")
    else:
        yield (
            msgspec.json.encode(value).decode() if not isinstance(value, int) or isinstance(value, bool) else str(value)
        )


def attributes(values: Mapping[str, Json]) -> list[str]:
    """Returns the tokens of attributes with their values."""
    return commas([written_name(key), *constant(value)] for key, value in values.items())
