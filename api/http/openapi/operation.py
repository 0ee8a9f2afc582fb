"""The OpenAPI description of one operation. Its path, method and scope follow from its route."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema. A type in it stands for a reference to the schema of that type."""

Instant = Annotated[str, Meta(description="RFC 3339, UTC.")]

TEXT: Final[Schema] = {"type": "string"}


def named(name: str) -> Schema:
    """Returns a reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def page_of(item: Schema | type) -> Schema:
    """Returns the schema of a page of a list."""
    cursor = {
        "anyOf": [{"type": "string"}, {"type": "null"}],
        "description": "The cursor of the next page, or null on the last page.",
    }
    return {
        "type": "object",
        "properties": {"items": {"type": "array", "items": item}, "next_cursor": cursor},
        "required": ["items", "next_cursor"],
    }


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the path or the query, or a header. Not every answer has an `optional` header."""

    name: str
    description: str
    schema: Schema = field(default_factory=TEXT.copy)
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A response that is not an error. Without `schema` it has no body. `media` are the content types of its body."""

    description: str
    schema: Schema | type | None = None
    headers: tuple[Parameter, ...] = ()
    media: tuple[str, ...] = ("application/json",)


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one route.

    `bodies` are the schemas of the request's body by content type. `errors` are the statuses of this operation alone:
    those that follow from its scope, its parameters or its body are not listed. `any_method` says that its path has
    every method. `needs_body` is False if `bodies` may be left out.
    """

    id: str
    tag: str
    summary: str
    answers: Mapping[int, Answer]
    description: str = ""
    query: tuple[Parameter, ...] = ()
    headers: tuple[Parameter, ...] = ()
    bodies: Mapping[str, Schema | type] = field(default_factory=dict)
    errors: tuple[int, ...] = ()
    any_method: bool = False
    needs_body: bool = True

    def in_environment(self) -> "Operation":
        """Returns the same operation for an environment that the path names."""
        return replace(self, id=f"{self.id}In")


@dataclass(frozen=True, slots=True)
class Call:
    """An operation with the scope that it needs, in small letters; None if it needs no credential.

    `credential` is the security scheme that says where the credential stands.
    """

    scope: str | None
    operation: Operation
    credential: str = "key"
