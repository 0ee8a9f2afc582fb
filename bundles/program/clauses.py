"""The rule program: a closed set of frozen nodes. The compiler lowers a model to it, and the runtime specialises it.

A clause means `allow(S, A, R, policy) :- holds(S, roles), type(R, types), A in actions, body`. Effect, roles, types and
actions decide *when* a clause applies, and are indexed. The body decides *whether* it holds, and is tested.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..conditions.operators import Operator, Ordering
from ..conditions.references import ValueOf
from ..conditions.values import Json
from ..conditions.windows import TimeWindow
from ..declarations.declarations import NO_DECLARATIONS, Declarations

Effect: TypeAlias = Literal["ALLOW", "DENY"]
AttributeSection: TypeAlias = Literal["subject_attrs", "resource_attrs", "action_attrs", "context_attrs"]

ATTRIBUTE_SECTIONS: tuple[AttributeSection, ...] = ("subject_attrs", "resource_attrs", "action_attrs", "context_attrs")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One attribute compared with a constant: `R.status = "draft"` (rules C1 to C7)."""

    section: AttributeSection
    key: str
    op: Operator
    value: Json


@dataclass(frozen=True, slots=True)
class Reference:
    """One attribute compared with another value of the request: `R.owner = S.id` (rules X1 to X4)."""

    section: AttributeSection
    key: str
    op: Operator
    value_of: ValueOf


@dataclass(frozen=True, slots=True)
class AgainstNow:
    """One attribute, a text, compared as an instant with the one of the request: `R.embargo_until <= now` (X5)."""

    section: AttributeSection
    key: str
    op: Ordering


@dataclass(frozen=True, slots=True)
class During:
    """The instant of the request is in a time window (rule C8)."""

    window: TimeWindow


@dataclass(frozen=True, slots=True)
class From:
    """The address of the request is in one of these addresses and CIDR blocks, written as in the model (rule C9)."""

    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `limit` evaluations in a window of `window_seconds`, per policy and subject (rule C10)."""

    limit: int
    window_seconds: int


Atom: TypeAlias = Comparison | Reference | AgainstNow | During | From | Rate
"""One condition of a body. What reads the context or the clock is a gate, and so are From and Rate (C10)."""


def is_gate(atom: Atom) -> bool:
    """Returns whether `atom` is a gate: a condition on the moment of the request, which filters treat apart (C10, F2,
    F7).
    """
    return not isinstance(atom, Comparison | Reference) or bool(context_keys(atom))


def context_keys(atom: Atom) -> tuple[str, ...]:
    """Returns the keys of the context that a comparison reads, on either side (C12, X1). Other conditions have none."""
    keys = []
    if isinstance(atom, Comparison | Reference) and atom.section == "context_attrs":
        keys.append(atom.key)
    if isinstance(atom, Reference) and atom.value_of.source == "context":
        keys.append(atom.value_of.key)
    return tuple(keys)


def required_by(atom: Atom, required: Sequence[str]) -> tuple[str, ...]:
    """Returns the required attributes that a condition compares, by their keys or by paths into them (C12, X2)."""
    compared = context_keys(atom) if required else ()
    return tuple(key for key in required if any(one == key or one.startswith(f"{key}.") for one in compared))


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule of a policy. If `roles` is None, it applies to everyone (P2). Holders of one of `except_roles` are left
    out (P6).

    `policy` and `name` are the id and the name of the policy. `types` are ids of resource types. Each of them declares
    all `actions`.
    """

    effect: Effect
    policy: str
    name: str
    priority: int
    roles: tuple[str, ...] | None
    types: tuple[str, ...]
    actions: tuple[str, ...]
    body: tuple[Atom, ...]
    except_roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResourceType:
    """A declared resource type. The model refers to it by `id`, and requests by `name` (E7)."""

    id: str
    name: str
    actions: tuple[str, ...]
    closed: bool
    action_set: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # PERF: the laws ask for it once per clause and type. Making the set each time took quadratic time.
        object.__setattr__(self, "action_set", frozenset(self.actions))


@dataclass(frozen=True, slots=True)
class Program:
    """The rules of a model. Types and roles are sorted by id, and clauses by policy id, types and actions.

    `required` are the attributes of the context that each request has to send, in order (C12). `declarations` are all
    declared attributes, among them these (E8).
    """

    types: tuple[ResourceType, ...]
    roles: tuple[str, ...]
    clauses: tuple[Clause, ...]
    required: tuple[str, ...] = ()
    declarations: Declarations = NO_DECLARATIONS
