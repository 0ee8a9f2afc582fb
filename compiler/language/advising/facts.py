"""Advice about statements as a whole: what an assignment, a grant, a group, a role or a type can't say."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from ....bundles.wording import quoted
from ..fault_place import FaultPlace

_SPAN = re.compile(r"for (?:\d|a |one )")
_CONDITIONS: Final = frozenset(("if", "unless", "when", "where", "provided", "only", "while"))
_EXCEPT: Final = frozenset(("except", "but", "not", "without", "excluding", "unless", "minus"))
_EVERYONE: Final = frozenset(("everyone", "everybody", "all", "anyone", "anybody"))
_CONTAINS: Final = frozenset(("has", "user", "group", "contains", "includes", "include", "service", "of"))
_RIGHTS: Final = frozenset(("can", "may", "permissions", "actions", "allow", "allows", "grants", "rights"))
_PARENTS: Final = frozenset(("extends", "parent", "parents", "in", "inherits", "includes", "relations"))


def facts(place: FaultPlace) -> str:
    """Returns advice about a statement of another kind than a policy, or ""."""
    rule = _RULES.get(place.statement)
    return rule(place) if rule is not None else ""


def _holder(place: FaultPlace, what: str) -> str:
    if place.found is None and place.said(1) in _EVERYONE and place.said(2) == "to":
        return f"{what} is for a subject or a group; for all subjects, write a policy with `allow everyone`"
    if place.word in _CONDITIONS:
        return f"{what} has no conditions: write them in a policy"
    if place.word == "for":
        return "write `until` and the instant at which it ends"
    return ""


def _assign(place: FaultPlace) -> str:
    if place.word in ("and", "or"):
        return "write a statement with `assign` for each"
    if place.word in ("on", "for") and not _SPAN.search(place.line()):
        return "a role counts on all resources; for one, write a statement with `grant`"
    return _holder(place, "an assignment")


def _grant(place: FaultPlace) -> str:
    if place.word in ("and", "or") and "ON" in place.accepted:
        return f"write a comma in the place of {quoted(place.word)}"
    if place.word in ("and", "or"):
        return "write a statement with `grant` for each"
    if place.word == "to" and place.said(2) == "on":
        return f"write the type and the id of the resource, such as {quoted(f'document {place.said(1)}')}"
    if place.word in _EXCEPT:
        return "list the actions that are meant"
    return _holder(place, "a grant")


def _group(place: FaultPlace) -> str:
    if place.word in _EXCEPT or place.said(3) in _EXCEPT or place.said(2) in _EXCEPT:
        return "a group has the members that it lists: leave the others out"
    if place.word in _CONTAINS and len(place.before) == 2:
        return "write `members` before them, such as `group engineering members user alice`"
    if place.word == "in":
        return "write it among the `members` of the other group"
    return ""


def _role(place: FaultPlace) -> str:
    if place.word in _RIGHTS:
        return f"a policy says what a role may: {quoted(f'policy p1 allow {place.said(1)} to read document')}"
    return "a role has no exceptions: write them in a policy" if place.word in _EXCEPT else ""


def _type(place: FaultPlace) -> str:
    if place.word in _PARENTS:
        return "types have no parents and no relations: write what must hold as conditions"
    if place.word == "open" or (place.word == "not" and "closed" in place.line()):
        said = "not closed" if place.word == "not" else place.word
        return f"leave {quoted(said)} out: a type without `closed` is open"
    return "list the actions that are meant" if place.word in _EXCEPT and place.accepted >= {"COMMA", "CLOSED"} else ""


def _policy(place: FaultPlace) -> str:
    is_switch = place.word == "not" and place.line().endswith(("disabled", "enabled")) and len(place.before) == 2
    return "a policy without `disabled` is on: leave `not disabled` out, or write `disabled`" if is_switch else ""


def _extensions(place: FaultPlace) -> str:
    return "list the extensions that are meant" if place.said(1) in _EXCEPT or place.word in _EXCEPT else ""


def _requests(place: FaultPlace) -> str:
    is_negated = place.word in _EXCEPT or place.said(1) == "strict"
    return "write `requests strict`, or leave the statement out" if is_negated else ""


def _silence(place: FaultPlace) -> str:
    return 'add the reason, such as `because "it is meant so"`' if place.found is None else ""


_RULES: Final[Mapping[str, Callable[[FaultPlace], str]]] = {
    "assign": _assign,
    "grant": _grant,
    "group": _group,
    "role": _role,
    "type": _type,
    "policy": _policy,
    "extensions": _extensions,
    "requests": _requests,
    "silence": _silence,
}
"""The rules, by the word that starts the statement."""
