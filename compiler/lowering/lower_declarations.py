"""Lowers the declared attributes of a model to those of a bundle."""

from ...bundles.declarations.declarations import Declarations, Kinds, declared
from ..model import declared as model
from ..model.elements import DeclaredAttributes, Model


def lower_declarations(source: Model) -> Declarations:
    """Returns the declarations of a model that passed its checks."""
    (attributes,) = source.attributes or (DeclaredAttributes(),)
    return Declarations(
        resources={one.id: _kinds(one.attributes) for one in source.resource_types if one.attributes is not None},
        subjects={type: _kinds(kinds) for type, kinds in (attributes.subject or {}).items()},
        action=None if attributes.action is None else _kinds(attributes.action),
        context=None if attributes.context is None else _kinds(attributes.context),
    )


def _kinds(kinds: model.Kinds) -> Kinds:
    stated = {key: model.declaration_of(one) for key, one in kinds.items()}
    return {key: declared(one.kind, one.one_of, one.required) for key, one in stated.items()}
