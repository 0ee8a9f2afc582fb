"""Finds members of a request that Writ does not read. AuthZEN lets a caller send them, but in a test they are slips."""

from collections.abc import Iterator, Mapping
from typing import Final

from ....bundles.conditions.values import Json
from ....bundles.wording import Path, did_you_mean, quoted
from ....compiler.diagnostics.diagnostic import Finding
from ....runtime.requests.members import IDENTIFIERS

Parts = Mapping[str, tuple[str, ...]]

_ATTRIBUTES: Final = ("attributes", "properties")
_ENTITIES: Final[Parts] = {owner: ("type", *named, *_ATTRIBUTES) for owner, named in IDENTIFIERS.items()}
_ACTION: Final = ("name", "properties")

REQUEST_PARTS: Final[Parts] = {
    **_ENTITIES,
    "action": _ACTION,
    "options": ("explain", "valid_until", "attributes", "strict", "actor"),
}
"""The parts of an evaluation request, and the members that Writ reads of each."""

SEARCH_PARTS: Final[Parts] = {
    "subject": _ENTITIES["subject"],
    "action": _ACTION,
    "resource": ("type", "id"),
    "options": ("return", "include_direct", "gates", "attributes", "strict", "actor"),
    "page": ("limit", "token", "properties"),
}
"""The parts of a resource search, and their members. Of the searched resource, no attribute counts (S5)."""


def unread_members(request: Mapping[str, Json], parts: Parts, path: Path) -> Iterator[Finding]:
    """Yields each member of a well-formed request, and of its parts, that Writ does not read."""
    known = (*parts, "context")
    for name, value in request.items():
        if name not in known:
            help_text = did_you_mean(name, known) or "what conditions read of the moment goes into `context`"
            yield _unread(name, path, help_text)
        elif name in parts and isinstance(value, dict):
            yield from unread_part(value, name, parts, (*path, name))


def unread_part(part: Mapping[str, Json], owner: str, parts: Parts, path: Path) -> Iterator[Finding]:
    """Yields each member of one part of a request that Writ does not read. `owner` is the name of the part."""
    for name in part:
        if name not in parts[owner]:
            yield _unread(name, path, did_you_mean(name, parts[owner]) or _place_of_attributes(owner, parts))


def _place_of_attributes(owner: str, parts: Parts) -> str:
    has_attributes = owner in ("subject", "resource", "action") and "properties" in parts[owner]
    return f"the attributes of the {owner} go into `properties`" if has_attributes else ""


def _unread(name: str, path: Path, help_text: str) -> Finding:
    return Finding("unknown-member", f"unknown member {quoted(name)}", (*path, name), help_text, at_key=True)
