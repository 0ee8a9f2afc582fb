"""The rule program: a closed set of frozen nodes, what the compiler lowers a model to and the runtime specialises.

A clause reads `allow(S, A, R, policy) :- holds(S, roles), type(R, types), A in actions, body`. Effects, roles, types
and actions decide *when* a clause applies and are indexed; the body decides *whether* it holds and is tested.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..conditions.operators import Operator
from ..conditions.values import Json
from ..conditions.windows import TimeWindow

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
class During:
    """The request's instant lies in a time window (rule C8)."""

    window: TimeWindow


@dataclass(frozen=True, slots=True)
class From:
    """The request's address lies in one of some addresses and CIDR blocks, as the model writes them (rule C9)."""

    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `limit` evaluations in a window of `window_seconds`, per policy and subject (rule C10)."""

    limit: int
    window_seconds: int


Atom: TypeAlias = Comparison | During | From | Rate
"""One condition of a body. `context_attrs` comparisons and the other three are request-time gates (C10)."""


def is_gate(atom: Atom) -> bool:
    """Whether `atom` is judged at request time only, never in a filter (rules C10, F2)."""
    return not isinstance(atom, Comparison) or atom.section == "context_attrs"


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule. `roles` None means everyone (P2); `types` are ids; each of `actions` is declared by each of `types`."""

    effect: Effect
    policy: str
    name: str
    priority: int
    roles: tuple[str, ...] | None
    types: tuple[str, ...]
    actions: tuple[str, ...]
    body: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class ResourceType:
    """A declared type: `id` names it inside the model, `name` in requests (E7); `action_set` is made of `actions`."""

    id: str
    name: str
    actions: tuple[str, ...]
    closed: bool
    action_set: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # PERF: every clause asks its types for its actions; a set made anew each time made the laws quadratic.
        object.__setattr__(self, "action_set", frozenset(self.actions))


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that rules say: types and roles sorted by id, clauses by policy id, types and actions."""

    types: tuple[ResourceType, ...]
    roles: tuple[str, ...]
    clauses: tuple[Clause, ...]
