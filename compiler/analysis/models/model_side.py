"""The side of an analysis that a compiled model is."""

from collections import defaultdict
from collections.abc import Mapping

from ....bundles.conditions.values import Json
from ....bundles.program.facts import EntityKey
from ...compile import Compiled
from ...model.elements import Model
from .sides import Side


def model_side(model: Model, compiled: Compiled) -> Side:
    """Returns the side of a checked model. `compiled` is what it was compiled to."""
    attributes: dict[str, dict[str, Mapping[str, Json]]] = defaultdict(dict)
    names: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for key, facts in compiled.facts.resources.items():
        if facts.attributes:
            attributes[key.type][key.id] = facts.attributes
        for kind, name in (("external_id", facts.external_id), ("name", facts.name)):
            if name is not None:
                names[key.type, kind][name] = key.id
    return Side(
        program=compiled.program,
        facts=compiled.facts,
        registered=compiled.facts.registered_ids(),
        resource_names=names,
        subject_attributes={EntityKey(one.type, one.id): one.attributes for one in model.subjects if one.attributes},
        resource_attributes=attributes,
        routes=compiled.routing.routes,
        strict=compiled.manifest.requests is not None,
    )
