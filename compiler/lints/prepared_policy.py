"""Policies, prepared for comparing: the types and actions that each covers, and the conditions that must hold."""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from ...bundles.conditions.attribute_keys import reads_own_key
from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.constants import CanonicalKey, canonical_key
from ...bundles.conditions.gates import Gates, gates_of
from ...bundles.conditions.operators import NAMES_ITS_VALUES, Operator
from ...bundles.conditions.trees.domain import Test, is_satisfiable
from ...bundles.declarations.kinds import kind_of
from ...bundles.program.clauses import ATTRIBUTE_SECTIONS
from ..checks.conditions_of import LocatedCondition, conditions_of
from ..checks.draft import Draft
from ..lowering.lower import EVERYTHING, covered_actions
from ..model.always_sent import AlwaysSent, always_sent, is_strict
from ..model.elements import Conditions, Policy, ResourceType
from ..model.parse_window import parse_window
from .opposed_references import first_opposed

Attribute: TypeAlias = tuple[str, str]
"""A section of conditions and a key in it."""

Pair: TypeAlias = tuple[str, str]
"""A resource type and an action that it has."""

Constants: TypeAlias = frozenset[Hashable]
"""Constants of an attribute, each as its type and value, so that `1` and `true` differ."""

Meaning: TypeAlias = frozenset[tuple[Operator, CanonicalKey]]
"""Tests of an attribute that must all pass, each once."""

ADDRESS: Attribute = ("ip_allowlist", "")
"""Represents the address of the request, which an allowlist reads (C9)."""

REFERENCES: Final = "references"
"""Represents the section of comparisons with references. Before a request is known, each is only equal to itself."""

_TRUE: Final[Test] = (Operator.EQ, True)
_PRESENT: Final[Test] = (Operator.NIN, [])

_ADDRESS_KEYS = (("context_attrs", "ip"), ("context_attrs", "ip_address"))


@dataclass(frozen=True)
class PreparedPolicy:
    """An enabled policy without errors. `index` is its index in the model; `pairs` are the types and actions it covers.

    `tests` are the operators and constants that each attribute is compared with, in the order of the document. That an
    attribute is present is left out if each request that is answered has it: a strict one without it is refused (E8).
    For some attributes, `constants` has the only values that they can have if the policy holds.
    """

    index: int
    policy: Policy
    pairs: frozenset[Pair]
    tests: Mapping[Attribute, tuple[Test, ...]]
    constants: Mapping[Attribute, Constants]

    @cached_property
    def gates(self) -> Gates:
        """The spans of the policy's time window and of its allowlist."""
        conditions = self.policy.conditions
        if conditions is None:
            return {}
        window = parse_window(conditions.time_window) if conditions.time_window else None
        return gates_of(window, conditions.ip_allowlist or None)

    @cached_property
    def needed(self) -> tuple[Attribute, ...]:
        """The attributes that a request must contain for the policy to hold, in the order of the document.

        The id and the type of an entity are in every request, so they are left out (E6).
        """
        sent = tuple(
            attribute for attribute in self.tests if attribute[0] != REFERENCES and not reads_own_key(*attribute)
        )
        return (*sent, ADDRESS) if self.policy.conditions and self.policy.conditions.ip_allowlist else sent

    @cached_property
    def implied(self) -> frozenset[Attribute]:
        """The attributes that a request certainly contains if the policy holds.

        If a condition reads `ip` or `ip_address` of the context, they include the address that an allowlist reads.
        """
        needed = frozenset(self.needed)
        return needed | {ADDRESS} if needed.intersection(_ADDRESS_KEYS) else needed

    @cached_property
    def meanings(self) -> Mapping[Attribute, Meaning]:
        """The tests of each attribute, such that equal tests are equal."""
        return {
            attribute: frozenset((op, canonical_key(value)) for op, value in tests)
            for attribute, tests in self.tests.items()
        }

    @cached_property
    def is_satisfiable(self) -> bool:
        """True if the comparisons of each attribute can be true together."""
        return self.opposed is None and all(map(is_satisfiable, self.tests.values()))

    @cached_property
    def opposed(self) -> LocatedCondition | None:
        """The first comparison with a reference that contradicts earlier ones of the same two values, or None."""
        return first_opposed(conditions_of(self.policy, self.index))


def prepare_policies(draft: Draft, faulty: Collection[int]) -> tuple[PreparedPolicy, ...]:
    """Returns the enabled policies of declared types, without those at the indexes in `faulty`."""
    known: dict[Hashable, frozenset[Pair]] = {}
    sent = _sent(draft)
    prepared = []
    for index, policy in enumerate(draft.model.policies):
        if policy.enabled and index not in faulty and _has_all_types(policy, draft.types):
            pairs = known.get(policy.resource_types)
            if pairs is None:
                pairs = _pairs(policy, draft.types)
                pairs = known[policy.resource_types] = known.setdefault(pairs, pairs)
            tests = _without_presence(_tests(policy.conditions or Conditions()), pairs, sent)
            prepared.append(PreparedPolicy(index, policy, pairs, tests, _constants(tests)))
    return tuple(prepared)


def _has_all_types(policy: Policy, types: Mapping[str, ResourceType]) -> bool:
    return all(
        scope.resource_type_id in types or scope.resource_type_id == EVERYTHING for scope in policy.resource_types
    )


def _pairs(policy: Policy, types: Mapping[str, ResourceType]) -> frozenset[Pair]:
    return frozenset(
        (type_id, action) for type_id, actions in covered_actions(policy, types).items() for action in actions
    )


def _tests(conditions: Conditions) -> dict[Attribute, tuple[Test, ...]]:
    found: dict[Attribute, tuple[Test, ...]] = {}
    for section in ATTRIBUTE_SECTIONS:
        for condition in getattr(conditions, section) or ():
            attribute = (section, condition.key)
            if condition.value_of is None:
                test: Test = (condition.op, condition.value)
            else:  # it holds only if the attribute is present (X2)
                test = _PRESENT
                found[REFERENCES, f"{section}.{condition.key} {condition.op} {condition.value_of}"] = (_TRUE,)
            found[attribute] = (*found.get(attribute, ()), test)
    return found


def _sent(draft: Draft) -> AlwaysSent | None:
    """Returns the attributes that each strict request sends. An ALLOW does not hold without one of another mode."""
    if not is_strict(draft.model.requests):
        return None
    return always_sent(draft.attributes, draft.model.requests, draft.types.values())


def _without_presence(
    tests: dict[Attribute, tuple[Test, ...]], pairs: frozenset[Pair], sent: AlwaysSent | None
) -> dict[Attribute, tuple[Test, ...]]:
    if sent is None or not any(_PRESENT in compared for compared in tests.values()):
        return tests
    types = {type for type, _ in pairs}
    return {
        attribute: compared
        for attribute, compared in tests.items()
        if any(test != _PRESENT for test in compared) or not sent.has(*attribute, types)
    }


def _constants(tests: Mapping[Attribute, tuple[Test, ...]]) -> dict[Attribute, Constants]:
    found: dict[Attribute, Constants] = {}
    for attribute, compared in tests.items():
        for op, constant in compared:
            values = constants_of(op, constant)
            if NAMES_ITS_VALUES[op] and not any(isinstance(value, list | dict) for value in values):
                found[attribute] = frozenset((kind_of(value), value) for value in values)
                break
    return found
