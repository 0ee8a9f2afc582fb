"""The shapes of searches and filters, for the OpenAPI document. `runtime` reads them without these."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from .....bundles.conditions.operators import Operator
from .....runtime.rules.reasons import AccessPath
from ..decision_shapes import ActionSent, ActorsSent, Attributes, Identifier, ResourceSent, SubjectSent


class SearchedType(Struct, frozen=True):
    """The type to search for."""

    type: Identifier


class SearchOptions(Struct, frozen=True, omit_defaults=True, rename={"return_": "return"}):
    """With options, items have more members.

    With `attributes`, the registered attributes of the given entities count where the request sends none. With
    `strict`, a request with something undeclared is an error.
    """

    return_: Literal["filter", "results", "both"] | None = None
    attributes: Literal["registered"] | None = None
    actor: ActorsSent | None = None
    strict: bool | None = None


class ResourceSearchOptions(SearchOptions, frozen=True, omit_defaults=True):
    """`gates` says how filter and results treat conditions on the context, times and addresses.

    `open` leaves them to the evaluation. `decide` decides them with the context of the request. `include_direct` adds
    the ids of direct grants to the filter, or one node.
    """

    include_direct: bool | Literal["node"] | None = None
    gates: Literal["open", "decide"] | None = None


class PageSent(Struct, frozen=True, omit_defaults=True):
    """The page to answer. `token` is the `next_token` of the last answer to the same request."""

    limit: Annotated[int, Meta(ge=0)] | None = None
    token: Annotated[str, Meta(max_length=4096)] | None = None
    properties: dict[str, Any] | None = None


class ResourceSearchRequest(Struct, frozen=True, omit_defaults=True):
    """Which resources of this type may the subject act on?"""

    subject: SubjectSent
    action: ActionSent
    resource: SearchedType
    context: Attributes | None = None
    options: ResourceSearchOptions | None = None
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
    """Which actions may the subject do on the resource?"""

    subject: SubjectSent
    resource: ResourceSent
    context: Attributes | None = None
    options: SearchOptions | None = None
    page: PageSent | None = None


_OPERATORS = (*map(str, Operator), "and", "or", "not")
_PATHS = tuple(str(path) for path in AccessPath if path is not AccessPath.NONE)


class GrantedSubject(Struct, frozen=True):
    """The subject of a node of direct grants."""

    type: str
    id: str


class FilterNode(Struct, frozen=True, omit_defaults=True):
    """A node of a filter: `field` compares an attribute, `logical` joins `conditions`, `const` is all rows or none.

    A comparison with an absent or null attribute is false. `not` is plain negation. With the `value_type` `instant`,
    the attribute is compared as an instant. That is false if it is no RFC 3339 text, and only a filter with decided
    gates has such a node. `direct` is only in a filter that was asked for with `include_direct: "node"`. It stands for
    the rows on which the subject, or one of its groups, has a direct grant of the action.
    """

    type: Literal["field", "logical", "const", "direct"]
    field: str | None = None
    operator: Literal[_OPERATORS] | None = None  # type: ignore[valid-type]  # made from the closed set of operators
    value: Any = None
    value_type: Literal["instant"] | None = None
    conditions: tuple["FilterNode", ...] = ()
    resource_type: str | None = None
    action: str | None = None
    subject: GrantedSubject | None = None
    groups: tuple[str, ...] = ()


class PageAnswer(Struct, frozen=True):
    """`next_token` is empty on the last page. `count` is the number of items on this page."""

    next_token: str
    count: int


class SearchContext(Struct, frozen=True, omit_defaults=True):
    """A sentence about the answer, and the access paths that contribute to the filter.

    `left_open` names the attributes that the request did not send and on which the answer depends, such as
    `context.mfa` or `subject.department`. It is absent if there are none: then nothing more could change the answer.
    """

    reason: str
    access_paths: tuple[Literal[_PATHS], ...] = ()  # type: ignore[valid-type]  # made from the closed set of paths
    left_open: tuple[str, ...] = ()


class ResourceItem(Struct, frozen=True, omit_defaults=True):
    """A registered resource. Without options in the request, it has only type and id."""

    type: str
    id: str
    resource_id: str | None = None
    external_id: str | None = None
    name: str | None = None
    actions: tuple[str, ...] = ()
    access_path: str | None = None


class SubjectItem(Struct, frozen=True, omit_defaults=True):
    """A registered subject. Without options in the request, it has only type and id."""

    type: str
    id: str
    external_id: str | None = None
    access_path: str | None = None


class ActionItem(Struct, frozen=True, omit_defaults=True):
    """An action. `access_path` is there if the request has options."""

    name: str
    access_path: str | None = None


class ResourceSearchContext(SearchContext, frozen=True, omit_defaults=True):
    """If the gates of a filter are decided, `valid_until` is when the clock may change it (RFC 3339), or null."""

    valid_until: str | None = None


class ResourcesFound(Struct, frozen=True, omit_defaults=True):
    """A filter, a page of resources, or both, as `options.return` says. Without options, both."""

    context: ResourceSearchContext
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
