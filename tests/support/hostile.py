"""Elements with faults: valid ones in which some parts are replaced, renamed, removed or added, at any depth."""

from typing import Any

from writ.compiler.model.elements import LISTS, SINGLE_MEMBERS

from tests.support.strategies import document
from tests.support.strategies_pick import Pick
from tests.support.strategies_values import LOOK_ALIKES, NUMBERS, TEXTS, UNTRUSTED

Lists = dict[str, list[Any]]

_NAMES = ("id", "name", "op", "value", "actions", "roles", "effect", "attributes", "group", "type", "ID", "é", "")
_TEXTS = ("*", "ALOW", "editr", "2030-13-01T00:00:00Z", "tomorrow", "10.0.0.1/8", "Europe/Olso", "09:60", "x" * 600)
_ODD = ({"n" * 257: 1}, "y" * 70_000, ["a"], [{"a": None}], {"key": "a", "op": "=="})
_SENDABLE = tuple(value for value in UNTRUSTED if not isinstance(value, str) or value.isascii())


def hostile_lists(seed: int, sendable: bool = False) -> Lists:
    """The lists of a model; about every third element has faults. If `sendable`, the limits of HTTP let them pass."""
    pick = Pick.seeded(seed)
    lists = {name: many for name, many in document(pick).items() if name in LISTS and name not in SINGLE_MEMBERS}
    for many in lists.values():
        for index, value in enumerate(many):
            if pick.chance(1, 3):
                many[index] = damaged(pick, value, sendable)
    return lists


def damaged(pick: Pick, value: Any, sendable: bool = False) -> Any:
    """`value` with some faults."""
    for _ in range(pick.number(1, 3)):
        value = _damaged(pick, value, sendable)
    return value


def _damaged(pick: Pick, value: Any, sendable: bool) -> Any:
    if isinstance(value, list) and value and pick.chance(7, 8):
        place = pick.number(0, len(value) - 1)
        return [*value[:place], _damaged(pick, value[place], sendable), *value[place + 1 :]]
    if isinstance(value, dict) and value and pick.chance(7, 8):
        name = pick.one(list(value))
        match pick.number(0, 9):
            case 0:
                return {member: one for member, one in value.items() if member != name}
            case 1:
                return {pick.one(_NAMES) if member == name else member: one for member, one in value.items()}
            case 2:
                return {pick.one(_NAMES): _any(pick, sendable)} | value
            case 3:
                return dict(pick.some(list(value.items()), len(value), len(value)))
            case _:
                return value | {name: _damaged(pick, value[name], sendable)}
    return _any(pick, sendable)


def _any(pick: Pick, sendable: bool) -> Any:
    return pick.one(pick.one((LOOK_ALIKES, TEXTS, NUMBERS, _TEXTS, *((_SENDABLE,) if sendable else (UNTRUSTED, _ODD)))))
