"""The whole model of an environment before and after a change that is not written."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from ....compiler.model.elements import Element, ElementKind, Model, ResourceType
from ..database.connection import Connection
from ..elements.element_bodies import element_of
from ..elements.kinds import KINDS
from ..elements.tables import TABLES, bounds
from ..environments import Environment
from ..history.origin import POLICY_KINDS
from .extent import FACTS, Extent, replacement
from .reading import model_of
from .submitted_model import SubmittedModel


class ModelPair(NamedTuple):
    """A model before and after a change."""

    before: Model
    after: Model


class StoredSize(NamedTuple):
    """The resource types of a stored model, and the number of its elements."""

    types: tuple[ResourceType, ...]
    elements: int


def stored_size(db: Connection, environment: Environment) -> StoredSize:
    """Returns the size of the stored model, without reading it."""
    kind = ElementKind.RESOURCE_TYPES
    found = (element_of(kind, body) for body in TABLES[kind].bodies(db, environment.number))
    types = tuple(one for one in found if isinstance(one, ResourceType))
    places = bounds(environment.number)
    counts = (db.execute(f"SELECT count(*) FROM {name} WHERE place BETWEEN ? AND ?", places) for name in KINDS)
    return StoredSize(types, sum(count.fetchone()[0] for count in counts))


def with_lists(before: Model, lists: Mapping[ElementKind, tuple[Element, ...]]) -> Model:
    """Returns a model with other lists."""
    changed: dict[str, Any] = {str(kind): elements for kind, elements in lists.items()}
    return replace(before, **changed)


def pair_of_documents(db: Connection, environment: Environment, submitted: SubmittedModel, extent: Extent) -> ModelPair:
    """Returns the stored model, and what documents would make of it.

    Raises Conflict if a fact that stays refers to what goes.
    """
    replacement(db, environment, submitted, extent)
    before, given = model_of(db, environment), submitted.model
    if extent == Extent.POLICIES:
        return ModelPair(before, with_lists(before, {kind: getattr(given, kind) for kind in POLICY_KINDS}))
    if extent == Extent.MODEL:
        return ModelPair(before, given)
    return ModelPair(before, with_lists(given, {kind: _joined(before, given, kind) for kind in FACTS}))


def _joined(before: Model, given: Model, kind: ElementKind) -> tuple[Element, ...]:
    """Returns the given facts, and the stored ones that the documents lack."""
    key_of: Callable[[Element], object] = KINDS[kind].key_of
    facts: tuple[Element, ...] = getattr(given, kind)
    keys = {key_of(one) for one in facts}
    return (*facts, *(one for one in getattr(before, kind) if key_of(one) not in keys))
