"""The related rows that a queryset loads: those of declared types need an authorized queryset."""

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Prefetch

from ..queries.questions import Question
from ..queries.refusal import QueryRefused
from .authorized_where import is_authorized
from .model_names import all_names_of, is_parent_link
from .named_values import check_values


def check_loads(queryset: Any, question: Question, before: str = "", passed: frozenset[Any] = frozenset()) -> None:
    """Raises QueryRefused if related rows of a declared type are loaded that are not authorized.

    `before` is the path to the queryset, if another one loads it, and `passed` are the managers on this path.
    """
    for path in _selected_paths(queryset):
        for lookup, relation, names in _steps(queryset.model, path):
            _check_names(before + lookup, relation, names, question)
    allowed: set[str] = set()
    for one in queryset._prefetch_related_lookups:
        inner = one.queryset if isinstance(one, Prefetch) else None
        through = one.prefetch_through if isinstance(one, Prefetch) else one
        if _is_authorized(inner):
            # Later lookups with this path use the same rows, if the path is no attribute with another name.
            allowed.update({through} & {one.prefetch_to})
        for lookup, relation, names in _steps(queryset.model, through):
            is_last = lookup == through
            if lookup in allowed or (is_last and _is_authorized(inner)):
                continue
            _check_names(before + lookup, relation, names, question)
            if is_last and inner is not None:
                _check_loaded(inner, question, before + lookup, passed)
            else:
                manager = _manager_of(relation)
                if manager not in passed:
                    _check_loaded(manager.all(), question, before + lookup, passed | {manager})


def _check_loaded(loaded: Any, question: Question, path: str, passed: frozenset[Any]) -> None:
    """Raises QueryRefused if a queryset that nothing authorizes brings rows or values of a declared type."""
    if question.declared(tuple(all_names_of(loaded.model))):
        _refuse(path)
    check_values(loaded.query, question)
    check_loads(loaded, question, f"{path}__", passed)


def _check_names(path: str, relation: Any, names: frozenset[str], question: Question) -> None:
    if relation is None or question.declared(tuple(names)):
        _refuse(path)


def _is_authorized(queryset: Any) -> bool:
    return getattr(queryset, "_writ_question", None) is not None and is_authorized(queryset.query)


def _selected_paths(queryset: Any) -> Iterator[str]:
    """Yields the paths that `select_related` names, or all that it takes without a name."""
    selected = queryset.query.select_related
    if selected is True:
        yield from _foreign_paths(queryset.model, queryset.query.max_depth)
    elif selected:
        yield from _named_paths(selected)


def _foreign_paths(model: Any, depth: int) -> Iterator[str]:
    for one in model._meta.fields if depth else ():
        if one.is_relation:
            yield one.name
            yield from (f"{one.name}__{below}" for below in _foreign_paths(one.related_model, depth - 1))


def _named_paths(selected: Mapping[str, Any]) -> Iterator[str]:
    for name, further in selected.items():
        yield name
        yield from (f"{name}__{below}" for below in _named_paths(further))


def _steps(model: Any, path: str) -> Iterator[tuple[str, Any, frozenset[str]]]:
    """Yields each relation on a path, with the names by which its rows may be declared.

    The same row of a parent or a child has only the names that the row at the beginning does not have.
    """
    passed: list[str] = []
    own, current, is_own = all_names_of(model), model, True
    for name in path.split("__"):
        relation = None if current is None else _relation(current, name)
        current = getattr(relation, "related_model", None)
        passed.append(name)
        is_own = is_own and relation is not None and is_parent_link(relation)
        names = frozenset() if current is None else all_names_of(current) - (own if is_own else frozenset())
        yield "__".join(passed), None if current is None else relation, names


def _relation(model: Any, name: str) -> Any:
    """Returns a relation by its name or its accessor, or None if there is none."""
    for one in model._meta.related_objects:
        if one.get_accessor_name() == name:
            return one
    try:
        return model._meta.get_field(name)
    except FieldDoesNotExist:
        return None


def _manager_of(relation: Any) -> Any:
    """Returns the manager by which Django loads the rows of a relation."""
    many = relation.many_to_many or relation.one_to_many
    return relation.related_model._default_manager if many else relation.related_model._base_manager


def _refuse(path: str) -> NoReturn:
    reason = f"the queryset loads all rows of `{path}`"
    raise QueryRefused(reason, f"load it with `Prefetch({path!r}, queryset=….authorized(…))`")
