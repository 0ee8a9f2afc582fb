"""The difference between the grants that there are and those that there should be."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NotRequired, TypeAlias, TypedDict

from ...runtime.requests.as_json import as_json
from ...runtime.requests.members import BadRequest

Entity: TypeAlias = Mapping[str, str]
"""A `type` and an `id`."""

Grant: TypeAlias = dict[str, Any]
"""A direct grant, as the model has it."""


class WantedGrant(TypedDict):
    """A grant that there should be: its holder, which is a subject or a group, its actions and its term."""

    subject: NotRequired[Entity]
    group: NotRequired[str]
    actions: Iterable[str]
    starts_at: NotRequired[datetime | str | None]
    expires_at: NotRequired[datetime | str | None]


@dataclass(frozen=True)
class Changes:
    """The grants that a call added, those that it removed, and the number of those that were there already.

    `revision` is the token of the last write, or None if nothing was written. `version` is the entity tag of all grants
    on the resource after `reconcile`, or None.
    """

    added: list[Grant] = field(default_factory=list)
    removed: list[Grant] = field(default_factory=list)
    unchanged: int = 0
    revision: str | None = None
    version: str | None = field(default=None, compare=False)

    def and_then(self, later: "Changes") -> "Changes":
        """Returns these changes with later ones of other grants."""
        return Changes(
            [*self.added, *later.added],
            [*self.removed, *later.removed],
            self.unchanged + later.unchanged,
            later.revision or self.revision,
        )


def grant_of(resource: Entity, wanted: Mapping[str, Any]) -> Grant:
    """Returns a grant on a resource as the model has it. Raises BadRequest if it has no JSON, or not one holder."""
    holders = [name for name in ("subject", "group") if wanted.get(name) is not None]
    if len(holders) != 1:
        raise BadRequest("a grant has either a `subject` or a `group`", "$")
    made: Grant = {
        "resource": _named(resource),
        "actions": sorted({*wanted["actions"]}),
    }
    made |= {"group": wanted["group"]} if holders == ["group"] else {"subject": _named(wanted["subject"])}
    made |= {name: wanted[name] for name in ("starts_at", "expires_at") if wanted.get(name) is not None}
    found = as_json(made)
    assert isinstance(found, dict)
    return found


def _named(entity: Entity) -> dict[str, str]:
    """Returns an entity by its name, without the attributes that a request has with it."""
    return {name: entity[name] for name in ("type", "id") if name in entity}


def difference(there: Iterable[Grant], wanted: Iterable[Grant]) -> tuple[list[Grant], list[Grant], int]:
    """Returns the grants to add, those to remove, and the number of those that stay.

    Two grants are equal if holder, actions and term are, whatever their ids.
    """
    missing = {_content(one): one for one in wanted}
    removed, unchanged = [], 0
    for one in there:
        if missing.pop(_content(one), None) is None:
            removed.append(one)
        else:
            unchanged += 1
    return list(missing.values()), removed, unchanged


def _content(grant: Grant) -> tuple[object, ...]:
    subject = grant.get("subject") or {}
    holder = (subject.get("type"), subject.get("id"), grant.get("group"))
    term = tuple(_instant(grant.get(name)) for name in ("starts_at", "expires_at"))
    return holder, frozenset(grant["actions"]), term


def _instant(text: str | None) -> object:
    """Returns an instant that is equal for all spellings of it."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return text
