"""The demands of a model on the context and the action of a request, which its comparisons rely on (C12, C13).

A comparison with an attribute that does not meet its declaration can't be read: it is false in an ALLOW, and holds in a
DENY. So a caller can't escape a DENY by a text in the place of a number.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Final, Literal, TypeAlias

from ..conditions.attribute_keys import steps_of
from ..conditions.operators import NAMES_ITS_VALUES, TAKES_LIST, Operator
from ..conditions.values import Json, Unreadable, plain
from ..declarations.declarations import NO_DECLARATIONS, Declarations, Declared, Kinds
from ..declarations.kinds import AttributeKind, Choices, is_of, unlisted
from .clauses import Atom, Clause, Comparison, Reference

Fault: TypeAlias = Literal["lacks", "misfits"]
"""The way in which a request does not meet a demand: a required attribute is not there, or a value can't be read."""

LACKS: Final[Fault] = "lacks"
MISFITS: Final[Fault] = "misfits"

_QUICK: Final[Mapping[AttributeKind, frozenset[type]]] = {
    "string": frozenset((str,)),
    "number": frozenset((int,)),  # a float may be none that JSON has
    "boolean": frozenset((bool,)),
    "array": frozenset((list,)),
    "object": frozenset((dict,)),
}
"""The classes of values that meet a demand without a closer look."""

_NO_CLASS: Final[frozenset[type]] = frozenset()

_Name: TypeAlias = tuple[str, str]


class Demand:
    """The demand of a declaration on one attribute of the context or of the action. Null counts as absent (C2)."""

    __slots__ = ("_choices", "_kind", "_quick", "_required", "_steps", "key", "section")

    def __init__(self, section: str, key: str, declared: Declared | None, required: bool):
        """`required` says whether each request has to send it. Without `declared`, any value will do."""
        self.section, self.key = section, key
        self._steps, self._required = steps_of(key), required
        self._kind = None if declared is None else declared.kind
        listed = None if declared is None else declared.one_of
        self._choices = None if listed is None else Choices(listed)
        is_quick = self._kind is not None and self._choices is None
        self._quick = _QUICK.get(self._kind, _NO_CLASS) if is_quick and self._kind else _NO_CLASS

    def fault(self, sent: Mapping[str, Json]) -> Fault | None:
        """Returns the way in which the attributes of a request do not meet the demand, or None if they do.

        Raises NotJson for a value of a type that JSON has not.
        """
        value: Json = sent.get(self.key)
        if value.__class__ in self._quick:
            return None
        if value is None and self._steps:
            value = sent
            for step in self._steps:
                if value is None:
                    break
                if not isinstance(value, dict):
                    return MISFITS if value.__class__ is Unreadable or plain(value) is not None else None
                value = value.get(step)
        if value is None:
            return LACKS if self._required else None
        return MISFITS if self._misfits(value) else None

    def holds_if_equal(self, op: Operator, constant: Json) -> bool:
        """Returns whether each value that is equal to the constant, or to an element of its list, meets the demand.

        Such a comparison is false for every value that does not.
        """
        if not NAMES_ITS_VALUES[op]:
            return False
        values = constant if TAKES_LIST[op] else [constant]
        return not any(self._misfits(value) for value in values)

    def _misfits(self, sent: Json) -> bool:
        if self._kind is None or sent.__class__ is Unreadable:
            return self._kind is not None
        value = plain(sent)
        if not is_of(self._kind, value) or (isinstance(value, float) and not isfinite(value)):
            return True
        return self._choices is not None and bool(unlisted(self._kind, self._choices, value))


class Demands:
    """The demands of a model, by the section and the key of the attribute."""

    __slots__ = ("_by_key",)

    def __init__(self, declarations: Declarations, required: Iterable[str] = ()):
        """`required` are further attributes of the context that each request has to send (C12)."""
        context = declarations.context or {}
        needed = frozenset((*required, *(key for key, one in context.items() if one.required)))
        self._by_key = {
            **_demands("context_attrs", {**dict.fromkeys(needed), **context}, needed),
            **_demands("action_attrs", declarations.action or {}, frozenset()),
        }

    def __bool__(self) -> bool:
        return bool(self._by_key)

    def by(self, atom: Atom) -> tuple[Demand, ...]:
        """Returns the demands on the attributes that a condition compares, by their keys or by paths into them."""
        return self._on(_compared(atom)) if self._by_key else ()

    def on(self, section: str, key: str) -> tuple[Demand, ...]:
        """Returns the demands on the attributes that a key reads: the key itself, and those into which it is a path."""
        return self._on(_with_outer(section, key)) if self._by_key else ()

    def _on(self, names: Iterable[_Name]) -> tuple[Demand, ...]:
        found = {name: self._by_key[name] for name in names if name in self._by_key}
        return tuple(found.values())

    def need(self, clauses: Iterable[Clause]) -> bool:
        """Returns whether some clause compares an attribute on which there is a demand."""
        return bool(self._by_key) and any(self.by(atom) for clause in clauses for atom in clause.body)


def _demands(
    section: str, kinds: Kinds | Mapping[str, Declared | None], required: frozenset[str]
) -> dict[_Name, Demand]:
    return {(section, key): Demand(section, key, one, key in required) for key, one in sorted(kinds.items())}


def _compared(atom: Atom) -> Iterator[_Name]:
    """Yields the attributes that a comparison reads, on either side, and those into which their keys are paths."""
    if isinstance(atom, Comparison | Reference):
        yield from _with_outer(atom.section, atom.key)
    if isinstance(atom, Reference):
        yield from _with_outer(atom.value_of.section, atom.value_of.key)


def _with_outer(section: str, key: str) -> Iterator[_Name]:
    yield section, key
    end = key.rfind(".")
    while end > 0:
        yield section, key[:end]
        end = key.rfind(".", 0, end)


NO_DEMANDS: Final = Demands(NO_DECLARATIONS)
