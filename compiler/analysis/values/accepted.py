"""Values of attributes that strict models accept, and those that they require (E8)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Final

from ....bundles.conditions.attribute_keys import read, reads_own_key, steps_of
from ....bundles.conditions.constants import canonical_key
from ....bundles.conditions.instants import show_instant
from ....bundles.conditions.values import Json
from ....bundles.declarations.declarations import Declared, Kinds
from ....bundles.declarations.kinds import AttributeKind, is_of
from ..conditions.variables import attribute, is_attribute, parts
from ..models.sides import Pair, Side
from .instants_tried import USUAL

_ALWAYS: Final = ("time", "ip", "ip_address")
"""The members of the context that need no declaration."""

_SECTIONS: Final = ("subject_attrs", "action_attrs", "resource_attrs", "context_attrs")
_MOST: Final = 12

UNDECLARED: Final = Declared("string", ())
"""The declaration of an attribute that a request can't send: it has no value."""

_USUAL_VALUES: Final[Mapping[AttributeKind, Sequence[Json]]] = {
    "string": ("a", "b", ""),
    "number": (0, 1, 2, -1),
    "boolean": (True, False),
    "instant": (show_instant(USUAL),),
    "array": ([], ["a"], ["b"]),
    "object": ({}, {"a": 1}),
}


@dataclass(frozen=True)
class Accepted:
    """The attributes that all of some models accept, for one pair of type and action and one type of subjects.

    Without a `subject_type`, the attributes of subjects are not checked.
    """

    sides: tuple[Side, ...]
    pair: Pair
    subject_type: str | None = None
    demanding: tuple[Side, ...] = ()
    """The models whose demands on the context and on actions a value has to meet (C13)."""

    def takes(self, key: str, value: Json) -> bool:
        """Returns whether an attribute may have a value. None stands for a missing one."""
        for kinds, name in self._declared(key):
            stated = kinds.get(name)
            if stated is not None:
                if not _fits(stated, value):
                    return False
            elif value is not None and not _fits_inside(kinds, name, value):
                return False
        return value is None or all(_fits(stated, value) for stated in self._demanded(key))

    def _demanded(self, key: str) -> Iterator[Declared]:
        section, name = parts(key) if is_attribute(key) else ("", "")
        if section in ("action_attrs", "context_attrs"):
            for side in self.demanding:
                stated = (self._kinds(side, section) or {}).get(name)
                if stated is not None:
                    yield stated

    def values(self, key: str) -> Iterator[Json]:
        """Yields values of an attribute that its declarations name or suggest."""
        for kinds, name in self._declared(key):
            stated = kinds.get(name)
            yield from _inside(kinds, name) if stated is None else _values(stated)
        for stated in self._demanded(key):
            yield from _values(stated)

    def stated(self, key: str) -> Iterator[Declared | None]:
        """Yields the declaration of an attribute in each model, or None if it takes any value there."""
        checked = list(self._declared(key))
        yield from (None for _ in range(len(self.sides) - len(checked)))
        for kinds, name in checked:
            yield kinds.get(name, None if _is_inner(kinds, name) else UNDECLARED)

    @cached_property
    def required(self) -> Sequence[str]:
        """The keys of the variables of the attributes that each request must have, apart from own keys (E6)."""
        found = {
            attribute(section, name): None
            for side in self.sides
            for section in _SECTIONS
            for name, stated in (self._kinds(side, section) or {}).items()
            if stated.required and not reads_own_key(section, name)
        }
        return list(found)

    def placed(self, section: str, bag: Mapping[str, Json]) -> dict[str, Any]:
        """Returns attributes with those inside of their objects that only these declare (C1).

        Required attributes are added that have the name of an own key, which no condition reads (E6).
        """
        every = [kinds for kinds in (self._kinds(side, section) for side in self.sides) if kinds is not None]
        found: dict[str, Any] = {}
        inner: dict[str, dict[str, Json]] = defaultdict(dict)
        for name, value in sorted(bag.items()):
            if any(name not in kinds and _is_inner(kinds, name) for kinds in every):
                first, _, rest = name.partition(".")
                inner[first][rest] = value
            else:
                found[name] = value
        for name, inside in inner.items():
            found[name] = _with_inside(found.get(name), inside, [kinds[name] for kinds in every if name in kinds])
        for stated, name in ((kinds[name], name) for kinds in every for name in kinds if reads_own_key(section, name)):
            if stated.required:
                found[name] = next(_values(stated), None)
        return found

    def _declared(self, key: str) -> Iterator[tuple[Kinds, str]]:
        """Yields the declarations of each model for the section of a variable, and the name of its attribute."""
        if not is_attribute(key):
            return
        section, name = parts(key)
        if reads_own_key(section, name):
            return
        for side in self.sides:
            kinds = self._kinds(side, section)
            if kinds is not None and (section != "context_attrs" or name not in _ALWAYS or name in kinds):
                yield kinds, name

    def _kinds(self, side: Side, section: str) -> Kinds | None:
        declared = side.declarations
        if section == "resource_attrs":
            type = side.types.get(self.pair[0])
            return None if type is None else declared.resources.get(type.id)
        if section == "subject_attrs":
            return None if self.subject_type is None else declared.subjects.get(self.subject_type)
        return declared.action if section == "action_attrs" else declared.context


def _is_inner(kinds: Kinds, name: str) -> bool:
    """Returns whether a name is a path into an object that is declared."""
    first, dot, _ = name.partition(".")
    return bool(dot) and first in kinds


def _fits_inside(kinds: Kinds, name: str, value: Json) -> bool:
    if not _is_inner(kinds, name):
        return False
    listed = kinds[name.partition(".")[0]].one_of
    return listed is None or any(canonical_key(one) == canonical_key(value) for one in _inside(kinds, name))


def _inside(kinds: Kinds, name: str) -> Iterator[Json]:
    """Yields the values at a path into an object whose values are listed."""
    first, _, rest = name.partition(".")
    listed = kinds[first].one_of if first in kinds else None
    read_of = (read(one, rest, steps_of(rest)) for one in listed or () if isinstance(one, dict))
    yield from (one for one in read_of if one is not None)


def _with_inside(whole: Json, inside: Mapping[str, Json], stated: Sequence[Declared]) -> Json:
    """Returns an object that has values at some paths: a listed one, if its declarations list any."""
    listed = [one for declared in stated for one in declared.one_of or () if isinstance(one, dict)]
    for one in listed:
        if all(canonical_key(read(one, rest, steps_of(rest))) == canonical_key(inside[rest]) for rest in inside):
            return one
    found: dict[str, Json] = dict(whole) if isinstance(whole, dict) else {}
    for rest, value in inside.items():
        *steps, last = rest.split(".")
        deeper: dict[str, Any] = found
        for step in steps:
            inner = deeper.get(step)
            deeper[step] = deeper = dict(inner) if isinstance(inner, dict) else {}
        deeper[last] = value
    return found


def _fits(stated: Declared, value: Json) -> bool:
    if value is None:
        return not stated.required
    if not is_of(stated.kind, value):
        return False
    if stated.one_of is None:
        return True
    listed = set(map(canonical_key, stated.one_of))
    return all(canonical_key(one) in listed for one in (value if isinstance(value, list) else [value]))


def _values(stated: Declared) -> Iterator[Json]:
    if stated.one_of is None:
        yield from _USUAL_VALUES[stated.kind]
    elif stated.kind == "array":
        listed = stated.one_of[:_MOST]
        yield []
        yield from (list(some) for size in (1, 2, len(listed)) for some in combinations(listed, size))
    else:
        yield from stated.one_of
