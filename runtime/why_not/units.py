"""The changes that may allow a request, and who can make them.

An attribute changes by a value for its whole key, which counts before a path (C1). A role changes if the subject holds
it no more, or from now on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from ...bundles.conditions.attribute_keys import reads_own_key
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.references import GROUPS, ValueOf
from ...bundles.program.clauses import AgainstNow, Atom, Comparison, During, From, Reference
from ...bundles.program.demands import Demand

CALLER: Final = "caller"
OWNER: Final = "owner"
ADMINISTRATOR: Final = "administrator"
PERSON: Final = "person"
"""Another person, who asks in place of the subject."""


@dataclass(frozen=True, slots=True, order=True)
class Attribute:
    """An attribute of the request, by its section and its key."""

    section: str
    key: str


@dataclass(frozen=True, slots=True, order=True)
class Role:
    """A role that the subject gets, or loses if it holds it."""

    role: str


@dataclass(frozen=True, slots=True, order=True)
class Policy:
    """A DENY policy that is disabled."""

    policy: str


@dataclass(frozen=True, slots=True, order=True)
class Fact:
    """A direct grant of the action on the resource, or the registration of the resource: `grant` or `register`."""

    kind: str


Unit: TypeAlias = Attribute | Role | Policy | Fact

GRANT: Final = Fact("grant")
REGISTER: Final = Fact("register")
TIME: Final = Attribute("context_attrs", "time")
ADDRESS: Final = Attribute("context_attrs", "ip")
OTHER_ADDRESS: Final = Attribute("context_attrs", "ip_address")

ME: Final = Attribute("subject_attrs", "id")
"""The id of the subject: another person asks, who holds the same."""

_WHO: Final = {"context_attrs": CALLER, "action_attrs": CALLER, "resource_attrs": OWNER, "subject_attrs": ADMINISTRATOR}


def who(unit: Unit) -> str:
    """Returns who can make a change: the caller, the owner of the resource, an administrator, or another person."""
    if unit == ME:
        return PERSON
    return _WHO[unit.section] if isinstance(unit, Attribute) else ADMINISTRATOR


def attributes_of(atom: Atom, demands: Sequence[Demand] = ()) -> frozenset[Attribute]:
    """Returns the attributes whose change can change the result of a condition, on which there are `demands`."""
    return frozenset((*_attributes_of(atom), *(Attribute(one.section, one.key) for one in demands)))


def _attributes_of(atom: Atom) -> Iterator[Attribute]:
    match atom:
        case During():
            yield TIME
        case From():
            yield ADDRESS
        case Comparison(section, key) | Reference(section, key) | AgainstNow(section, key):
            if not reads_own_key(section, key):
                yield Attribute(section, key)
    if isinstance(atom, AgainstNow):
        yield TIME
    if isinstance(atom, Reference) and atom.value_of != GROUPS:
        other = atom.value_of
        if not reads_own_key(other.section, other.key):
            yield Attribute(other.section, other.key)


def authors_of(atom: Atom) -> frozenset[Attribute]:
    """Returns the attribute that says whose the resource is: it is held against the id of the subject.

    To change it would be to forge a fact, such as who made the resource. So another person asks.
    """
    match atom:
        case Reference("resource_attrs", key, Operator.EQ | Operator.NE, ValueOf("subject", "id")):
            return frozenset({Attribute("resource_attrs", key)})
        case _:
            return frozenset()


def reads_me(atom: Atom) -> bool:
    """Returns whether a condition reads the id of the subject."""
    match atom:
        case Comparison("subject_attrs", "id") | Reference("subject_attrs", "id"):
            return True
        case Reference(value_of=ValueOf("subject", "id")):
            return True
        case _:
            return False


def read_by(atom: Atom, demands: Sequence[Demand]) -> frozenset[Attribute]:
    """Returns all members of the request that a condition reads, those on the path of a dotted key too."""
    found = attributes_of(atom, demands)
    first = {Attribute(one.section, one.key.split(".")[0]) for one in found if "." in one.key}
    return found | first | ({OTHER_ADDRESS} if isinstance(atom, From) else set())
