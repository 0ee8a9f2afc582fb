"""Reads search requests, given as JSON decodes them (rules E2, S1, S5, and how AuthZEN pages)."""

from typing import Any, NamedTuple

from .entities import (
    Attributes,
    BadRequest,
    read_attributes,
    read_entity,
    read_identifier,
    read_object,
    read_properties,
    read_text,
)

FILTER, RESULTS, BOTH = "filter", "results", "both"
RETURNS = (FILTER, RESULTS, BOTH)

MAX_TOKEN_CHARACTERS = 4_096

MAX_LIMIT = 2**63 - 1
"""A greater `limit` of a page is this one: a token has 64 bits for it, and no page has so many items."""


class Entity(NamedTuple):
    """A given subject or resource: its type, by which identifier it is named, that identifier, its attributes."""

    type: str
    named_by: str
    name: str
    attributes: Attributes


class Action(NamedTuple):
    """The action of a request and its properties."""

    name: str
    properties: Attributes


class Options(NamedTuple):
    """What is asked for: `returns` is one of RETURNS; `given` is false for a plain AuthZEN request (S1)."""

    given: bool
    returns: str
    include_direct: bool


class Page(NamedTuple):
    """Which page is asked for: None where the request leaves it open."""

    limit: int | None
    token: str | None
    given: bool = False
    """Whether the request has a page object at all."""


class ResourceSearch(NamedTuple):
    """Which resources of a type may the subject act on? A `context` of None leaves gates open (S2)."""

    subject: Entity
    action: Action
    resource_type: str
    context: Attributes | None
    options: Options
    page: Page


class SubjectSearch(NamedTuple):
    """Which subjects of a type may act on the resource?"""

    subject_type: str
    action: Action
    resource: Entity
    context: Attributes | None
    options: Options
    page: Page


class ActionSearch(NamedTuple):
    """What may the subject do with the resource?"""

    subject: Entity
    resource: Entity
    context: Attributes | None
    options: Options
    page: Page


def read_resource_search(request: Any) -> ResourceSearch:
    """Of the resource everything but its type is ignored (S5). Raises BadRequest, as all functions here do."""
    subject, action = _entity(_object(request), "subject"), _action(request)
    return ResourceSearch(subject, action, read_text(*_of(request, "resource")), *_rest(request))


def read_subject_search(request: Any) -> SubjectSearch:
    """Of the subject everything but its type is ignored (S5)."""
    subject_type = read_text(*_of(_object(request), "subject"))
    return SubjectSearch(subject_type, _action(request), _entity(request, "resource"), *_rest(request))


def read_action_search(request: Any) -> ActionSearch:
    """An action in the request is ignored (S5)."""
    return ActionSearch(_entity(_object(request), "subject"), _entity(request, "resource"), *_rest(request))


def _object(request: Any) -> dict[str, Any]:
    if not isinstance(request, dict):
        raise BadRequest("a request is an object", "$")
    return request


def _of(request: dict[str, Any], name: str) -> tuple[dict[str, Any], str, str]:
    return read_entity(request, name), "type", f"$.{name}"


def _entity(request: dict[str, Any], owner: str) -> Entity:
    entity, member, path = _of(request, owner)
    return Entity(read_text(entity, member, path), *read_identifier(entity, owner), read_attributes(entity, path))


def _action(request: dict[str, Any]) -> Action:
    entity = read_entity(request, "action")
    return Action(read_text(entity, "name", "$.action"), read_properties(entity))


def _rest(request: dict[str, Any]) -> tuple[Attributes | None, Options, Page]:
    context = request.get("context")
    return (
        None if context is None else read_object(context, "$.context"),
        _options(request.get("options")),
        _page(request.get("page")),
    )


def _options(options: Any) -> Options:
    """What `options` say; other members of theirs are ignored."""
    if options is None:
        return Options(given=False, returns=BOTH, include_direct=False)
    read = read_object(options, "$.options")
    returns, direct = read.get("return"), read.get("include_direct")
    if returns is not None and returns not in RETURNS:
        raise BadRequest("`return` is none of `filter`, `results` and `both`", "$.options.return")
    if direct is not None and not isinstance(direct, bool):
        raise BadRequest("`include_direct` is neither true nor false", "$.options.include_direct")
    return Options(given=True, returns=returns or FILTER, include_direct=bool(direct))


def _page(page: Any) -> Page:
    """What `page` says; a limit or token of null, and an empty token, is none."""
    if page is None:
        return Page(None, None)
    read = read_object(page, "$.page")
    limit, token = read.get("limit"), read.get("token")
    if isinstance(limit, float) and limit.is_integer():
        limit = int(limit)  # 10.0 is an integer to JSON
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 0):
        raise BadRequest("`limit` is no integer of 0 or more", "$.page.limit")
    if token is not None and (not isinstance(token, str) or len(token) > MAX_TOKEN_CHARACTERS):
        raise BadRequest("`token` is not a `next_token` of an answer", "$.page.token")
    if read.get("properties") is not None:
        read_object(read["properties"], "$.page.properties")
    return Page(None if limit is None else min(limit, MAX_LIMIT), token or None, given=True)
