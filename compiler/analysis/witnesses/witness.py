"""Finds a request that two models answer differently, from the diagram of their difference.

Variables of a diagram are free, but some depend on each other: the attribute of a comparison with a reference is an
attribute too. So a path need not be a request. Each request is tried on both models, and the first that fits counts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address
from itertools import chain, islice, product
from typing import Any, Final, TypeAlias

from ....bundles.conditions.gates import ADDRESS, INSTANT, V6_START
from ....bundles.conditions.instants import SECOND, instant_of, read_instant, show_instant
from ....bundles.conditions.trees.diagrams import Node
from ....bundles.conditions.values import Json
from ....bundles.declarations.kinds import kind_of
from ..conditions.variables import (
    CLOCK,
    MISSING,
    NO,
    UNREADABLE,
    SpanTest,
    attribute,
    is_attribute,
    is_now,
    is_week,
    parts,
)
from ..differences.diagram import DifferenceDiagrams
from ..values.accepted import Accepted
from ..values.candidates import values_of
from ..values.instants_tried import USUAL, ZoneOf, in_cell, instants, readable
from ..values.instants_tried import fits as instant_fits
from .attributes import Attributes, placed
from .entities import USUAL_TYPE, Entities
from .linked import unique
from .paths import Path, paths

Judge: TypeAlias = Callable[[Mapping[str, Any], float], str | None]
"""Returns the reason code of a model's answer to a request at an instant in epoch seconds. None if it refuses it."""

Changes: TypeAlias = Callable[[str, str], bool]
"""Returns whether the reason codes of two answers are the change for which a witness is wanted."""

ALLOWED: Final = "ALLOWED"

REFUSED: Final = "REFUSED"
"""Stands for the answer of a model that refuses a request, which allows nothing."""

_FEW: Final = 6
_INSTANTS: Final = 2
_UNREAD_TIME: Final = "no instant"
_UNREAD_ADDRESS: Final = "no address"
_TIME = attribute("context_attrs", "time")


def is_gain(before: str, after: str) -> bool:
    """Returns whether only the second answer allows."""
    return before != ALLOWED == after


def is_loss(before: str, after: str) -> bool:
    """Returns whether only the first answer allows."""
    return before == ALLOWED != after


def is_other_reason(before: str, after: str) -> bool:
    """Returns whether both answers deny, for different reasons."""
    return before != after and ALLOWED not in (before, after)


@dataclass(frozen=True)
class Witness:
    """A request that two models answer differently at `now`, in epoch seconds. The clock may make no difference.

    A strict model refuses it only if that is the difference: no request was found that both models accept (E8).
    """

    request: dict[str, Any]
    now: float
    clock_counts: bool = True


@dataclass(frozen=True)
class Search:
    """The search for witnesses for one subject on one pair. `judges` decide for both models.

    If the instant of each request is known, `sent` has it.
    """

    entities: Entities
    zone_of: ZoneOf
    judges: tuple[Judge, Judge]
    sent: tuple[int | None, ...] = ()

    def witness(self, found: DifferenceDiagrams, node: Node, wanted: Changes, most: int) -> Witness | None:
        """Returns a request whose answers change as `wanted`, or None if `most` requests show none.

        Of requests that a strict model refuses (E8), it returns one only if it finds none that both models accept.
        """
        strict = tuple(side for side in self.entities.rules.sides if side.strict)
        for sides in (strict, *(((side,) for side in strict) if len(strict) > 1 else ())):
            steps = paths(found.diagrams, node, most, _first(found))
            accepted = Accepted(sides, self.entities.rules.pair, demanding=self.entities.rules.sides)
            tried = (one for path in steps for one in islice(self._requests(found, path, accepted), _FEW))
            refused = None
            for request, clock in islice(tried, most):
                before, after = (judge(request, clock) for judge in self.judges)
                if before is not None and after is not None:
                    if wanted(before, after):
                        return Witness(request, clock)
                elif ALLOWED in (before, after) and refused is None and wanted(before or REFUSED, after or REFUSED):
                    refused = Witness(request, clock)
            if refused is not None:
                return refused
        return None

    def _requests(
        self, found: DifferenceDiagrams, path: Path, accepted: Accepted
    ) -> Iterator[tuple[dict[str, Any], float]]:
        """Yields requests that may take a path, each with the epoch seconds of the service's clock."""
        cells = {key: found.lines[key].cells[cell] for key, cell in path.cells.items() if key in found.lines}
        choices = self._choices(path, accepted)
        if not all(choices.values()):
            return
        for clock in self.entities.clocks(cells):
            resources = islice(self.entities.resources(choices, cells, path, clock), _FEW)
            subjects = list(islice(self.entities.subjects(choices), _FEW))
            for resource, subject, instant in product(
                resources, subjects, list(self._instants(found, cells, choices, clock))
            ):
                request = self._request((subject, resource), path, choices, cells, instant, accepted)
                if request is not None:
                    yield request, clock

    @cached_property
    def _declared(self) -> Accepted:
        """The values that fit the declarations of both models, whether or not they are strict."""
        type = self.entities.person.shown.type or USUAL_TYPE
        return Accepted(self.entities.rules.sides, self.entities.rules.pair, type)

    def _choices(self, path: Path, accepted: Accepted) -> Mapping[str, Sequence[Json]]:
        """Returns values for the attributes that a path asks about, a few for each.

        Those that their declarations take come first, and among these the constants of the models.
        """
        found: dict[str, Sequence[Json]] = {}
        for key in filter(is_attribute, path.cells):
            constants = [one for side in self.entities.rules.sides for one in side.constants_of(*parts(key))]
            kinds = {*map(kind_of, constants)}
            fitting = islice(self._fitting(path, key, accepted, constants), 2 * _FEW)
            found[key] = sorted(
                unique(fitting),
                key=lambda one: (not self._declared.takes(key, one), one is not None and kind_of(one) not in kinds),
            )[:_FEW]
        return found

    def _fitting(self, path: Path, key: str, accepted: Accepted, constants: Sequence[Json]) -> Iterator[Json]:
        usual = values_of(path.domains[key], path.cells[key], path.opaque.get(key, {}))
        named = (one for one in chain((None,), constants, self._declared.values(key)) if path.takes(key, one))
        others = (one for one in accepted.values(key) if path.takes(key, one))
        return (one for one in chain(named, usual, others) if accepted.takes(key, one))

    def _instants(
        self,
        found: DifferenceDiagrams,
        cells: Mapping[str, SpanTest],
        choices: Mapping[str, Sequence[Json]],
        clock: float,
    ) -> Iterator[int | None]:
        if self.sent:
            yield from self.sent
            return
        if (
            CLOCK in cells
            and not any(key == INSTANT or is_week(key) or is_now(key) for key in cells)
            and _TIME not in choices
        ):
            yield instant_of(None, clock)  # so that an example has one time
            return
        asked = {key: cell for key, cell in cells.items() if key == INSTANT or is_week(key)}
        if not readable(asked.values()) and all(UNREADABLE in cell.states for cell in asked.values()):
            yield None
            return
        sent = [read_instant(one) for one in choices[_TIME]] if _TIME in choices else []
        fitting = (
            instant
            for instant in dict.fromkeys(
                (*(one for one in sent if one is not None), *instants(found.lines, self.zone_of))
            )
            if all(instant_fits(key, cell, instant, self.zone_of) for key, cell in asked.items())
        )
        yield from islice(fitting, _INSTANTS)

    def _request(
        self,
        named: tuple[dict[str, Any], dict[str, Any]],
        path: Path,
        choices: Mapping[str, Sequence[Json]],
        cells: Mapping[str, SpanTest],
        instant: int | None,
        accepted: Accepted,
    ) -> dict[str, Any] | None:
        subject, resource = named
        if accepted.sides:
            accepted = replace(accepted, subject_type=subject["type"])
            choices = self._choices(path, accepted)
            if not all(choices.values()):
                return None
        fixed: dict[str, Json] = {
            attribute("subject_attrs", "id"): subject.get("id"),
            attribute("subject_attrs", "type"): subject["type"],
            attribute("resource_attrs", "id"): resource.get("id"),
            attribute("resource_attrs", "type"): resource["type"],
        }
        groups = self.entities.person.standings[0].groups
        context = _time(instant, accepted) | _address(cells.get(ADDRESS))
        sent = {attribute("context_attrs", name): value for name, value in context.items()} if accepted.sides else {}
        sent = {key: value for key, value in sent.items() if key not in choices}
        values = Attributes(path, choices, cells, fixed, groups, instant, accepted, self._declared, sent).chosen()
        if values is None:
            return None
        request = {
            "subject": dict(subject),
            "action": {"name": self.entities.rules.pair[1]},
            "resource": dict(resource),
            "context": context,
        }
        return placed(values, request, accepted)


def _first(found: DifferenceDiagrams) -> dict[str, list[int]]:
    """Returns the cells of special variables in the order in which they make simple requests."""
    return {key: _simplest(key, line.cells) for key, line in found.lines.items()}


def _simplest(key: str, cells: Sequence[SpanTest]) -> list[int]:
    if key in (CLOCK, INSTANT):
        usual = USUAL if key == INSTANT else USUAL / SECOND
        return sorted(range(len(cells)), key=lambda number: not in_cell(cells[number], usual))
    wanted = {MISSING, NO}
    return sorted(range(len(cells)), key=lambda number: (not wanted & cells[number].states, not cells[number].spans))


def _time(instant: int | None, accepted: Accepted) -> dict[str, Json]:
    """Returns the member of the context for an instant: a text, or seconds if a strict model declares a number."""
    text = _UNREAD_TIME if instant is None else show_instant(instant)
    offered: tuple[Json, ...] = (text,) if instant is None else (text, instant // SECOND)
    return next(({"time": one} for one in offered if accepted.takes(_TIME, one)), {})


def _address(cell: SpanTest | None) -> dict[str, str]:
    if cell is None or MISSING in cell.states:
        return {}
    if not cell.spans:
        return {"ip": _UNREAD_ADDRESS}
    number = int(cell.spans[0][0])
    return {"ip": str(IPv4Address(number) if number < V6_START else IPv6Address(number - V6_START))}
