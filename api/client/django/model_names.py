"""The names that the resource type of a model may have, with those of its parents and of models on its table."""

from typing import Any

from django.apps import apps


def names_of(model: Any) -> tuple[str, ...]:
    """Returns the names that the resource type of a model may have: its table's, and its own in lower case."""
    return tuple(dict.fromkeys((model._meta.db_table, model.__name__.lower())))


def all_names_of(model: Any) -> frozenset[str]:
    """Returns the names by which rows of a model may be declared.

    A row of a child is a row of its parents, too. A proxy has the rows of its table.
    """
    parents = [one for one in model.__mro__ if hasattr(one, "_meta") and not one._meta.abstract]
    found = [*parents, *(other for one in parents for other in models_of(one._meta.db_table))]
    return frozenset(name for one in found for name in names_of(one))


def models_of(table: str) -> list[Any]:
    """Returns the models with a table, of any application."""
    known = (one for models in apps.all_models.values() for one in models.values())
    return [one for one in known if one._meta.db_table == table]


def is_parent_link(relation: Any) -> bool:
    """Returns whether a relation leads from a row of a child to the same row of its parent, or back."""
    field = getattr(relation, "field", None) or relation
    return getattr(field, "is_relation", False) and field in field.model._meta.parents.values()
