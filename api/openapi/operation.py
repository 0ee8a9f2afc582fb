"""What the OpenAPI document says of one operation, in few words; the rest follows from its route."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema."""


def named(name: str) -> Schema:
    """A reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def page_of(item: Schema) -> Schema:
    """A page of a list."""
    cursor = {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Of the next page; null at the end."}
    return {
        "type": "object",
        "properties": {"items": {"type": "array", "items": item}, "next_cursor": cursor},
        "required": ["items", "next_cursor"],
    }


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the query, or a header of the request."""

    name: str
    description: str
    schema: Schema = field(default_factory=lambda: {"type": "string"})


@dataclass(frozen=True, slots=True)
class Answer:
    """A response that is no error: without `schema` it has no body."""

    description: str
    schema: Schema | None = None
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one route.

    `errors` are the statuses that are its own; those that come with its scope, its parameters or its body are not
    listed. `bodies` are the schemas of its body by content type.
    """

    id: str
    tag: str
    summary: str
    answers: Mapping[int, Answer]
    description: str = ""
    query: tuple[Parameter, ...] = ()
    headers: tuple[str, ...] = ()
    bodies: Mapping[str, Schema] = field(default_factory=dict)
    errors: tuple[int, ...] = ()
