"""The table of readers: what the parser calls when it has found a construct, by the name of its grammar rule."""

from collections.abc import Mapping

from ..placed import Reader
from . import conditions, constants, declarations, elements, policies, routes

READERS: Mapping[str, Reader] = {
    **elements.READERS,
    **policies.READERS,
    **conditions.READERS,
    **routes.READERS,
    **declarations.READERS,
    **constants.READERS,
}
"""All readers."""
