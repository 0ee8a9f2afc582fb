"""The shapes of searches and filters, for the OpenAPI document; `runtime` reads them by hand."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from ....bundles.conditions.operators import Operator
from ....runtime.rules.reasons import AccessPath
from ..decision_shapes import ActionSent, Attributes, Identifier, ResourceSent, SubjectSent


class SearchedType(Struct, frozen=True):
    """What is searched for: its type, and nothing else of it."""

    type: Identifier


class SearchOptions(Struct, frozen=True, omit_defaults=True, rename={"return_": "return"}):
    """With options, items say more than type and id; `include_direct` puts the ids of direct grants into the filter."""

    return_: Literal["filter", "results", "both"] | None = None
    include_direct: bool | None = None


class PageSent(Struct, frozen=True, omit_defaults=True):
    """Which page: `token` is the `next_token` of the last answer to the same request."""

    limit: Annotated[int, Meta(ge=0)] | None = None
    token: Annotated[str, Meta(max_length=4096)] | None = None
    properties: dict[str, Any] | None = None


class ResourceSearchRequest(Struct, frozen=True, omit_defaults=True):
    """Which resources of this type may the subject act on?"""

    subject: SubjectSent
    action: ActionSent
    resource: SearchedType
    context: Attributes | None = None
    options: SearchOptions | None = None
    page: PageSent | None = None


class SubjectSearchRequest(Struct, frozen=True, omit_defaults=True):
    """Which subjects of this type may act on the resource?"""

    subject: SearchedType
    action: ActionSent
    resource: ResourceSent
    context: Attributes | None = None
    options: SearchOptions | None = None
    page: PageSent | None = None


class ActionSearchRequest(Struct, frozen=True, omit_defaults=True):
    """What may the subject do with the resource?"""

    subject: SubjectSent
    resource: ResourceSent
    context: Attributes | None = None
    options: SearchOptions | None = None
    page: PageSent | None = None


_OPERATORS = (*map(str, Operator), "and", "or", "not")
_PATHS = tuple(str(path) for path in AccessPath if path is not AccessPath.NONE)


class FilterNode(Struct, frozen=True, omit_defaults=True):
    """A node of a filter: `field` compares an attribute, `logical` joins `conditions`, `const` is all rows or none.

    A comparison with an absent or null attribute is false, and `not` is plain negation.
    """

    type: Literal["field", "logical", "const"]
    field: str | None = None
    operator: Literal[_OPERATORS] | None = None  # type: ignore[valid-type]  # made from the closed set of operators
    value: Any = None
    conditions: tuple["FilterNode", ...] = ()


class PageAnswer(Struct, frozen=True):
    """`next_token` is empty on the last page; `count` is how many items this one has."""

    next_token: str
    count: int


class SearchContext(Struct, frozen=True, omit_defaults=True):
    """What the answer is, in words, and the paths that contribute to a filter."""

    reason: str
    access_paths: tuple[Literal[_PATHS], ...] = ()  # type: ignore[valid-type]  # made from the closed set of paths


class ResourceItem(Struct, frozen=True, omit_defaults=True):
    """A registered resource; all but type and id only where the request has options."""

    type: str
    id: str
    resource_id: str | None = None
    external_id: str | None = None
    name: str | None = None
    actions: tuple[str, ...] = ()
    access_path: str | None = None


class SubjectItem(Struct, frozen=True, omit_defaults=True):
    """A registered subject; all but type and id only where the request has options."""

    type: str
    id: str
    external_id: str | None = None
    access_path: str | None = None


class ActionItem(Struct, frozen=True, omit_defaults=True):
    """An action; its path only where the request has options."""

    name: str
    access_path: str | None = None


class ResourcesFound(Struct, frozen=True, omit_defaults=True):
    """A filter, a page of resources, or both, as `options.return` says; both where there are no options."""

    context: SearchContext
    page: PageAnswer | None = None
    filter: FilterNode | None = None
    results: tuple[ResourceItem, ...] = ()


class SubjectsFound(Struct, frozen=True, omit_defaults=True):
    """A page of subjects, ordered by id."""

    context: SearchContext
    results: tuple[SubjectItem, ...]
    page: PageAnswer | None = None


class ActionsFound(Struct, frozen=True, omit_defaults=True):
    """A page of actions, ordered by name."""

    context: SearchContext
    results: tuple[ActionItem, ...]
    page: PageAnswer | None = None
