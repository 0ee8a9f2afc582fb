"""Reads one element of the model from its raw value, and finds the faults of the value."""

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
    """The raw value of an element, the element made from it, and the faults of the value.

    `element` is None if the value does not fit its class. A null as an optional member fits, but is a fault. The paths
    of the faults start at the root of a document, and contain the index for which the element was read.
    """

    value: Json
    element: Element | None
    faults: tuple[Finding, ...] = ()


def read_element(list_name: str, value: Json, index: int = 0, limits: Limits = DEFAULTS) -> ReadElement:
    """Returns the element of a list made from `value`, with its faults. It never raises.

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
