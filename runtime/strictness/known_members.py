"""The members that requests may have, and the faults of others (E8)."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ...bundles.conditions.values import type_name
from ...bundles.wording import did_you_mean, quoted
from ..requests.members import SUBJECT_MEMBERS, RequestFault

RequestKind: TypeAlias = Literal["evaluation", "resource", "subject", "action", "batch"]
"""The question of a request: an evaluation, the search of something, or a batch of evaluations."""

REQUEST: Final = frozenset(("subject", "action", "resource", "context", "options", "page"))
BATCH: Final = REQUEST | {"evaluations"}

ENTITY: Final[Mapping[str, frozenset[str]]] = {
    "subject": SUBJECT_MEMBERS,
    "resource": frozenset(("type", "id", "external_id", "name", "properties", "attributes")),
    "action": frozenset(("name", "properties")),
}
"""The members of each entity of a request."""

_SEARCH: Final = frozenset(("return", "attributes", "strict", "actor"))
_EVALUATION: Final = frozenset(("explain", "valid_until", "attributes", "strict", "actor"))

OPTIONS: Final[Mapping[RequestKind, frozenset[str]]] = {
    "evaluation": _EVALUATION,
    "batch": _EVALUATION | {"evaluations_semantic"},
    "resource": _SEARCH | {"include_direct", "gates"},
    "subject": _SEARCH,
    "action": _SEARCH,
}
"""The members of `options` that each kind of request reads."""


class Place(NamedTuple):
    """An object of a request: its path, and the words for it."""

    path: str
    noun: str


def unknown_members(found: Mapping[Any, object], known: Collection[str], place: Place) -> Iterator[RequestFault]:
    """Yields a fault for each member of an object that is not known."""
    for name in found:
        if name not in known:
            message = f"{place.noun} has no member {_shown(name)}"
            hint = did_you_mean(name, sorted(known)) if isinstance(name, str) else ""
            yield fault("unknown-member", f"{place.path}.{name}", message, hint)


def fault(code: str, path: str, message: str, hint: str = "") -> RequestFault:
    """Returns a fault whose message is one sentence, with a suggestion if there is one."""
    return RequestFault(code, path, f"{message}; {hint}" if hint else message)


def _shown(name: object) -> str:
    return quoted(name) if isinstance(name, str) else f"with a name of the type `{type_name(name)}`"
