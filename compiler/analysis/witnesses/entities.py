"""The subjects and resources that are tried for a witness, each by one identifier."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Final

from ....bundles.conditions.values import Json
from ..conditions.variables import CLOCK, GRANT, NO, OTHER_GRANT, REGISTERED, YES, SpanTest, attribute
from ..differences.pair_rules import ALL_TIME, RESOURCE_ID, PairRules, RenamedResource
from ..models.grants import Grants, OnResources, Spans
from ..models.people import Person
from ..values.instants_tried import in_cell, nearest_clock
from .paths import Path

STRANGER: Final = "someone"
"""The id of a subject that no model names."""

MAX_ID: Final = 512
"""The characters of an id (E1)."""

_GRANTS: Final = (GRANT, OTHER_GRANT)
_FEW: Final = 20
_TYPES: Final = 3
USUAL_TYPE: Final = "user"
_OTHER_TYPE: Final = "other"
"""A type of subjects that no model declares, so that their attributes are not checked (E8)."""


@dataclass(frozen=True)
class Entities:
    """Finds entities for one subject on one pair. If the resource is `renamed`, a request names it so.

    `subject_type` is the type of subjects that no model names, if only those of one type are asked about.
    """

    rules: PairRules
    grants: Grants
    person: Person
    renamed: RenamedResource | None = None
    subject_type: str | None = None

    @property
    def granted(self) -> tuple[OnResources, OnResources]:
        """The resources on which the subject has grants in either model, with their terms."""
        return self._granted(others=False)

    def _granted(self, *, others: bool) -> tuple[OnResources, OnResources]:
        before, after = (self.grants.ids_on(self.person, self.rules.pair, side, others=others) for side in (0, 1))
        return before, after

    def _common(self, *, others: bool) -> OnResources:
        """Returns the resources with the same grants in both models, of the action or of the other actions."""
        before, after = self._granted(others=others)
        return {id: terms for id, terms in before.items() if terms == after.get(id)}

    @property
    def has_terms(self) -> bool:
        """True if a grant of the subject starts or ends."""
        return any(terms != ALL_TIME for found in self.granted for terms in found.values())

    def clocks(self, cells: Mapping[str, SpanTest]) -> Iterator[float]:
        """Yields epoch seconds at which terms are as a cell has them, and those of a grant if one is needed."""
        yield nearest_clock(cells.get(CLOCK))
        for key in _GRANTS:
            if key in cells and YES in cells[key].states:
                terms = self._granted(others=key == OTHER_GRANT)[0].values()
                starts = {nearest_clock(SpanTest((span,))) for spans in terms for span in spans}
                yield from (one for one in sorted(starts)[:_FEW] if CLOCK not in cells or in_cell(cells[CLOCK], one))

    def resources(
        self, choices: Mapping[str, Sequence[Json]], cells: Mapping[str, SpanTest], path: Path, clock: float
    ) -> Iterator[dict[str, Any]]:
        """Yields resources that take a path: one that no model names, those that it compares with, and known ones."""
        type, _ = self.rules.pair
        if self.renamed is not None:
            yield {"type": type, self.renamed.kind: self.renamed.name}
            return
        common = {key: self._common(others=key == OTHER_GRANT) for key in _GRANTS if key in cells}
        granted = [id for ids in common.values() for id in sorted(ids)[:_FEW]]
        tried: list[Json] = [self._unused_id(type), *choices.get(RESOURCE_ID, ()), *granted]
        if REGISTERED in cells:
            tried += sorted(self.rules.common_registered)[:_FEW]
        for id in dict.fromkeys(one for one in tried if one is None or is_id(one)):
            if any(_in_force(ids.get(str(id), ()), clock) not in cells[key].states for key, ids in common.items()):
                continue
            known = YES if id in self.rules.common_registered else NO
            if (REGISTERED in cells and known not in cells[REGISTERED].states) or not path.takes(RESOURCE_ID, id):
                continue
            yield {"type": type, "external_id": self._unused_name()} if id is None else {"type": type, "id": id}

    def _unused_id(self, type: str) -> str:
        numbered = (f"{type}-{number}" for number in range(1, 10**9))
        return next(one for one in numbered if not any(one in ids for ids in self.rules.registered))

    def _unused_name(self) -> str:
        known = [names for side in self.rules.sides for names in side.resource_names.values()]
        numbered = (f"unknown-{number}" for number in range(1, 10**9))
        return next(one for one in numbered if not any(one in names for names in known))

    def subjects(self, choices: Mapping[str, Sequence[Json]]) -> Iterator[dict[str, Any]]:
        """Yields the subject, or for all others some that no model names."""
        person = self.person
        if person.external_id is not None:
            yield {"type": person.shown.type, "external_id": person.external_id}
        elif not person.is_others:
            yield {"type": person.shown.type, "id": person.shown.id}
        else:
            yield from self._others(choices)

    def _others(self, choices: Mapping[str, Sequence[Json]]) -> Iterator[dict[str, Any]]:
        subjects = [side.facts.subjects for side in self.rules.sides]
        known = islice(dict.fromkeys(key.type for side in subjects for key in side), _FEW)
        usual = sorted({*known, USUAL_TYPE}, key=lambda type: (type != USUAL_TYPE, type))[:_TYPES]
        if any(side.declarations.subjects for side in self.rules.sides):
            usual.append(_OTHER_TYPE)
        types = choices.get(attribute("subject_attrs", "type"), [self.subject_type] if self.subject_type else usual)
        ids = choices.get(attribute("subject_attrs", "id"), [STRANGER, f"{STRANGER}-else"])
        for type, id in product(types, ids):
            if not is_id(type):
                continue
            if id is None:
                yield {"type": type, "external_id": f"{STRANGER}-unknown"}
            elif is_id(id) and not any((type, id) in side for side in subjects):
                yield {"type": type, "id": id}


def _in_force(terms: Spans, clock: float) -> str:
    return YES if any(low <= clock < high for low, high in terms) else NO


def is_id(value: Json) -> bool:
    """Returns whether a value can be an id or a type (E1)."""
    return isinstance(value, str) and 0 < len(value) <= MAX_ID
