"""Conditions as closures: each atom of a clause's body becomes a test, with everything constant folded in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TypeAlias

from ...bundles.conditions.addresses import AddressSet, parse_block, read_address
from ...bundles.conditions.comparisons import Predicate, predicate
from ...bundles.conditions.instants import from_seconds, read_instant
from ...bundles.conditions.keys import reads_own_key
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.windows import TimeWindow, within
from ...bundles.program.clauses import Atom, Comparison, During, Effect, From, Rate
from ..requests.members import Attributes
from .attributes import Test, attribute_test

Zones: TypeAlias = Callable[[str], tzinfo]


def always(*_: object) -> bool:
    """The test of what is known to hold."""
    return True


def never(*_: object) -> bool:
    """The test of what is known not to hold."""
    return False


@dataclass(frozen=True, slots=True, eq=False)
class Conjunction:
    """A clause's body as tests: `by_atom` one for each atom in order, as a proof shows them.

    `tests` are those that decide, cheap ones first: empty for what always holds, `(never,)` for what can't hold.
    """

    tests: tuple[Test, ...]
    by_atom: tuple[Test, ...]


def conjunction(atoms: Sequence[Atom], effect: Effect, type_name: str, zones: Zones) -> Conjunction:
    """The conjunction of `atoms` for resources of the type that requests call `type_name`."""
    by_atom = tuple(_atom_test(atom, effect, type_name, zones) for atom in atoms)
    ordered = sorted(zip(map(_cost, atoms), range(len(by_atom)), strict=True))
    tests = tuple(by_atom[place] for _, place in ordered if by_atom[place] is not always)
    return Conjunction((never,) if never in tests else tests, by_atom)


def _cost(atom: Atom) -> int:
    match atom:
        case Comparison(op=op, key=key):
            return 3 if op == Operator.REGEX else 1 if "." in key else 0
        case Rate():
            return 4  # it counts, so everything else comes first (C10)
        case _:
            return 2


def _atom_test(atom: Atom, effect: Effect, type_name: str, zones: Zones) -> Test:
    """The test of one atom of a clause with that effect."""
    match atom:
        case Comparison(section, key, op, value):
            if reads_own_key(section, key):
                return _own_key(section, key, predicate(op, value), type_name)
            return attribute_test(section, key, op, value)
        case During(window):
            return _during(window, zones(window.timezone), unreadable=effect == "DENY")
        case From(blocks):
            return _from(AddressSet(map(parse_block, blocks)), unreadable=effect == "DENY")
        case Rate():
            return never  # whoever runs the engine keeps the counters; without them the condition is false (C10)


def _own_key(section: str, key: str, check: Predicate, type_name: str) -> Test:
    """A comparison with the entity's own id or type (E6); the resource's type is known already."""
    match section, key:
        case "resource_attrs", "type":
            return always if check(type_name) else never
        case "resource_attrs", _:
            return lambda t, i, s, n, r, a, c, now: check(n)
        case _, "type":
            return lambda t, i, s, n, r, a, c, now: check(t)
        case _:
            return lambda t, i, s, n, r, a, c, now: check(i)


def _during(window: TimeWindow, zone: tzinfo, unreadable: bool) -> Test:
    """The instant is `context.time` where it is sent, else the service's clock (C8)."""

    def holds(
        t: str, i: str | None, s: Attributes, n: str | None, r: Attributes, a: Attributes, c: Attributes, now: float
    ) -> bool:
        sent = c.get("time")
        instant = from_seconds(now) if sent is None else read_instant(sent)
        inside = None if instant is None else within(window, zone, instant)
        return unreadable and sent is not None if inside is None else inside

    return holds


def _from(addresses: AddressSet, unreadable: bool) -> Test:
    """The address is `context.ip`, or `context.ip_address` where that is absent (C9)."""

    def holds(
        t: str, i: str | None, s: Attributes, n: str | None, r: Attributes, a: Attributes, c: Attributes, now: float
    ) -> bool:
        sent = c.get("ip")
        if sent is None:
            sent = c.get("ip_address")
            if sent is None:
                return False
        address = read_address(sent)
        return unreadable if address is None else address in addresses

    return holds
