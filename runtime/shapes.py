"""The types of requests and answers, for the type checkers of applications. Requests are read without them.

A request may also be a plain dictionary. Each answer has the members of contract 2.5 and 2.6.
"""

from typing import Any, Literal, NotRequired, Required, TypeAlias, TypedDict

Attributes: TypeAlias = dict[str, Any]
"""Attributes by name, with the values that JSON has."""


class SubjectRef(TypedDict, total=False):
    """A subject, with either `id` or `external_id`."""

    type: Required[str]
    id: str
    external_id: str
    properties: Attributes


class ResourceRef(TypedDict, total=False):
    """A resource, with exactly one of `id`, `external_id` and `name`. `type` is the name of its type."""

    type: Required[str]
    id: str
    external_id: str
    name: str
    properties: Attributes


class ActionRef(TypedDict):
    """An action, by its name."""

    name: str
    properties: NotRequired[Attributes]


class TypeRef(TypedDict):
    """The type that a search looks for."""

    type: str


class EvaluationOptions(TypedDict, total=False):
    """The options of an evaluation (D10, E8, E9, A1)."""

    explain: bool
    valid_until: bool
    attributes: Literal["registered"]
    actor: SubjectRef | list[SubjectRef]
    strict: bool


class EvaluationRequest(TypedDict):
    """May this subject do this action on this resource?"""

    subject: SubjectRef
    action: ActionRef
    resource: ResourceRef
    context: NotRequired[Attributes]
    options: NotRequired[EvaluationOptions]


class DecisionContext(TypedDict, total=False):
    """The reason of a decision (contract 2.5). An item of a batch that can't be evaluated has an `error` instead."""

    reason: str
    reason_code: str
    access_path: str
    policy_id: str
    retry_after_seconds: int
    denied_for: str
    explanation: dict[str, Any]
    actor_explanation: dict[str, Any]
    actor_explanations: list[dict[str, Any]]
    valid_until: str | None
    error: dict[str, Any]


class EvaluationResponse(TypedDict):
    """A decision and its reason."""

    decision: bool
    context: NotRequired[DecisionContext]


SearchOptions = TypedDict(
    "SearchOptions",
    {
        "return": Literal["filter", "results", "both"],
        "include_direct": bool | Literal["node"],
        "gates": Literal["open", "decide"],
        "attributes": Literal["registered"],
        "actor": SubjectRef | list[SubjectRef],
        "strict": bool,
    },
    total=False,
)
"""The options of a search (S1, F7, F8, E8, E9, A1). Only a resource search has `gates`."""


class Page(TypedDict, total=False):
    """The page that a search asks for."""

    limit: int
    token: str
    properties: dict[str, Any]


class ResourceSearchRequest(TypedDict):
    """Which resources of this type may the subject act on?"""

    subject: SubjectRef
    action: ActionRef
    resource: TypeRef
    context: NotRequired[Attributes]
    options: NotRequired[SearchOptions]
    page: NotRequired[Page]


class SubjectSearchRequest(TypedDict):
    """Which subjects of this type may act on the resource?"""

    subject: TypeRef
    action: ActionRef
    resource: ResourceRef
    context: NotRequired[Attributes]
    options: NotRequired[SearchOptions]
    page: NotRequired[Page]


class ActionSearchRequest(TypedDict):
    """Which actions may the subject do on the resource?"""

    subject: SubjectRef
    resource: ResourceRef
    context: NotRequired[Attributes]
    options: NotRequired[SearchOptions]
    page: NotRequired[Page]


class SearchContext(TypedDict, total=False):
    """A sentence about the answer. A filter has the access paths that contribute, too.

    `left_open` names the attributes that the request did not send and on which the answer depends, if there are any.
    """

    reason: str
    access_paths: list[str]
    valid_until: str | None
    left_open: list[str]


class FilterResponse(TypedDict):
    """A filter (contract 2.6). `writ.runtime.translate` has its translations for databases."""

    filter: dict[str, Any]
    context: SearchContext


class ResourceItem(TypedDict, total=False):
    """A resource that a search found. Without options in the request, it has only `type` and `id`."""

    type: Required[str]
    id: Required[str]
    resource_id: str
    external_id: str
    name: str
    actions: list[str]
    access_path: str


class SubjectItem(TypedDict, total=False):
    """A subject that a search found. Without options in the request, it has only `type` and `id`."""

    type: Required[str]
    id: Required[str]
    external_id: str
    access_path: str


class ActionItem(TypedDict):
    """An action that a search found. `access_path` is there if the request has options."""

    name: str
    access_path: NotRequired[str]


class ActionsResponse(TypedDict):
    """All actions that a subject may do on a resource, by name."""

    results: list[ActionItem]
    context: SearchContext
