"""Reads search requests, as JSON decodes them (S1, S5, and AuthZEN's pages)."""

from typing import Any, Final, Literal, NamedTuple

from .members import (
    NO_ATTRIBUTES,
    Attributes,
    BadRequest,
    Entity,
    check_object,
    check_request,
    optional_object,
    read_action,
    read_entity,
    read_flag,
    read_name,
    required_object,
)
from .options import Actors, asks_registered, read_actor

FILTER, RESULTS, BOTH = "filter", "results", "both"
RETURNS = (FILTER, RESULTS, BOTH)

OPEN, DECIDE = "open", "decide"
GATES = (OPEN, DECIDE)

NODE: Final = "node"
"""The value of `include_direct` that asks for direct grants as one node (F8)."""

MAX_TOKEN_CHARACTERS = 4_096

OTHER_SEARCH: Final = "`token` does not belong to this search; repeat the same request with the last `next_token`"
"""The message about a token of another search (S4)."""

MAX_LIMIT = 2**63 - 1
"""The reader lowers a greater `limit` to this one: a token has 64 bits for it, and no page has so many items."""


class Action(NamedTuple):
    """The action of a request and its properties."""

    name: str
    properties: Attributes


class Options(NamedTuple):
    """The options of a search."""

    given: bool
    """True if the request has an `options` object. A plain AuthZEN request has none (S1)."""
    returns: str
    """One of RETURNS."""
    include_direct: bool | Literal["node"]
    gates: str | None = None
    """One of GATES, or None if the request leaves it out (F7). Only a resource search has it."""
    registered: bool = False
    """True if attributes that were not sent are the registered ones (E9)."""
    actor: Actors | None = None
    """The actor or the actors, if a subject is asked about on behalf (A1)."""


class Page(NamedTuple):
    """The page that a request asks for. A member is None if the request leaves it open."""

    limit: int | None
    token: str | None
    properties: dict[str, Any] | None = None
    given: bool = False
    """True if the request has a `page` object."""


class ResourceSearch(NamedTuple):
    """Asks on which resources of a type the subject may do the action."""

    subject: Entity
    action: Action
    resource_type: str
    context: Attributes | None
    options: Options
    page: Page

    @property
    def filter_context(self) -> Attributes | None:
        """The context that decides the gates of the filter, or None if it leaves them open (F2, F7)."""
        return (self.context or NO_ATTRIBUTES) if self.options.gates == DECIDE else None

    @property
    def results_context(self) -> Attributes | None:
        """The context that decides the gates of the results, or None if they leave them open (S2, F7)."""
        return self.context if self.options.gates is None else self.filter_context


class SubjectSearch(NamedTuple):
    """Asks which subjects of a type may do the action on the resource. A `context` of None leaves gates open (S2)."""

    subject_type: str
    action: Action
    resource: Entity
    context: Attributes | None
    options: Options
    page: Page


class ActionSearch(NamedTuple):
    """Asks which actions the subject may do on the resource. A `context` of None leaves gates open (S2)."""

    subject: Entity
    resource: Entity
    context: Attributes | None
    options: Options
    page: Page


def read_resource_search(request: Any) -> ResourceSearch:
    """Returns the search. Of the resource, only its type counts (S5). Raises BadRequest for a malformed request."""
    check_request(request)
    subject, action = _entity(request, "subject"), _action(request)
    search = ResourceSearch(subject, action, _searched_type(request, "resource"), *_rest(request))
    gates = _gates(request.get("options"))
    return search._replace(options=search.options._replace(gates=gates)) if gates else search


def read_subject_search(request: Any) -> SubjectSearch:
    """Returns the search. Of the subject, only its type counts (S5). Raises BadRequest for a malformed request."""
    check_request(request)
    subject_type, action = _searched_type(request, "subject"), _action(request)
    return SubjectSearch(subject_type, action, _entity(request, "resource"), *_rest(request))


def read_action_search(request: Any) -> ActionSearch:
    """Returns the search. An action in the request is ignored (S5). Raises BadRequest for a malformed request."""
    check_request(request)
    return ActionSearch(_entity(request, "subject"), _entity(request, "resource"), *_rest(request))


def _searched_type(request: dict[str, Any], owner: str) -> str:
    return read_name(required_object(request, owner), "type", owner)


def _entity(request: dict[str, Any], owner: str) -> Entity:
    return Entity(*read_entity(required_object(request, owner), owner))


def _action(request: dict[str, Any]) -> Action:
    return Action(*read_action(required_object(request, "action")))


def _rest(request: dict[str, Any]) -> tuple[Attributes | None, Options, Page]:
    context = optional_object(request, "context")
    options = _options(optional_object(request, "options"))
    return context, options, _page(optional_object(request, "page"))


def _options(options: dict[str, Any] | None) -> Options:
    """Returns the options. Members that a search does not know are ignored."""
    if options is None:
        return Options(given=False, returns=BOTH, include_direct=False)
    returns = options.get("return")
    if returns is not None and returns not in RETURNS:
        raise BadRequest("`return` is none of `filter`, `results` and `both`", "$.options.return")
    read_flag(options, "strict")  # wrong values are refused, whether the search is strict or not (E8)
    return Options(
        given=True,
        returns=returns or FILTER,
        include_direct=_include_direct(options),
        registered=asks_registered(options),
        actor=read_actor(options),
    )


def _include_direct(options: dict[str, Any]) -> bool | Literal["node"]:
    value = options.get("include_direct")
    if isinstance(value, str) and value == NODE:
        return NODE
    if value is None or isinstance(value, bool):
        return bool(value)
    raise BadRequest("`include_direct` is none of true, false and `node`", "$.options.include_direct")


def _gates(options: dict[str, Any] | None) -> str | None:
    gates: object = None if options is None else options.get("gates")
    if gates is None:
        return None
    if not isinstance(gates, str) or gates not in GATES:
        raise BadRequest("`gates` is neither `open` nor `decide`", "$.options.gates")
    return gates


def _page(page: dict[str, Any] | None) -> Page:
    """Returns the page. A null limit or token, and an empty token, count as missing."""
    if page is None:
        return Page(None, None)
    limit, token, properties = page.get("limit"), page.get("token"), page.get("properties")
    if isinstance(limit, float) and limit.is_integer():
        limit = int(limit)  # 10.0 is an integer to JSON
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 0):
        raise BadRequest("`limit` is no integer of 0 or more", "$.page.limit")
    if token is not None and (not isinstance(token, str) or len(token) > MAX_TOKEN_CHARACTERS):
        raise BadRequest("`token` is not a `next_token` of an answer", "$.page.token")
    if properties is not None:
        check_object(properties, "page", "properties")
    return Page(None if limit is None else min(limit, MAX_LIMIT), token or None, properties, given=True)
