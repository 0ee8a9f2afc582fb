"""Conditions that are made once, and filled with the texts of each question: making one takes SQLAlchemy long."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from ..bundles.conditions.operators import Operator
from ..bundles.conditions.values import is_text
from ..bundles.errors import Error
from ..queries.trees import keys_of, with_fields
from ..runtime.translate import Text
from ..runtime.translate.sqlalchemy import VALUE
from ..runtime.translate.sqlalchemy_types import field_of_column
from .entities import Entity
from .permitted import Permitted
from .row_fields import Fields, field_for

MOST_KEPT: Final = 500
"""The templates that a process keeps. Then it forgets them all."""

MOST_TEXTS: Final = 100
"""The texts in a filter that has a template."""

MOST_CHARACTERS: Final = 4_000
"""The characters of a filter that has a template, without its texts, as Python shows it."""

_MARK: Final = "\ufdd0writ "
_EQUALITIES: Final = (Operator.EQ, Operator.IN, Operator.NE, Operator.NIN)


class _Slot(str):
    """A text in a template, in place of which each condition has another one. No policy has it."""

    number: int


@dataclass(frozen=True)
class Template:
    """A condition, and the parts of it that have other values each time: a text, or several as an array."""

    condition: Permitted
    slots: tuple[tuple[int, int | tuple[int, ...]], ...]

    def filled(self, texts: Sequence[str]) -> Permitted:
        """Returns the condition with these texts."""
        parts = list(self.condition.parts)
        for place, held in self.slots:
            value = texts[held] if isinstance(held, int) else [texts[number] for number in held]
            parts[place] = sa.bindparam(VALUE, value, parts[place].type, unique=True)
        return Permitted(self.condition.tables, self.condition.anchors, self.condition.shapes, parts)


_templates: dict[Any, Template | None] = {}
_texts: dict[Any, bool | None] = {}


def from_template(
    entity: Entity, tree: Any, given: Fields, dialects: Sequence[str], make: Callable[[Any], Permitted]
) -> Permitted | None:
    """Returns what `make` makes of a filter, from a template, or None if the filter has none.

    A condition has a template if it compares nothing but columns of a class or a table. Everything else may say
    something else each time: a hybrid property, a field of `fields`, an instant, a direct grant.
    """
    kinds = _kinds(entity, tree, given, tuple(dialects))
    if kinds is None:
        return None
    texts: list[str] = []
    opened = with_fields(tree, lambda node: _opened(node, texts) if kinds[node["field"]] else node)
    key = (entity.named, *dialects, written := repr(opened))
    if len(texts) > MOST_TEXTS or len(written) > MOST_CHARACTERS:
        return None
    if key not in _templates:
        if len(_templates) >= MOST_KEPT:
            _templates.clear()
        _templates[key] = _template(make(with_fields(opened, _with_slots)), len(texts))
    template = _templates.get(key)
    return None if template is None else template.filled(texts)


def _kinds(entity: Entity, tree: Any, given: Fields, dialects: tuple[str, ...]) -> dict[str, bool] | None:
    """Returns the keys of a filter, each with whether its column holds texts. None: one is no column."""
    if not isinstance(entity.named, sa.Table | type) or any(node["type"] != "const" for node in _others(tree)):
        return None
    found: dict[str, bool] = {}
    for key in keys_of(tree):
        if key in given:
            return None
        known = (entity.named, key, dialects)
        if known not in _texts:
            if len(_texts) >= MOST_KEPT:
                _texts.clear()
            _texts[known] = _is_text(entity, key, dialects)
        kind = _texts.get(known)
        if kind is None:
            return None
        found[key] = kind
    return found


def _others(tree: Any) -> Iterator[Any]:
    """Yields the nodes that are no plain comparisons: direct grants, instants and constants."""
    if tree["type"] == "logical":
        for one in tree["conditions"]:
            yield from _others(one)
    elif tree["type"] != "field" or "value_type" in tree:
        yield tree


def _is_text(entity: Entity, key: str, dialects: tuple[str, ...]) -> bool | None:
    """Returns whether a column holds texts in each dialect, or None if the key has no column that stays the same."""
    if not entity.is_column(key):
        return None
    try:
        fields = [field_of_column(key, field_for(entity, key, {}, dialect), dialect) for dialect in dialects]
    except Error:
        return None
    return all(isinstance(field, Text) for field in fields)


def _opened(node: Any, texts: list[str]) -> Any:
    """Returns a comparison without its texts, which it adds to `texts`. A text that no database may hold stays."""
    value = node["value"]
    constants = value if isinstance(value, list) else [value]
    if node["operator"] not in _EQUALITIES or not constants or not all(map(_is_plain, constants)):
        return node
    texts += constants
    numbers = [*range(len(texts) - len(constants), len(texts))]
    rest = {name: one for name, one in node.items() if name != "value"}
    return {**rest, "slots": numbers if isinstance(value, list) else numbers[0]}


def _is_plain(constant: Any) -> bool:
    return isinstance(constant, str) and "\0" not in constant and is_text(constant)


def _with_slots(node: Any) -> Any:
    if "slots" not in node:
        return node
    numbers = node["slots"]
    value = [*map(_slot, numbers)] if isinstance(numbers, list) else _slot(numbers)
    return {**{name: one for name, one in node.items() if name != "slots"}, "value": value}


def _slot(number: int) -> _Slot:
    made = _Slot(f"{_MARK}{number}")
    made.number = number
    return made


def _template(condition: Permitted, texts: int) -> Template | None:
    """Returns the template of a condition, or None if some text is not bound as it is, or if a database refuses it."""
    slots: list[tuple[int, int | tuple[int, ...]]] = []
    for place, part in enumerate(condition.parts):
        value = part.value if isinstance(part, sa.BindParameter) else None
        if isinstance(value, _Slot):
            slots.append((place, value.number))
        elif isinstance(value, list) and value and all(isinstance(one, _Slot) for one in value):
            slots.append((place, tuple(one.number for one in value)))
        elif _MARK in str(value):
            return None
    found = {one for _, held in slots for one in ((held,) if isinstance(held, int) else held)}
    return None if condition.refusals or found != {*range(texts)} else Template(condition, tuple(slots))
