"""Conditions that are made once, and filled with the values of each question: making one takes SQLAlchemy long."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.sql.elements import Grouping

from ..bundles.errors import Error
from ..queries.trees import keys_of
from ..runtime.translate import Boolean, Date, DateTime, Integer, Real, Text, Uuid
from ..runtime.translate.sqlalchemy import VALUE
from ..runtime.translate.sqlalchemy_types import field_of_column
from .entities import Entity
from .held import Held
from .opened import FORMS, MARK, Opened, Slot, marker
from .permitted import Permitted
from .row_fields import Fields, field_for

MOST_KEPT: Final = 500
"""The templates that a process keeps. Then it forgets them all."""

MOST_TEXTS: Final = 100
"""The texts in a filter that has a template."""

MOST_CHARACTERS: Final = 4_000
"""The characters of a filter that has a template, without its values, as Python shows it."""

_GIVEN: Final = (Text, DateTime, Date, Integer, Real, Boolean, Uuid)
"""The fields of `fields` that say all by their class and their column."""


@dataclass(frozen=True)
class Template:
    """A condition, and the places of its parts that have other values each time.

    A text is one value, or several as an array. An instant stands there in one of the `FORMS`.
    """

    condition: Permitted
    texts: tuple[tuple[int, int | tuple[int, ...]], ...]
    instants: tuple[tuple[int, int, int], ...]
    nodes: tuple[tuple[int, int], ...]

    def filled(self, opened: Opened, now: float) -> Permitted:
        """Returns the condition with these values."""
        parts = list(self.condition.parts)
        texts, instants = [*opened.texts], [*opened.instants]
        for place, held in self.texts:
            value = texts[held] if isinstance(held, int) else [texts[number] for number in held]
            parts[place] = _bound(value, parts[place])
        for place, number, form in self.instants:
            parts[place] = _bound(FORMS[form](instants[number]), parts[place])
        for place, number in self.nodes:
            parts[place] = Grouping(parts[place].element.for_node(opened.nodes[number], now))
        return Permitted(self.condition.tables, self.condition.anchors, self.condition.shapes, parts)


def _bound(value: Any, part: Any) -> Any:
    return sa.bindparam(VALUE, value, part.type, unique=True)


_templates: dict[Any, Template | None] = {}
_kinds: dict[Any, str | None] = {}


def from_template(
    entity: Entity,
    tree: Any,
    given: Fields,
    mirror: Any,
    dialects: Sequence[str],
    now: float,
    make: Callable[[Any], Permitted],
) -> Permitted | None:
    """Returns what `make` makes of a filter, from a template, or None if the filter has none.

    A condition has a template if it compares nothing but columns of a class or a table, with direct grants or without.
    Everything else may say something else each time: a hybrid property, or a function in `fields`. `now` is the instant
    for grants.
    """
    kinds = _kinds_of(entity, tree, given, tuple(dialects))
    if kinds is None:
        return None
    opened = Opened(kinds)
    key = (entity.named, mirror, *dialects, *_plain(given), written := repr(opened.tree(tree)))
    if len(opened.texts) > MOST_TEXTS or len(written) > MOST_CHARACTERS or opened.is_odd:
        return None
    if key not in _templates:
        if len(_templates) >= MOST_KEPT:
            _templates.clear()
        _templates[key] = _template(opened, make)
    template = _templates.get(key)
    return None if template is None else template.filled(opened, now)


def _plain(given: Fields) -> list[Any]:
    return [(key, type(field), field.column) for key, field in given.items() if isinstance(field, _GIVEN)]


def _kinds_of(entity: Entity, tree: Any, given: Fields, dialects: tuple[str, ...]) -> dict[str, str] | None:
    """Returns the keys of a filter, each with what its column holds. None: one is no column."""
    if not isinstance(entity.named, sa.Table | type) or "id" in given:
        return None
    found: dict[str, str] = {}
    for key in keys_of(tree):
        field = given.get(key)
        if key in given and not isinstance(field, _GIVEN):
            return None
        known = (entity.named, key, *_plain({key: field}), *dialects)
        if known not in _kinds:
            if len(_kinds) >= MOST_KEPT:
                _kinds.clear()
            _kinds[known] = _kind(entity, key, {key: field} if key in given else {}, dialects)
        kind = _kinds.get(known)
        if kind is None:
            return None
        found[key] = kind
    return found


def _kind(entity: Entity, key: str, given: Fields, dialects: tuple[str, ...]) -> str | None:
    """Returns `text` or `instant` for a column that holds nothing else in each dialect, and `other` for another one.

    None: the key has no column that stays the same.
    """
    if not (_is_column(given[key]) if given else entity.is_column(key)):
        return None
    try:
        fields = [field_of_column(key, field_for(entity, key, given, dialect), dialect) for dialect in dialects]
    except Error:
        return None
    kinds = {"text" if isinstance(one, Text) else "instant" if isinstance(one, DateTime) else "other" for one in fields}
    return kinds.pop() if len(kinds) == 1 else "other"


def _is_column(field: Any) -> bool:
    column = field.column
    found = column.__clause_element__() if hasattr(column, "__clause_element__") else column
    return isinstance(found, sa.Column)


def _template(opened: Opened, make: Callable[[Any], Permitted]) -> Template | None:
    """Returns the template of an opened filter, or None if some value is not bound as it is, or a database refuses it.

    The condition is made twice, with different instants. Where the two differ, an instant stands.
    """
    condition = make(opened.marked(0))
    other = make(opened.marked(1)) if opened.instants else condition
    if condition.refusals or condition.shapes != other.shapes or len(condition.parts) != len(other.parts):
        return None
    texts: list[tuple[int, int | tuple[int, ...]]] = []
    instants: list[tuple[int, int, int]] = []
    nodes: list[tuple[int, int]] = []
    for place, (part, twin) in enumerate(zip(condition.parts, other.parts, strict=True)):
        value = part.value if isinstance(part, sa.BindParameter) else None
        if isinstance(part, Grouping) and isinstance(part.element, Held):
            nodes.append((place, part.element.subject.number))
        elif isinstance(value, Slot):
            texts.append((place, value.number))
        elif isinstance(value, list) and value and all(isinstance(one, Slot) for one in value):
            texts.append((place, tuple(one.number for one in value)))
        elif MARK in str(value):
            return None
        elif value != getattr(twin, "value", None):
            found = _instant(value, twin.value, opened)
            if found is None:
                return None
            instants.append((place, *found))
    template = Template(condition, tuple(texts), tuple(instants), tuple(nodes))
    return template if _is_whole(template, opened) else None


def _instant(value: Any, twin: Any, opened: Opened) -> tuple[int, int] | None:
    """Returns the number and the form of the instant that is one value in one condition, and another in its twin."""
    for number, instant in enumerate(opened.instants):
        for form, shown in enumerate(FORMS):
            if (value, twin) == (shown(marker(instant, number, 0)), shown(marker(instant, number, 1))):
                return number, form
    return None


def _is_whole(template: Template, opened: Opened) -> bool:
    """Returns whether each value has a place. A value that is folded away may matter for another question."""
    texts = {one for _, held in template.texts for one in ((held,) if isinstance(held, int) else held)}
    counts = len(opened.texts), len(opened.instants), len(opened.nodes)
    found = texts, {number for _, number, _ in template.instants}, {number for _, number in template.nodes}
    return all(numbers == {*range(count)} for numbers, count in zip(found, counts, strict=True))
