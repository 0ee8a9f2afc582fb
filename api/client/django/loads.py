"""The related rows that a queryset loads: those of declared types need an authorized queryset."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Prefetch

from ..queries.questions import Question
from ..queries.refusal import QueryRefused
from .model_names import all_names_of


def check_loads(queryset: Any, question: Question) -> None:
    """Raises QueryRefused if related rows of a declared type are loaded that are not authorized."""
    for lookup, model in _loaded(queryset):
        if model is None or question.declared(tuple(all_names_of(model))):
            raise QueryRefused(
                f"the queryset loads all rows of `{lookup}`",
                f"load it with `Prefetch({lookup!r}, queryset=….authorized(…))`",
            )


def _loaded(queryset: Any) -> Iterator[tuple[str, Any]]:
    """Yields the relations that are loaded without an authorized queryset, each with its model if it is known."""
    selected = queryset.query.select_related
    if selected is True:
        yield from ((one.name, one.related_model) for one in queryset.model._meta.fields if one.is_relation)
    elif selected:
        yield from _selected(queryset.model, selected, "")
    for lookup in queryset._prefetch_related_lookups:
        steps = lookup.prefetch_through if isinstance(lookup, Prefetch) else lookup
        inner = lookup.queryset if isinstance(lookup, Prefetch) else None
        passed = [*_steps(queryset.model, steps)]
        if getattr(inner, "_writ_question", None) is not None:
            passed.pop()
        yield from passed


def _selected(model: Any, selected: Mapping[str, Any], before: str) -> Iterator[tuple[str, Any]]:
    for name, below in selected.items():
        related = _related(model, name)
        yield before + name, related
        if related is not None:
            yield from _selected(related, below, f"{before}{name}__")


def _steps(model: Any, path: str) -> Iterator[tuple[str, Any]]:
    passed: list[str] = []
    for name in path.split("__"):
        model = None if model is None else _related(model, name)
        passed.append(name)
        yield "__".join(passed), model


def _related(model: Any, name: str) -> Any:
    """Returns the model of a relation or of an accessor, or None if it is none or may be of any model."""
    for one in model._meta.related_objects:
        if one.get_accessor_name() == name:
            return one.related_model
    try:
        return getattr(model._meta.get_field(name), "related_model", None)
    except FieldDoesNotExist:
        return None
