"""The result of an analysis: who gains and who loses, by type and action, and what it does not know."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ...bundles.conditions.trees.tree import FilterTree
from .classes import Class
from .differences.differing import Change
from .members import Members
from .models.sides import Pair
from .witnesses.witness import Witness

OWN_ID: Final = "\0\ud800subject.id"
"""A mark in conditions for the id of the subject that asks. A lone surrogate is no text, so no model has it."""


@dataclass(frozen=True)
class Region:
    """Requests that the models answer differently: those of some subjects, under one condition.

    `subjects` are in order. One has an `external_id` if the change counts only for requests that name it so. `others`
    says that all subjects count that neither model names, and `everyone` that all subjects count, named or not. `roles`
    are those by which the subjects hold it. `when` is the condition over the variables of the analysis, and `resources`
    the number of registered resources for which it can be true, or None if a side is a bundle. If the change counts
    only for requests that name the resource so, `resource_name` is the kind of the name, and the name.
    """

    pair: Pair
    subjects: Members
    others: bool
    roles: tuple[str, ...]
    when: FilterTree
    resources: int | None
    witness: Witness
    resource_name: tuple[str, str] | None = None
    everyone: bool = False


@dataclass(frozen=True)
class Unknown:
    """A pair of which a part is not known, and why."""

    pair: Pair
    reason: str


@dataclass(frozen=True)
class ReasonRegion:
    """Requests that both models deny, with another reason: those of some classes, under the condition of `change`."""

    change: Change
    classes: Sequence[Class]


@dataclass(frozen=True)
class OtherReasons:
    """The regions of a pair in which only the reason changes. None if they are not known."""

    pair: Pair
    regions: tuple[ReasonRegion, ...] | None

    @property
    def count(self) -> int | None:
        """The number of the regions, or None if it is not known."""
        return None if self.regions is None else len(self.regions)


@dataclass
class People:
    """The differences of two models in who may do what.

    `apart` has, by pair, the names that mean another resource than before: requests that name the resource so are in no
    region without a `resource_name`. `reasons` has the pairs on which only the reason changes, for some requests.
    """

    gains: list[Region] = field(default_factory=list)
    loses: list[Region] = field(default_factory=list)
    unknown: list[Unknown] = field(default_factory=list)
    reasons: list[OtherReasons] = field(default_factory=list)
    apart: dict[Pair, frozenset[tuple[str, str]]] = field(default_factory=dict)
