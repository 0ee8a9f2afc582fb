"""The registered attributes that a request did not send: not every caller may see their values (E9)."""

from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from ...bundles.conditions.attribute_keys import steps_of
from ..requests.evaluation_request import EvaluationRequest
from ..requests.members import Attributes, Entity


class Added(NamedTuple):
    """The attributes of an entity as they were sent, and the names that were added to them."""

    sent: Attributes
    names: frozenset[str]


Unsent: TypeAlias = Mapping[str, Added]
"""The values of the subject and the resource that must not be shown, by the section of conditions."""

NOTHING: Final[Unsent] = {}
"""Every value may be shown."""


def unsent(sent: EvaluationRequest, completed: EvaluationRequest) -> Unsent:
    """Returns what a completed request has more than the one that was sent."""
    return {"subject_attrs": _added(sent[3], completed[3]), "resource_attrs": _added(sent[9], completed[9])}


def unsent_of_actor(sent: Entity, completed: EvaluationRequest) -> Unsent:
    """Returns what the completed request of an actor has more than the actor that was sent (A1)."""
    return {"subject_attrs": _added(sent.attributes, completed[3])}


def is_unsent(added: Unsent, section: str, key: str) -> bool:
    """Returns whether the value that a key reads was not sent (C1).

    >>> owner = {"subject_attrs": Added({"a.b": 1}, frozenset({"a", "c"}))}
    >>> [is_unsent(owner, "subject_attrs", key) for key in ("c", "c.d", "a.b", "a.x", "d")]
    [True, True, False, True, False]
    """
    known = added.get(section)
    if known is None:
        return False
    steps = steps_of(key)
    return key in known.names or (bool(steps) and steps[0] in known.names and known.sent.get(key) is None)


def _added(sent: Attributes, completed: Attributes) -> Added:
    return Added(sent, frozenset(completed.keys() - sent.keys()))
