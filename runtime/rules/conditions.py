"""Turns each condition of a clause's body into a test, a closure with everything constant folded in."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Final, TypeAlias

from ...bundles.conditions.addresses import AddressSet, parse_block, read_address
from ...bundles.conditions.comparisons import predicate
from ...bundles.conditions.constants import value_count
from ...bundles.conditions.instants import from_seconds, read_instant
from ...bundles.conditions.operators import TAKES_LIST, Operator
from ...bundles.conditions.references import GROUPS, ValueOf
from ...bundles.conditions.values import NotJson
from ...bundles.conditions.windows import TimeWindow, within
from ...bundles.program.clauses import AgainstNow, Atom, Comparison, During, Effect, From, Rate, Reference
from ...bundles.program.demands import NO_DEMANDS, Demand, Demands, Fault
from ..effort import STEPS_OF_PATTERN, STEPS_OF_RATE, STEPS_OF_REFERENCE, STEPS_TO_COMPILE
from ..requests.members import Attributes
from .against_now import now_test
from .attributes import Test, attribute_test
from .foreign_values import plain_at, refused_at
from .indexable import AttributeKey, indexable_attributes, values_of
from .memberships import HasGroups
from .references import reference_test

_REGEX: Final = Operator.REGEX
"""PERF: Python 3.11 takes 0.1 µs to look up a member of a closed set."""

_plain_time, _plain_ip, _plain_ip_address = (plain_at("context_attrs", key) for key in ("time", "ip", "ip_address"))

Zones: TypeAlias = Callable[[str], tzinfo]


def always(*_: object) -> bool:
    """The test of a condition that always holds."""
    return True


def never(*_: object) -> bool:
    """The test of a condition that never holds."""
    return False


NEVER: Final = (never,)


@dataclass(frozen=True, slots=True, eq=False)
class Conjunction:
    """A clause's body as tests."""

    tests: tuple[Test, ...]
    """The tests that decide, cheap ones first: none if the body always holds, `(never,)` if it never does."""
    by_atom: tuple[Test, ...]
    """One test for each atom, in the order of the body, as a proof shows them."""
    steps: int
    """The steps that all tests take together; see `effort`."""
    timed: bool
    """True if some test reads the clock."""
    indexable: tuple[AttributeKey, ...]
    rate: Rate | None = None
    """Its rate limit. The engine decides it last, with its counters; the other tests say when (C10)."""
    without_rate: tuple[Test, ...] = ()
    """The tests of the other conditions of a body with a rate limit, as `tests` has them."""
    demands: tuple[tuple[Demand, ...], ...] = ()
    """For each atom, the demands on attributes that it compares (C12, C13). Without any, it is empty."""
    referred: tuple[ValueOf, ...] = ()
    """The values to which its comparisons refer, in the order of the body (X1)."""
    first: Reference | None = None
    """The comparison of the first of `tests`, if it is one with a reference and relies on no demand (C12, C13)."""
    _values: dict[AttributeKey, frozenset[str | float]] = field(default_factory=dict)

    @property
    def never_holds(self) -> bool:
        """True if it is false for every request."""
        return self.tests == NEVER

    def values(self, body: Sequence[Atom], attribute: AttributeKey) -> frozenset[str | float]:
        """Returns the values that an indexable attribute can have if `body`, of which this is made, holds."""
        found = self._values.get(attribute)
        if found is None:
            found = self._values[attribute] = values_of(body, attribute)
        return found


def conjunction(
    atoms: Sequence[Atom], effect: Effect, type_name: str, zones: Zones, demands: Demands = NO_DEMANDS
) -> Conjunction:
    """Returns `atoms` as tests, for resources of the type that requests call `type_name`.

    `demands` are those of the model on attributes of the context and of actions (C12, C13).
    """
    needed = [demands.by(atom) for atom in atoms]
    by_atom = tuple(
        _if_met(some, effect, _atom_test(atom, effect, type_name, zones))
        for atom, some in zip(atoms, needed, strict=True)
    )
    by_cost = sorted(zip(atoms, by_atom, strict=True), key=lambda pair: _cost(pair[0]))
    rates = [atom for atom in atoms if isinstance(atom, Rate)]
    tests = _tests(test for _, test in by_cost)
    return Conjunction(
        tests=tests,
        by_atom=by_atom,
        steps=sum(map(_steps, atoms)),
        timed=any(isinstance(atom, During | AgainstNow) for atom in atoms),
        # A DENY may hold whatever the value of an attribute that does not meet a demand.
        indexable=indexable_attributes(
            [atom for atom, some in zip(atoms, needed, strict=True) if effect == "ALLOW" or not some]
        ),
        rate=rates[0] if rates else None,
        without_rate=_tests(test for atom, test in by_cost if not isinstance(atom, Rate)) if rates else (),
        demands=tuple(needed) if any(needed) else (),
        referred=tuple(atom.value_of for atom in atoms if isinstance(atom, Reference)),
        first=None if any(needed) else _first_reference(tests, by_cost),
    )


def _first_reference(tests: Sequence[Test], by_cost: Iterable[tuple[Atom, Test]]) -> Reference | None:
    first = next((atom for atom, test in by_cost if tests and test is tests[0]), None)
    return first if isinstance(first, Reference) else None


def _tests(found: Iterable[Test]) -> tuple[Test, ...]:
    """Returns the tests that decide: `NEVER` if one of them never holds."""
    tests = tuple(test for test in found if test is not always)
    return NEVER if never in tests else tests


def _steps(atom: Atom) -> int:
    if isinstance(atom, Rate):
        return STEPS_OF_RATE
    if isinstance(atom, Reference | AgainstNow):
        return STEPS_OF_REFERENCE
    if not isinstance(atom, Comparison):
        return 1
    if atom.op == _REGEX:
        return STEPS_OF_PATTERN
    if TAKES_LIST[atom.op]:  # strings and numbers are found by their hashes
        return 1 + sum(value_count(constant) for constant in atom.value if isinstance(constant, list | dict))
    return value_count(atom.value)


def steps_to_compile(atoms: Sequence[Atom]) -> int:
    """Returns the steps that it takes to turn a body into tests."""
    return sum(STEPS_TO_COMPILE + (value_count(atom.value) if isinstance(atom, Comparison) else 0) for atom in atoms)


def _cost(atom: Atom) -> int:
    match atom:
        case Comparison(op=op, key=key):
            return 3 if op == _REGEX else 1 if "." in key else 0
        case Reference(value_of=value_of):
            return 0 if value_of == GROUPS else 1
        case _:
            return 2


def _atom_test(atom: Atom, effect: Effect, type_name: str, zones: Zones) -> Test:
    match atom:
        case Comparison("resource_attrs", "type", op, value):  # known, whatever the request
            return always if predicate(op, value)(type_name) else never
        case Comparison(section, key, op, value):
            return attribute_test(section, key, op, value, unreadable=effect == "DENY")
        case Reference():
            return reference_test(atom, type_name, unreadable=effect == "DENY")
        case AgainstNow():
            return now_test(atom, type_name, unreadable=effect == "DENY")
        case During(window):
            return _during(window, zones(window.timezone), unreadable=effect == "DENY")
        case From(blocks):
            return _from(AddressSet(map(parse_block, blocks)), unreadable=effect == "DENY")
        case Rate():
            return never  # as it is without counters; `rate` is for those who have some (C10)


def fault_of(demand: Demand, a: Attributes, c: Attributes) -> Fault | None:
    """Returns the way in which the properties of an action, or a context, do not meet a demand, or None.

    Raises BadRequest for a value that JSON has not (C7).
    """
    try:
        return demand.fault(c if demand.section == "context_attrs" else a)
    except NotJson as ex:
        raise refused_at(demand.section, demand.key)(ex) from None


def _if_met(demands: Sequence[Demand], effect: Effect, test: Test) -> Test:
    """Returns `test` for a request that meets the demands. For any other, a DENY holds, an ALLOW does not."""
    if not demands:
        return test

    def holds(
        t: str,
        i: str | None,
        s: Attributes,
        n: str | None,
        r: Attributes,
        a: Attributes,
        c: Attributes,
        h: HasGroups,
        now: float,
    ) -> bool:
        for demand in demands:
            if fault_of(demand, a, c) is not None:
                return effect == "DENY"
        return test(t, i, s, n, r, a, c, h, now)

    return holds


def _during(window: TimeWindow, zone: tzinfo, unreadable: bool) -> Test:
    """Returns the test of a time window. It reads `context.time` if it is sent, else the service's clock (C8).

    PERF: it reads the instant as `instant_of_request` does, but in place: a call makes a decision 3 % slower.
    """

    def holds(
        t: str,
        i: str | None,
        s: Attributes,
        n: str | None,
        r: Attributes,
        a: Attributes,
        c: Attributes,
        h: HasGroups,
        now: float,
    ) -> bool:
        sent = c.get("time")
        instant = from_seconds(now) if sent is None else read_instant(sent)
        inside = None if instant is None else within(window, zone, instant)
        if inside is None and sent is not None:
            _plain_time(sent)
            return unreadable
        return bool(inside)

    return holds


def _from(addresses: AddressSet, unreadable: bool) -> Test:
    """Returns the test of an address. It reads `context.ip`, or `context.ip_address` if that is absent (C9)."""

    def holds(
        t: str,
        i: str | None,
        s: Attributes,
        n: str | None,
        r: Attributes,
        a: Attributes,
        c: Attributes,
        h: HasGroups,
        now: float,
    ) -> bool:
        sent, plain_address = c.get("ip"), _plain_ip
        if sent is None:
            sent, plain_address = c.get("ip_address"), _plain_ip_address
            if sent is None:
                return False
        address = read_address(sent)
        if address is None:
            plain_address(sent)
            return unreadable
        return address in addresses

    return holds
