"""The attributes that each request has to send, by the declarations of a model (C12, E8)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from .declared import Kinds, is_required
from .elements import DeclaredAttributes, Key, Requests, ResourceType

_Keys: TypeAlias = Collection[Key]


@dataclass(frozen=True, slots=True)
class AlwaysSent:
    """The required attributes of the context, of subjects and of actions, and those of each resource type.

    A strict request without one of them is refused. Without strict requests, only those of the context count: a DENY
    holds then, as its author wished.
    """

    by_section: Mapping[str, _Keys]
    by_type: Mapping[str, _Keys]

    def has(self, section: str, key: str, types: Iterable[str] = ()) -> bool:
        """Returns whether each request sends an attribute. `types` are the resource types that it may be about."""
        if section != "resource_attrs":
            return key in self.by_section.get(section, ())
        several = tuple(types)
        return bool(several) and all(key in self.by_type.get(type, ()) for type in several)


def is_strict(requests: Iterable[Requests]) -> bool:
    """Returns whether a model asks for strict requests (E8)."""
    return any(one.mode == "strict" for one in requests)


def always_sent(
    declared: DeclaredAttributes | None, requests: Iterable[Requests], types: Iterable[ResourceType] = ()
) -> AlwaysSent:
    """Returns the attributes that each request has to send.

    An attribute of a subject counts only if each declared type of subject requires it: a policy names no type.
    """
    found = declared or DeclaredAttributes()
    by_section = {"context_attrs": _required(found.context or {})}
    if not is_strict(requests):
        return AlwaysSent(by_section, {})
    by_section["action_attrs"] = _required(found.action or {})
    if found.subject:
        by_section["subject_attrs"] = frozenset.intersection(*map(_required, found.subject.values()))
    return AlwaysSent(by_section, {type.id: _required(type.attributes or {}) for type in types})


def _required(declared: Kinds) -> frozenset[Key]:
    return frozenset(key for key, one in declared.items() if is_required(one))
