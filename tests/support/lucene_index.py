"""An index as Elasticsearch's manual has it, for the queries that filters are translated to: no server runs here.

A field has the terms of its values: keywords by their UTF-8 bytes, longs, doubles by their bits (-0.0 is not 0.0 and
lies below it), booleans, dates of four-digit years by their milliseconds. Lists are flattened and nulls left out.
"""

import struct
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any


def indexed(value: Any) -> list[Any]:
    """The terms of a value."""
    values = value if isinstance(value, list) else [value]
    return [term(item) for item in values if item is not None]


def term(value: Any) -> Any:
    """A value as it is indexed and compared."""
    if isinstance(value, datetime):
        assert value.microsecond % 1_000 == 0, "the index would round it"
        return f"{value.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z".encode()
    if isinstance(value, str):
        return value.encode()
    return sortable(value) if isinstance(value, float) else value


def sortable(value: float) -> int:
    """Lucene's sortable bits of a double."""
    (bits,) = struct.unpack(">q", struct.pack(">d", value))
    return bits ^ (bits >> 63) & 0x7FFFFFFFFFFFFFFF


def matches(query: dict[str, Any], document: dict[str, Any]) -> bool:
    """Returns whether a search with the query finds the document."""
    ((kind, given),) = query.items()
    if kind in ("match_all", "match_none"):
        return kind == "match_all"
    if kind == "bool":
        return boolean(given, document)
    if kind == "exists":
        return bool(indexed(document.get(given["field"])))
    ((field, asked),) = given.items()
    terms = indexed(document.get(field))
    if kind == "terms":
        wanted = {term(value) for value in asked}
        return any(found in wanted for found in terms)
    if kind == "prefix":
        return any(found.startswith(term(asked["value"])) for found in terms)
    if kind == "wildcard":
        return any(wild(asked["value"], found.decode()) for found in terms)
    assert kind == "range", kind
    return any(all(in_range(op, found, bound) for op, bound in asked.items()) for found in terms)


def boolean(given: dict[str, Any], document: dict[str, Any]) -> bool:
    """A `bool` query: all of `filter`, one of `should`, none of `must_not`."""
    assert given.keys() <= {"filter", "should", "must_not", "minimum_should_match"}
    should = given.get("should")
    return (
        all(matches(part, document) for part in given.get("filter", []))
        and not any(matches(part, document) for part in given.get("must_not", []))
        and (should is None or any(matches(part, document) for part in should))
    )


def in_range(op: str, found: Any, bound: Any) -> bool:
    """An exclusive bound of a double is the next double, inclusive, as Lucene has it."""
    edge = term(bound)
    if isinstance(bound, float):
        edge += {"gt": 1, "lt": -1}.get(op, 0)
        op = {"gt": "gte", "lt": "lte"}.get(op, op)
    return bool({"gt": found > edge, "gte": found >= edge, "lt": found < edge, "lte": found <= edge}[op])


def wild(pattern: str, text: str) -> bool:
    """`*` any characters, `?` one, a backslash before what is neither."""
    made, rest = "", iter(pattern)
    for character in rest:
        if character == "\\":
            made += f"[{next(rest)}]"
        else:
            made += f"[{character}]" if character == "[" else character
    return fnmatchcase(text, made)
