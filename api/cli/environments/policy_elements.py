"""The policy model of documents, by list and key, and how it differs from an environment's."""

from collections.abc import Iterator
from typing import NamedTuple

from ....compiler.model.elements import ElementKind, Model
from ....compiler.model.normal_form import normalised
from ...store.elements.kinds import KINDS
from ...store.history.change_log import change_of
from ...store.history.origin import POLICY_KINDS
from ...store.history.route_orders import moved
from .place import Elements


class Difference(NamedTuple):
    """An element that differs from the documents."""

    kind: ElementKind
    id: str
    change: str


def policy_elements(model: Model) -> Elements:
    """Returns the elements of the policy model of a model. Routes are in their order."""
    return {kind: {KINDS[kind].key_of(one): one for one in getattr(model, kind)} for kind in POLICY_KINDS}


def differences(documents: Elements, environment: Elements) -> Iterator[Difference]:
    """Yields what was added, changed and removed in an environment since it was as the documents say."""
    for kind in POLICY_KINDS:
        old, new = documents[kind], environment[kind]
        for key in sorted({*old, *new}):
            before, after = (None if key not in of else normalised(of[key]) for of in (old, new))
            if before != after:
                yield Difference(kind, key[-1], change_of(before, after))
    orders = ([id for (id,) in of[ElementKind.ROUTES]] for of in (documents, environment))
    yield from (Difference(ElementKind.ROUTES, id, "moved") for id in sorted(moved(*orders)))
