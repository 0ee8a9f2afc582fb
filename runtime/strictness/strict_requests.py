"""Checks a whole request against what a model declares (E8)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Protocol

from ...bundles.declarations.declarations import Declarations
from ...bundles.program.clauses import ResourceType
from ...bundles.wording import did_you_mean, quoted
from ..requests.evaluation_request import read_evaluation
from ..requests.members import (
    NO_ATTRIBUTES,
    Attributes,
    BadRequest,
    RequestFault,
    optional_object,
    read_flag,
)
from ..requests.options import read_evaluation_options
from ..requests.searches import read_action_search, read_resource_search, read_subject_search
from .attribute_checks import AttributeChecks, Bags
from .known_members import BATCH, ENTITY, OPTIONS, REQUEST, Place, RequestKind, fault, unknown_members

GATE_KEYS: Final = ("time", "ip", "ip_address")
"""The keys of the context that gates read (C8, C9). They are always declared."""

ACTOR: Final = "$.options.actor"

_READERS: Final[Mapping[RequestKind, Callable[[Any], object]]] = {
    "evaluation": lambda request: (read_evaluation(request), read_evaluation_options(request)),
    "resource": read_resource_search,
    "subject": read_subject_search,
    "action": read_action_search,
    "batch": lambda request: asks_strict(request),
}
"""The readers of requests, which refuse malformed ones. They come first."""


class TypeOf(Protocol):
    """The rules of a resource type, as a snapshot has them."""

    @property
    def type(self) -> ResourceType:
        """The declared type."""


class StrictRequests:
    """The prepared checks of a model's requests. `types` are its resource types by the names of requests (E7)."""

    def __init__(self, declarations: Declarations, types: Mapping[str, TypeOf]):
        self._types = types
        names = {one.type.id: name for name, one in types.items()}
        self._resources = {
            id: AttributeChecks(f"the resource type {quoted(names.get(id, id))}", kinds)
            for id, kinds in declarations.resources.items()
        }
        self._subjects = {
            type: AttributeChecks(f"the subject type {quoted(type)}", kinds)
            for type, kinds in declarations.subjects.items()
        }
        action, context = declarations.action, declarations.context
        self._action = None if action is None else AttributeChecks("an action", action)
        self._context = None if context is None else AttributeChecks("the context", context, GATE_KEYS)

    def with_types(self, types: Mapping[str, TypeOf]) -> "StrictRequests":
        """Returns the checks for the same declarations and other types."""
        other = object.__new__(StrictRequests)
        other.__dict__.update(self.__dict__)
        other._types = types
        return other

    def passes(self, request: Any) -> bool:
        """Returns whether an evaluation has no fault. False says nothing: then `refuse` finds out.

        PERF: only plain requests pass, which name their entities by ids, and send at most `properties` and a context.
        """
        try:
            subject, action, resource = request["subject"], request["action"], request["resource"]
            name, rtype = action["name"], self._types[resource["type"]].type
            s, r = subject.get("properties", NO_ATTRIBUTES), resource.get("properties", NO_ATTRIBUTES)
            a, c = action.get("properties", NO_ATTRIBUTES), request.get("context", NO_ATTRIBUTES)
            if not (
                "id" in subject
                and "id" in resource
                and s.__class__ is r.__class__ is a.__class__ is c.__class__ is dict
                and len(subject) == (2 if s is NO_ATTRIBUTES else 3)
                and len(resource) == (2 if r is NO_ATTRIBUTES else 3)
                and len(action) == (1 if a is NO_ATTRIBUTES else 2)
                and len(request) == (3 if c is NO_ATTRIBUTES else 4)
                and name in rtype.action_set
            ):
                return False
            for checks, sent in (
                (self._subjects.get(subject["type"]), s),
                (self._resources.get(rtype.id), r),
                (self._action, a),
                (self._context, c),
            ):
                if checks is not None and not checks.pass_quickly(sent, True):
                    return False
            return True
        except (KeyError, TypeError, AttributeError):
            return False

    def refuse(self, kind: RequestKind, request: Any) -> None:
        """Raises BadRequest for a request that is malformed, or has faults."""
        _READERS[kind](request)
        found = tuple(self.faults(kind, request))
        if found:
            raise BadRequest(found[0].message, found[0].path, found)

    def declared_context(self, added: dict[str, Any]) -> dict[str, Any]:
        """Returns the members of a context that the model declares."""
        checks = self._context
        return added if checks is None else {key: value for key, value in added.items() if checks.lists(key)}

    def refuse_missing(self, stype: str, subject: Attributes, rtype: str, resource: Attributes) -> None:
        """Raises BadRequest if a required attribute is neither sent nor registered (E9).

        It takes the types and all attributes of the two entities. `refuse` leaves these to it.
        """
        found = [*self._missing(self._subjects.get(stype), subject, "$.subject")]
        if rtype in self._types:
            found += self._missing(self._resources.get(self._types[rtype].type.id), resource, "$.resource")
        if found:
            raise BadRequest(found[0].message, found[0].path, tuple(found))

    def refuse_missing_of_actor(self, type: str, actor: Attributes, name: str) -> None:
        """Raises what `refuse_missing` raises, for the actor of a request with a name like `actor` (A1)."""
        found = tuple(self._missing(self._subjects.get(type), actor, f"$.options.{name}"))
        if found:
            raise BadRequest(found[0].message, found[0].path, found)

    @staticmethod
    def _missing(checks: AttributeChecks | None, sent: Attributes, path: str) -> Iterator[RequestFault]:
        return iter(()) if checks is None else checks.missing(Bags(path, sent), sent)

    def faults(self, kind: RequestKind, request: dict[str, Any]) -> Iterator[RequestFault]:
        """Yields the faults of a well-formed request: of subject, action, resource, context, options and its members.

        Of a batch, it yields those of the batch itself. Its items are evaluations.
        """
        complete = kind == "evaluation"
        whole = complete and not _completes(request)
        if kind != "batch":
            if kind != "subject":
                yield from self._subject(request["subject"], "$.subject", whole)
            if kind != "action":
                yield from self._asked_action(request["action"], request["resource"], complete)
            if kind != "resource":
                yield from self._resource(request["resource"], whole)
            elif request["resource"]["type"] not in self._types:  # nothing else of it is read (S5)
                yield self._undeclared_type(request["resource"]["type"])
            if self._context is not None:
                bags = Bags("$.context", request.get("context"), is_context=True)
                yield from self._context.faults(bags, complete)
        yield from self._options(kind, request.get("options"), whole)
        known, noun = (BATCH, "a batch") if kind == "batch" else (REQUEST, "a request")
        if not known.issuperset(request):
            yield from unknown_members(request, known, Place("$", noun))

    def actor_faults(self, actor: Any, complete: bool) -> Iterator[RequestFault]:
        """Yields the faults of `options.actor`, a subject or a list of them (A1). `complete` is as for `faults`."""
        for path, one in [(ACTOR, actor)] if not isinstance(actor, list) else _placed(actor):
            if isinstance(one, dict) and isinstance(one.get("type"), str):
                yield from self._subject(one, path, complete)

    def _subject(self, subject: dict[str, Any], path: str, complete: bool) -> Iterator[RequestFault]:
        if not ENTITY["subject"].issuperset(subject):
            yield from unknown_members(subject, ENTITY["subject"], Place(path, "a subject"))
        checks = self._subjects.get(subject["type"])
        if checks is not None:
            yield from checks.faults(_bags(subject, path), complete)

    def _asked_action(self, action: dict[str, Any], resource: dict[str, Any], complete: bool) -> Iterator[RequestFault]:
        """Yields the faults of an action. If its resource type is not declared, that alone is a fault of the type."""
        found = self._types.get(resource["type"])
        if found is not None and action["name"] not in found.type.action_set:
            message = f"the resource type {quoted(resource['type'])} declares no action {quoted(action['name'])}"
            yield fault("undeclared-action", "$.action.name", message, did_you_mean(action["name"], found.type.actions))
        if not ENTITY["action"].issuperset(action):
            yield from unknown_members(action, ENTITY["action"], Place("$.action", "an action"))
        if self._action is not None:
            yield from self._action.faults(Bags("$.action", action.get("properties")), complete)

    def _resource(self, resource: dict[str, Any], complete: bool) -> Iterator[RequestFault]:
        found = self._types.get(resource["type"])
        if found is None:
            yield self._undeclared_type(resource["type"])
        if not ENTITY["resource"].issuperset(resource):
            yield from unknown_members(resource, ENTITY["resource"], Place("$.resource", "a resource"))
        checks = None if found is None else self._resources.get(found.type.id)
        if checks is not None:
            yield from checks.faults(_bags(resource, "$.resource"), complete)

    def _undeclared_type(self, name: str) -> RequestFault:
        named = next((one.type.name for one in self._types.values() if one.type.id == name), None)
        hint = did_you_mean(name, self._types.keys()) if named is None else f"requests name this type {quoted(named)}"
        return fault("undeclared-type", "$.resource.type", f"the model declares no resource type {quoted(name)}", hint)

    def _options(self, kind: RequestKind, options: dict[str, Any] | None, complete: bool) -> Iterator[RequestFault]:
        if options is None:
            return
        if not OPTIONS[kind].issuperset(options):
            yield from unknown_members(options, OPTIONS[kind], Place("$.options", "`options`"))
        if kind != "batch":
            yield from self.actor_faults(options.get("actor"), complete)


def _placed(actors: list[Any]) -> list[tuple[str, Any]]:
    return [(f"{ACTOR}[{place}]", one) for place, one in enumerate(actors)]


def _completes(request: dict[str, Any]) -> bool:
    """Returns whether registered attributes complete a well-formed request (E9)."""
    options = request.get("options")
    return options is not None and options.get("attributes") is not None


def asks_strict(request: Any) -> bool:
    """Returns whether a request asks for strict checks itself (E8).

    Raises BadRequest if its `options` are no object, or `strict` in them is neither true nor false.
    """
    if not isinstance(request, dict) or "options" not in request:
        return False
    options = optional_object(request, "options")
    return options is not None and read_flag(options, "strict")


def _bags(entity: dict[str, Any], path: str) -> Bags:
    properties: Attributes | None = entity.get("properties")
    return Bags(path, properties, entity.get("attributes"))
