"""Checks the attributes of one entity against its declarations (E8).

PERF: what a request usually sends passes `pass_quickly`, which compares the classes of values. Only what does not is
read again, with care for every rule, to find its faults or to find none.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ...bundles.conditions.attribute_keys import read, steps_of
from ...bundles.conditions.values import Json, Unreadable, type_name
from ...bundles.declarations.declarations import Declared, Kinds
from ...bundles.declarations.kinds import AttributeKind, Choices, is_instant, is_of, kind_hint, kind_of, unlisted
from ...bundles.wording import described, did_you_mean, quoted
from ..requests.members import Attributes, RequestFault
from .known_members import fault

_CLASSES: Final[Mapping[AttributeKind, frozenset[type]]] = {
    "string": frozenset((str,)),
    "number": frozenset((int, float)),
    "boolean": frozenset((bool,)),
    "instant": frozenset((str,)),
    "array": frozenset((list,)),
    "object": frozenset((dict,)),
}
"""The classes of a kind's values as JSON decodes them."""

_ANY_CLASS: Final = frozenset((type(None), bool, int, float, str, list, dict))
_NEVER: Final[frozenset[type]] = frozenset()

Quick = tuple[frozenset[type], Callable[[Json], bool] | None]
"""The classes of a value that passes, and a further test, or None."""


class Bags(NamedTuple):
    """The attributes that a request sends for an entity: the path of the entity, and its two bags (E4).

    The context is a bag itself: it has no `attributes`.
    """

    path: str
    properties: Attributes | None
    attributes: Attributes | None = None
    is_context: bool = False

    @property
    def merged(self) -> Attributes:
        """The attributes, updated with the properties (E4)."""
        if not self.attributes:
            return self.properties or {}
        return {**self.attributes, **self.properties} if self.properties else self.attributes

    def path_of(self, key: str, name: str) -> str:
        """Returns the path of a key. `name` is the member of a bag that has it. A missing one counts as a property."""
        if self.is_context:
            return f"{self.path}.{key}"
        sent = self.properties is not None and name in self.properties
        bag = "properties" if sent or not (self.attributes and name in self.attributes) else "attributes"
        return f"{self.path}.{bag}.{key}"


class _Value(NamedTuple):
    """The check of one declared attribute."""

    key: str
    steps: tuple[str, ...]
    kind: AttributeKind
    choices: Choices | None
    required: bool


class AttributeChecks:
    """The prepared checks of an entity's attributes. `noun` are the words for the entity."""

    def __init__(self, noun: str, kinds: Kinds, always: Iterable[str] = ()):
        """`always` are names that need no declaration."""
        self._noun = noun
        self._values = tuple(_value(key, declared) for key, declared in sorted(kinds.items()))
        self._required = tuple(value for value in self._values if value.required)
        self._quick: dict[str, Quick] = dict.fromkeys(always, (_ANY_CLASS, None))
        for value in self._values:
            self._quick[value.key] = _quick(value)
        for value in self._values:
            if value.steps:  # what is inside is read with care
                self._quick[value.steps[0]] = self._quick[value.key] = (_NEVER, None)

    def lists(self, name: str) -> bool:
        """Returns whether an attribute of that name is declared."""
        return name in self._quick

    def pass_quickly(self, sent: Attributes, complete: bool) -> bool:
        """Returns whether attributes have no fault. False says nothing: then `faults` finds out."""
        quick = self._quick
        for name, value in sent.items():
            found = quick.get(name)
            if found is None or value.__class__ not in found[0] or not (found[1] is None or found[1](value)):
                return False
        if complete:
            for one in self._required:
                if sent.get(one.key) is None:
                    return False
        return True

    def faults(self, bags: Bags, complete: bool) -> Iterator[RequestFault]:
        """Yields the faults. With `complete`, required attributes must be there."""
        sent = bags.merged
        if self.pass_quickly(sent, complete):
            return
        yield from self._undeclared(bags, sent)
        for one in self._values:
            found = read(sent, one.key, one.steps)
            if found is not None:
                name = one.key if sent.get(one.key) is not None or not one.steps else one.steps[0]
                yield from self._misfits(one, found, bags.path_of(one.key, name))
            elif one.required and complete:
                yield self._lacks(one, bags)

    def missing(self, bags: Bags, sent: Attributes) -> Iterator[RequestFault]:
        """Yields the faults of required attributes that are not there."""
        for one in self._required:
            if read(sent, one.key, one.steps) is None:
                yield self._lacks(one, bags)

    def _lacks(self, one: _Value, bags: Bags) -> RequestFault:
        path = f"{bags.path}.{one.key}" if bags.is_context else f"{bags.path}.properties.{one.key}"
        return fault("missing-required", path, f"{quoted(one.key)} of {self._noun} is required")

    def _undeclared(self, bags: Bags, sent: Attributes) -> Iterator[RequestFault]:
        for name in sent:
            if name not in self._quick:
                message = f"{self._noun} declares no attribute {quoted(str(name))}"
                hint = did_you_mean(str(name), sorted(self._quick))
                yield fault("undeclared-attribute", bags.path_of(str(name), name), message, hint)

    def _misfits(self, one: _Value, found: Any, path: str) -> Iterator[RequestFault]:
        name = f"{quoted(one.key)} of {self._noun}"
        if not is_of(one.kind, found):
            message = f"{name} is declared as {one.kind}, found {_described(found)}"
            yield fault("wrong-type", path, message, kind_hint(one.kind, found))
        elif one.choices is not None:
            outside = unlisted(one.kind, one.choices, found)
            if outside:
                message = f"{name} has no declared value like {_described(outside[0])}"
                yield fault("wrong-value", path, message, one.choices.hint(outside[0]))


def _value(key: str, declared: Declared) -> _Value:
    choices = None if declared.one_of is None else Choices(declared.one_of)
    return _Value(key, steps_of(key), declared.kind, choices, declared.required)


def _quick(value: _Value) -> Quick:
    """Returns the quick check of an attribute. A null always passes: it counts as missing, and its name is declared."""
    classes = _CLASSES[value.kind] | {type(None)}
    choices = value.choices
    if choices is not None:
        texts = frozenset(one for one in choices.values if isinstance(one, str))
        return (frozenset((str,)), texts.__contains__) if value.kind in ("string", "instant") else (_NEVER, None)
    if value.kind == "instant":
        return frozenset((str,)), is_instant
    return classes, None


def _described(value: Any) -> str:
    """Returns the words for a value, which may be of a type that JSON has not."""
    if value.__class__ is Unreadable:
        return described(value.text)
    return described(value) if value is None or kind_of(value) is not None else f"a `{type_name(value)}`"
