"""Reads one element from its raw value: the model's class, and everything that is wrong with the value itself."""

from dataclasses import dataclass

import msgspec

from ...bundles.conditions.values import Json
from ..diagnostics.diagnostic import Finding
from ..limits import DEFAULTS, Limits
from ..model.elements import LISTS, Element
from .raw_values import is_plain, value_faults
from .schema_findings import schema_findings


@dataclass(frozen=True, slots=True)
class ReadElement:
    """An element of a list: its raw value, its class, and the faults of the value.

    `element` is None if the value does not fit the class. A null in place of an optional member fits, and is a fault.
    The paths of the faults start at the root of a document, where the element stands at the index that it was read for.
    """

    value: Json
    element: Element | None
    faults: tuple[Finding, ...] = ()


def read_element(list_name: str, value: Json, index: int = 0, limits: Limits = DEFAULTS) -> ReadElement:
    """Returns the element of a list that `value` holds. Raises nothing for what is wrong with it.

    PERF: most values are plain and fit; then msgspec alone reads them.
    """
    path, shape = (list_name, index), LISTS[list_name]
    plain = is_plain(value, limits)
    faults = [] if plain else [*value_faults(value, path, limits)]
    element = None if faults else _converted(value, shape)
    if element is None or not plain:
        faults += schema_findings(value, shape, path)
    return ReadElement(value, element, tuple(faults))


def _converted(value: Json, shape: type[Element]) -> Element | None:
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError:
        return None
