"""The regions of an analysis as answers have them: of `writ diff --people`, and of who can do an action."""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from ....bundles.conditions.instants import show_seconds
from ....compiler.analysis.models.people import Person
from ....compiler.analysis.regions import Region, Unknown
from .region_words import region_sentences

MOST_SUBJECTS: Final = 100
"""The subjects that a region lists. It counts the others."""


class ShownSubject(Struct, frozen=True):
    """A subject. It has an `external_id` if only requests change that name it so."""

    type: str
    id: str
    external_id: str | UnsetType = UNSET


class ShownName(Struct, frozen=True):
    """A name of a resource that means another resource than before. `kind` is `external_id` or `name`."""

    kind: str
    value: str


class ShownRegion(Struct, frozen=True):
    """Requests that the models answer differently.

    `subjects` are MOST_SUBJECTS at most, and `more` says that there are others. `others` says that all subjects change
    that neither model names, and `everyone` that all subjects change, named or not. `when` are sentences, all of which
    must be true. `now` is the instant at which `witness` is decided, if the service's clock counts.
    """

    resource_type: str
    action: str
    subjects: tuple[ShownSubject, ...]
    subject_count: int
    more: bool
    others: bool
    roles: tuple[str, ...]
    when: tuple[str, ...]
    resources: int | None
    witness: dict[str, Any]
    now: str | UnsetType = UNSET
    resource_name: ShownName | UnsetType = UNSET
    everyone: bool | UnsetType = UNSET


class ShownUnknown(Struct, frozen=True):
    """A type and an action of which a part is not known, and why."""

    resource_type: str
    action: str
    reason: str


def shown_region(region: Region) -> ShownRegion:
    """Returns a region as answers have it."""
    witness, name = region.witness, region.resource_name
    return ShownRegion(
        *region.pair,
        subjects=_subjects(region.subjects.first(MOST_SUBJECTS)),
        subject_count=len(region.subjects),
        more=len(region.subjects) > MOST_SUBJECTS,
        others=region.others,
        roles=region.roles,
        when=tuple(region_sentences(region.when)),
        resources=region.resources,
        witness=witness.request,
        now=show_seconds(witness.now) if witness.clock_counts else UNSET,
        resource_name=ShownName(*name) if name else UNSET,
        everyone=region.everyone or UNSET,
    )


def _subjects(subjects: Iterable[Person]) -> tuple[ShownSubject, ...]:
    return tuple(ShownSubject(*one.shown, UNSET if one.external_id is None else one.external_id) for one in subjects)


def shown_unknown(unknown: Unknown) -> ShownUnknown:
    """Returns a part that is not known as answers have it."""
    return ShownUnknown(*unknown.pair, unknown.reason)
