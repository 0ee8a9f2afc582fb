"""The sets of changes as answers have them (D11)."""

from typing import Any, Final

from ...bundles.conditions.values import Json
from ...bundles.conditions.windows import show_window
from ...bundles.program.clauses import During, From
from .asked import Asked
from .search import Found, Standing
from .units import ADDRESS, ADMINISTRATOR, CALLER, ME, OWNER, PERSON, TIME, Attribute, Fact, Policy, Role, Unit, who

_ORDER: Final = (CALLER, OWNER, PERSON, ADMINISTRATOR)


def shown(found: Found, standing: Standing, asked: Asked) -> dict[str, Any]:
    """Returns a set of changes: who makes them, and each change."""
    changes = sorted((_change(one, found, standing, asked) for one in found.changes), key=_change_place)
    return {"who": [one for one in _ORDER if any(change["who"] == one for change in changes)], "changes": changes}


def place(one: dict[str, Any]) -> tuple[Any, ...]:
    """Returns the place of a set among others: by who makes the changes, and how many there are."""
    changes = one["changes"]
    return [_ORDER.index(name) for name in one["who"]], len(changes), [_change_place(change) for change in changes]


def _change(unit: Unit, found: Found, standing: Standing, asked: Asked) -> dict[str, Any]:
    by: dict[str, Any] = {"who": who(unit)}
    match unit:
        case Attribute() if unit == ME:
            id = found.values[unit]
            return by | {"kind": "person"} | _person(id, asked)
        case Attribute() if unit in (TIME, ADDRESS):
            return by | _of_request(unit, found, asked)
        case Attribute(section, key):
            path = f"{section.removesuffix('_attrs')}.{key}"
            return by | {"kind": "attribute", "path": path} | _value(unit, found, asked)
        case Role(role):
            return by | {"kind": "role", "role": role, "change": "take" if role in standing.roles else "give"}
        case Policy(policy):
            return by | {"kind": "policy", "policy": policy, "change": "disable"}
        case Fact(kind):
            return by | {"kind": kind}


def _of_request(unit: Attribute, found: Found, asked: Asked) -> dict[str, Any]:
    """Returns the change of the time or the address of a request, with the windows or the blocks that it must be in."""
    given: dict[str, Any] = {"path": f"context.{unit.key}"} | _value(unit, found, asked)
    atoms = list(asked.turning({unit: found.values[unit]}))
    if unit == TIME:
        windows = dict.fromkeys(atom.window for atom in atoms if isinstance(atom, During))
        return {"kind": "time"} | given | {"windows": [show_window(one) for one in windows]}
    blocks = dict.fromkeys(block for atom in atoms if isinstance(atom, From) for block in atom.blocks)
    return {"kind": "address"} | given | {"blocks": list(blocks)}


def _value(unit: Attribute, found: Found, asked: Asked) -> dict[str, Any]:
    """Returns the value that suffices, or that it must not be shown. To take an attribute away tells nothing."""
    value = found.values[unit]
    return {"value_hidden": True} if value is not None and asked.is_telling(unit) else {"value": value}


def _person(id: Json, asked: Asked) -> dict[str, Any]:
    """Returns the id of another person if the resource names it, or that it must not be shown."""
    if asked.may_name(id):
        return {"id": id}
    return {"id_hidden": True} if asked.names(id) else {}


def _change_place(change: dict[str, Any]) -> tuple[Any, ...]:
    named = change.get("path") or change.get("role") or change.get("policy") or ""
    return _ORDER.index(change["who"]), change["kind"], named
