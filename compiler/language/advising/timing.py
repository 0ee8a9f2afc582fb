"""Advice about comparisons with the moment of the request: `has expired`, `is in the future`, `now < …`."""

import re
from typing import Final

from ....bundles.wording import quoted
from ..fault_place import FaultPlace
from ..words import SECTIONS
from .meant_attributes import PEOPLE, meant_attribute

_OVER = r"(?:passed|expired|elapsed|ended|lapsed|past|over|pass|expire|due)\b"
_NOT_YET = re.compile(
    rf"\s*(?:(?:has|is|was|did|does)?\s*(?:not|never)(?: yet)? {_OVER}|(?:has|is)n[o']?t(?: yet)? {_OVER}"
    r"|is (?:still )?in (?:the )?future\b|is (?:still )?(?:yet )?to come\b"
    r"|is still (?:coming|ahead|valid|open|pending)\b"
    r"|(?:is )?(?:after|later than|ahead of) (?:now|today)\b)",
    re.IGNORECASE,
)
_PASSED = re.compile(
    rf"\s*(?:(?:has|is|was) (?:already |just )?{_OVER}|(?:is )?already {_OVER}|is in (?:the )?past\b"
    r"|(?:is )?(?:before|earlier than|prior to) (?:now|today)\b|(?:passed|expired)\b)",
    re.IGNORECASE,
)
_EARLIER = re.compile(r"\s*(?:is )?(?:before|earlier than|prior to)\b", re.IGNORECASE)
_LATER = re.compile(r"\s*(?:is )?(?:after|later than|since)\b", re.IGNORECASE)

PASSES: Final = frozenset(("expired", "elapsed", "lapsed"))
"""Words after `has` that mean that an instant has passed. In quotes, each is an element of an array."""

_FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "is", "==": "is", "is not": "is not", "is": "is"}
_ATTRIBUTE = rf"(?:{'|'.join(re.escape(one) for one in SECTIONS)})[\w.-]+"
_TURNED = re.compile(
    r"""(now(?:\(\))?|"[^"]*"|'[^']*'|-?[\w.:+-]+)\s*(<=|>=|==|=|<|>|is not\b|is\b|in\b|not in\b)\s*"""
    rf"({_ATTRIBUTE})(?:\s*((?:<=?|>=?)\s*[\w.-]+))?"
)
"""A comparison whose attribute stands on the right."""


GROUPS: Final = (
    "`subject.groups` stands on the right only; to ask for one group, give it a role, and write that after `allow`"
)
"""The advice for a condition on the groups of the subject."""

ROLES: Final = "no condition reads roles: a role belongs after `allow` or `deny`"
"""The advice for a condition on the roles of the subject."""

_HELD: Final = {"subject.groups": GROUPS, "subject.roles": ROLES, "subject.role": ROLES}
"""Words for what the subject holds, with the advice for it as the left side of a comparison."""


def timing(place: FaultPlace) -> str:
    """Returns advice about a comparison with the moment of the request, or ""."""
    attribute, phrase = place.compared()
    if not attribute:
        return ""
    if _NOT_YET.match(phrase):
        return f"write {quoted(f'{attribute} is still to come')}"
    if _PASSED.match(phrase):
        return f"write {quoted(f'{attribute} has passed')}"
    if _EARLIER.match(phrase):
        return f"write `<`, or {quoted(f'{attribute} has passed')} for the moment of the request"
    if _LATER.match(phrase):
        return f"write `>`, or {quoted(f'{attribute} is still to come')} for the moment of the request"
    return ""


def turned_round(place: FaultPlace) -> str:
    """Returns advice about a comparison that starts with `now`, a constant or another value of the request, or ""."""
    if place.accepted != {"ATTRIBUTE"} or place.found is None:
        return ""
    found = _TURNED.match(place.text, place.found.start)
    if found is None:
        return "write the attribute first, such as `resource.due has passed`" if place.word == "now" else ""
    left, sign, attribute, rest = found.groups()
    if attribute in _HELD or sign == "not in":
        return _HELD.get(attribute, f"write {quoted(f'{attribute} has none of')} and the list")
    other = _other(left)
    if sign == "in":
        return f"write {quoted(f'{attribute} has {other}')}"
    if other == "now" and _FLIPPED[sign] not in ("<", "<=", ">", ">="):
        return f"write {quoted(f'{attribute} has passed')} or {quoted(f'{attribute} is still to come')}"
    upper = f" and {attribute} {rest}" if rest else ""
    return f"turn it round: write {quoted(f'{attribute} {_FLIPPED[sign]} {other}{upper}')}"


def _other(left: str) -> str:
    """Returns what is compared with, in the words of the language."""
    if left.startswith("now"):
        return "now"
    return "subject.id" if left in PEOPLE else meant_attribute(left) or left
