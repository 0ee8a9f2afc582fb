"""The conditions of a question, tried with other values of its attributes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from ...bundles.conditions.attribute_keys import read, reads_own_key, steps_of
from ...bundles.conditions.constants import canonical_key
from ...bundles.conditions.instants import EARLIEST, END, SECOND, instant_of, show_instant
from ...bundles.conditions.operators import OF_ELEMENTS, TAKES_LIST
from ...bundles.conditions.references import GROUPS
from ...bundles.conditions.trees.instant_comparisons import instant_of_text
from ...bundles.conditions.values import Json, is_number
from ...bundles.program.clauses import AgainstNow, Atom, Clause, Comparison, During, From, Rate, Reference
from ..decisions.unsent import NOTHING, Unsent, is_unsent
from ..requests.evaluation_request import EvaluationRequest
from ..requests.members import Attributes
from ..rules.attributes import Test
from ..rules.conditions import Conjunction
from ..rules.foreign_values import finite
from ..snapshot import Holder, Snapshot
from .limits import Budget, WhyNotLimits
from .sampled_addresses import sampled_addresses
from .sampled_instants import sampled_instants
from .units import ADDRESS, ME, OTHER_ADDRESS, TIME, Attribute, attributes_of, authors_of, read_by, reads_me
from .values import Test as Compared
from .values import is_exhaustive, sampled

SOMEONE: Final = "\0someone"
"""The id of a person whom nothing names."""

Choice = Mapping[Attribute, Json]
"""New values of attributes; None takes the attribute away."""


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """A condition, the attributes that can change it, and all that it reads."""

    number: int
    test: Test
    options: frozenset[Attribute]
    reads: frozenset[Attribute]


@dataclass(frozen=True, slots=True, eq=False)
class Applying:
    """A clause with its conditions. One with a rate limit has `limited`: whether it is reached is not decided here."""

    clause: Clause
    conditions: tuple[Condition, ...]
    limited: bool


class Entities(NamedTuple):
    """The subject and the resource of a question, as the model knows them."""

    subject_id: str | None
    holder: Holder
    resource_id: str | None


class Asked:
    """A question and the clauses on its type and action. It finds values to try, and tests conditions with them.

    `accepts` says whether a strict model takes a value of an attribute (E8). The values of `added` attributes must not
    be shown.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        request: EvaluationRequest,
        entities: Entities,
        now: float,
        clauses: Iterable[tuple[Clause, Conjunction]],
        accepts: Callable[[Attribute, Json], bool],
        limits: WhyNotLimits,
        added: Unsent = NOTHING,
    ):
        (stype, _, _, s, _, a, rtype, _, _, r, c, _) = request
        self._bags: dict[str, Attributes] = {
            "subject_attrs": s,
            "resource_attrs": r,
            "action_attrs": a,
            "context_attrs": c,
        }
        self._entities, self._now, self._stype, self._rtype = entities, now, stype, rtype
        self._zones, self._demands = snapshot.state.zone, snapshot.state.demands
        self._accepts, self._limits, self._added = accepts, limits, added
        self._atoms: list[Atom] = []
        clauses = list(clauses)
        self._authors = frozenset(one for clause, _ in clauses for atom in clause.body for one in authors_of(atom))
        self.clauses = [self._applying(clause, body) for clause, body in clauses]
        self.budget = Budget(limits.steps)
        self.exhaustive = True
        self._by_attribute: dict[Attribute, list[Atom]] = {}
        for atom in self._atoms:
            for one in attributes_of(atom, self._demands.by(atom)):
                self._by_attribute.setdefault(one, []).append(atom)
        self._values: dict[Attribute, list[Json]] = {}
        self._masks: dict[tuple[int, Attribute], int] = {}
        self._base: dict[int, bool] = {}

    def _applying(self, clause: Clause, body: Conjunction) -> Applying:
        found = []
        for atom, test in zip(clause.body, body.by_atom, strict=True):
            if not isinstance(atom, Rate):
                options, reads = self._options(atom), read_by(atom, self._demands.by(atom))
                if reads_me(atom):
                    reads |= {ME}
                found.append(Condition(len(self._atoms), test, options, reads))
                self._atoms.append(atom)
        return Applying(clause, tuple(found), body.rate is not None)

    def _options(self, atom: Atom) -> frozenset[Attribute]:
        """Returns what may change for a condition. Where it asks whose the resource is, another person may ask."""
        found = attributes_of(atom, self._demands.by(atom))
        mine = {ME} if authors_of(atom) and self._entities.subject_id is not None else frozenset[Attribute]()
        return (found - self._authors) | mine

    def turning(self, choice: Choice) -> Iterator[Atom]:
        """Yields the conditions of ALLOWs that hold with new values, and not without them."""
        for one in self.clauses:
            for condition in one.conditions if one.clause.effect == "ALLOW" else ():
                if self.holds(condition, choice) and not self.holds(condition, {}):
                    yield self._atoms[condition.number]

    def names(self, id: Json) -> bool:
        """Returns whether the resource names a subject, where a condition asks whose it is."""
        return any(self.sent(one) == id for one in self._authors)

    def may_name(self, id: Json) -> bool:
        """Returns whether the request itself says that the resource names a subject."""
        return any(self.sent(one) == id for one in self._authors if not self._is_unsent(one))

    def is_telling(self, attribute: Attribute) -> bool:
        """Returns whether the values to try of an attribute may come from one that must not be shown.

        Alone, it is tried with the constants of its conditions, which tell nothing. One that is compared with others,
        or with the instant of the request, is tried with their values.
        """
        if not self._added:
            return False
        linked = self._linked(attribute)
        atoms = [atom for one in linked for atom in self._by_attribute.get(one, ())]
        against_now = [Attribute(x.section, x.key) for x in atoms if isinstance(x, AgainstNow)]
        if against_now:
            timed = [Attribute(x.section, x.key) for x in self._atoms if isinstance(x, AgainstNow)]
            return any(map(self._is_unsent, [*linked, *timed]))
        return len(linked) > 1 and any(map(self._is_unsent, linked))

    def _is_unsent(self, attribute: Attribute) -> bool:
        return is_unsent(self._added, attribute.section, attribute.key)

    def holds(self, condition: Condition, choice: Choice) -> bool:
        """Returns whether a condition holds with new values. Raises OutOfSteps."""
        if condition.reads.isdisjoint(choice):
            known = self._base.get(condition.number)
            if known is None:
                known = self._base[condition.number] = self._tested(condition, self._bags)
            return known
        return self._tested(condition, self._changed(choice), choice.get(ME))

    def _changed(self, choice: Choice) -> dict[str, Attributes]:
        bags: dict[str, Any] = dict(self._bags)
        choice = {one: value for one, value in choice.items() if one != ME}
        for one in choice:
            if bags[one.section] is self._bags[one.section]:
                bags[one.section] = dict(bags[one.section])
        for one, value in choice.items():
            bags[one.section][one.key] = value
        return bags

    def _tested(self, condition: Condition, bags: Mapping[str, Attributes], other: Json = None) -> bool:
        self.budget.spend()
        sid, holder, rid = self._entities
        sid = other if isinstance(other, str) else sid
        s, r, a, c = (bags[one] for one in ("subject_attrs", "resource_attrs", "action_attrs", "context_attrs"))
        return condition.test(self._stype, sid, s, rid, r, a, c, holder, self._now)

    def holds_all(self, conditions: Iterable[Condition], choice: Choice) -> bool:
        """Returns whether all conditions hold with new values. Raises OutOfSteps."""
        return all(self.holds(one, choice) for one in conditions)

    def mask(self, condition: Condition, attribute: Attribute) -> int:
        """Returns the values of an attribute, as bits, with which a condition holds if nothing else changes."""
        found = self._masks.get((condition.number, attribute))
        if found is None:
            found = 0
            for place, value in enumerate(self.values(attribute)):
                if self.holds(condition, {attribute: value}):
                    found |= 1 << place
            self._masks[condition.number, attribute] = found
        return found

    def sent(self, attribute: Attribute) -> Json:
        """Returns the value that the request has, or None. Raises BadRequest for NaN and infinities."""
        value = read(self._bags[attribute.section], attribute.key, steps_of(attribute.key))
        return finite(value, attribute.section, attribute.key)

    def values(self, attribute: Attribute) -> list[Json]:
        """Returns the values to try of an attribute: one of each class that the conditions distinguish."""
        found = self._values.get(attribute)
        if found is None and attribute == ME:
            found = self._values[attribute] = self._others()
        elif found is None:
            found = self._values[attribute] = self._found(attribute)
        return found

    def _found(self, attribute: Attribute) -> list[Json]:
        linked = self._linked(attribute)
        atoms = [atom for one in linked for atom in self._by_attribute.get(one, ())]
        tests: list[Compared] = [(atom.op, atom.value) for atom in atoms if isinstance(atom, Comparison)]
        shown = [one for one in linked if len(linked) > 1 or not self._is_unsent(one)]
        known = [value for one in shown if is_plain(value := self.sent(one))]
        known += [value for atom in atoms if isinstance(atom, Reference) for value in self._own(atom)]
        found: dict[object, Json] = {}
        special = self._special(attribute, atoms)
        own = list(sampled(tests, known))
        if any(isinstance(atom, Reference) and (TAKES_LIST[atom.op] or OF_ELEMENTS[atom.op]) for atom in atoms):
            own = list(chain.from_iterable(_as_lists(value) for value in own))
        for value in chain(special, own):
            if self._accepts(attribute, value):
                found.setdefault(canonical_key(value), value)
        if len(found) > self._limits.values or not is_exhaustive(tests):
            self.exhaustive = False
        return list(islice(found.values(), self._limits.values))

    def _others(self) -> list[Json]:
        """Returns the ids of other people: those that the resource names, and one that nothing names."""
        named = dict.fromkeys(one for one in map(self.sent, sorted(self._authors)) if isinstance(one, str) and one)
        return [one for one in (*named, SOMEONE) if one != self._entities.subject_id]

    def _linked(self, attribute: Attribute) -> list[Attribute]:
        """Returns the attributes that conditions compare with each other, and so with this one."""
        found, waiting = {attribute: None}, [attribute]
        while waiting:
            for atom in self._by_attribute.get(waiting.pop(), ()):
                if isinstance(atom, Reference):
                    more = [one for one in attributes_of(atom) if one not in found]
                    found.update(dict.fromkeys(more))
                    waiting += more
        return list(found)

    def _own(self, atom: Reference) -> Iterator[Json]:
        """Yields the known values of a comparison: ids, types and groups of the entities."""
        sid, holder, rid = self._entities
        if atom.value_of == GROUPS:
            yield from holder.memberships.ids
            yield list(holder.memberships.ids)
        ids = {
            ("subject_attrs", "id"): sid,
            ("subject_attrs", "type"): self._stype,
            ("resource_attrs", "id"): rid,
            ("resource_attrs", "type"): self._rtype,
        }
        for section, key in ((atom.section, atom.key), (atom.value_of.section, atom.value_of.key)):
            if reads_own_key(section, key):
                yield ids[section, key]

    def _special(self, attribute: Attribute, atoms: Sequence[Atom]) -> Iterator[Json]:
        if attribute == TIME:
            yield from self._instants(atoms)
        elif attribute in (ADDRESS, OTHER_ADDRESS):
            yield from sampled_addresses(
                block for atom in self._atoms if isinstance(atom, From) for block in atom.blocks
            )
        if any(isinstance(atom, AgainstNow) for atom in atoms) and attribute != TIME:
            times = [one for one in map(instant_of_text, self.values(TIME)) if one is not None]
            instant = instant_of(self._bags["context_attrs"].get("time"), self._now)
            for at in dict.fromkeys([*([] if instant is None else [instant]), *times]):
                yield from (show_instant(one) for one in _near(at))

    def _instants(self, atoms: Sequence[Atom]) -> Iterator[str]:
        windows = list(dict.fromkeys(atom.window for atom in atoms if isinstance(atom, During)))
        instant = instant_of(None, self._now)
        assert instant is not None
        compared = [instant_of_text(self.sent(Attribute(x.section, x.key))) for x in atoms if isinstance(x, AgainstNow)]
        near = [one for at in compared if at is not None for one in _near(at)]
        sampled = sampled_instants(windows, self._zones, instant, self._limits.changes_of_windows)
        self.exhaustive = self.exhaustive and sampled.complete
        yield from (show_instant(at) for at in (*sampled.instants, *near))


def _near(at: int) -> list[int]:
    """Returns an instant, and those a second before and after it, as far as they can be written (C8)."""
    return [one for one in (at, at - SECOND, at + SECOND) if EARLIEST <= one < END]


def is_plain(value: Json) -> bool:
    """Returns whether a value is a text, a number, a boolean or a short array of them."""
    if isinstance(value, list):
        return all(isinstance(one, str | bool) or is_number(one) for one in value)
    return isinstance(value, str | bool) or is_number(value)


def _as_lists(value: Json) -> Iterator[Json]:
    yield value
    if isinstance(value, list):
        yield from value
    elif value is not None and not isinstance(value, dict):
        yield [value]
