"""A question about who can do an action: what is known of the requests that it is about."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from ....bundles.conditions.attribute_keys import read, reads_own_key, steps_of
from ....bundles.conditions.instants import read_instant
from ....bundles.conditions.values import Json
from ....bundles.program.demands import MISFITS, NO_DEMANDS, Demands

Bag: TypeAlias = Mapping[str, Json]

OPEN: Final[Json] = object()
"""Stands for a value that is not known."""


@dataclass(frozen=True)
class Question:
    """Asks who can do an action on resources of a type, at `now` in epoch seconds.

    `subject_type` limits the answer to subjects of one type. `resource` is the identifier of one resource and its value
    (E2), or None for any resource of the type. The bags have the attributes that requests will send (E4). What they do
    not have, is open. So is the time of the request, unless `context.time` is sent.
    """

    resource_type: str
    action: str
    now: float
    subject_type: str | None = None
    resource: tuple[str, str] | None = None
    resource_attributes: Bag = field(default_factory=dict)
    action_attributes: Bag = field(default_factory=dict)
    context: Bag = field(default_factory=dict)

    @property
    def pair(self) -> tuple[str, str]:
        """The type and the action."""
        return self.resource_type, self.action

    @property
    def sent_instant(self) -> Json:
        """The instant of the request in nanoseconds, None for one that can't be read, or OPEN (C8)."""
        sent = self.context.get("time")
        return OPEN if sent is None else read_instant(sent)

    def texts(self) -> Iterator[str]:
        """Yields all texts among the known values. An id of a subject may be equal to one."""
        waiting: list[Json] = [self.resource_attributes, self.action_attributes, self.context, *(self.resource or ())]
        while waiting:
            match waiting.pop():
                case str(text):
                    yield text
                case list(elements):
                    waiting += elements
                case dict(members):
                    waiting += members.values()

    def in_full(self, request: Mapping[str, Any], subject_attributes: Bag) -> dict[str, Any]:
        """Returns a request with all that is known beside what it has. What is known counts."""
        found = dict(request)
        for name, bag in (
            ("subject", subject_attributes),
            ("action", self.action_attributes),
            ("resource", self.resource_attributes),
        ):
            if bag:
                found[name] = found[name] | {"properties": found[name].get("properties", {}) | bag}
        return found | {"context": found["context"] | self.context}


@dataclass(frozen=True)
class Known:
    """The known values of the requests of some subjects.

    `subject` has their registered attributes. `subject_type`, `groups` and `resource_id` are OPEN if they are open.
    """

    question: Question
    subject: Bag
    subject_type: Json
    groups: Json
    resource_id: Json
    demands: Demands = NO_DEMANDS

    def misfits(self, section: str, key: str) -> bool:
        """Returns whether a value that is known can't be read, since it does not fit its declaration (C13)."""
        return any(one.fault(self._bag(one.section)) == MISFITS for one in self.demands.on(section, key))

    def value(self, section: str, key: str) -> Json:
        """Returns a value, None for one that is known to be absent, or OPEN (C1, C2, E6)."""
        if reads_own_key(section, key):
            if section == "resource_attrs":
                return self.resource_id if key == "id" else self.question.resource_type
            return OPEN if key == "id" else self.subject_type
        bag = self._bag(section)
        found = read(bag, key, steps_of(key))
        if found is not None or key.split(".")[0] in bag:
            return found
        return OPEN

    def _bag(self, section: str) -> Bag:
        return {
            "subject_attrs": self.subject,
            "resource_attrs": self.question.resource_attributes,
            "action_attrs": self.question.action_attributes,
            "context_attrs": self.question.context,
        }[section]
