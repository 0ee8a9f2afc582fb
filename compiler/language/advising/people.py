"""Advice about those to whom a policy applies: a comma means any of the roles, and `everyone except` the rest."""

import re
from typing import Final

from ....bundles.wording import quoted
from ..fault_place import FaultPlace

ANY_OF_THEM: Final = "a comma means any of them; no policy asks for two roles at once"
"""The advice for `and` between roles."""

_EXCEPT = (
    r"(?:but|except(?:ing)?|excluding|not|without|unless|other than|apart from|besides|minus"
    r"|who (?:is|are|has) (?:not|no))"
)
_ALL = r"(?:(?:all|everybody|anyone|everyone|anybody|any|non) +)?"
_ALL_BUT = re.compile(rf"(?:allow|deny) +{_ALL}(?:{_EXCEPT}|non) +(?:for +)?(?:the +)?(?:roles? +)?([\w-]+)(?![\w.-])")
"""Those to whom a policy applies, as all but one role."""

_NO_ROLES: Final = frozenset(
    (
        "can",
        "may",
        "could",
        "should",
        "must",
        "is",
        "are",
        "be",
        "shall",
        "will",
        "or",
        "unless",
        "minus",
        "but",
        "when",
    )
)
"""Words that stand for no role after a role."""

_NEXT = re.compile(r"(?:[ \t]+[\w-]+){0,3}[ \t]+(?:to\b|and\b|or\b|except\b)|\s*,")
_INHERITS: Final = frozenset(("includes", "inherits", "extends", "include", "parent", "parents", "from", "in", "isa"))
_NEEDLESS: Final = {
    "both": f"leave `both` out: {ANY_OF_THEM}",
    "only": "leave `only` out: what no policy allows is denied",
    **dict.fromkeys(("the", "all", "any", "every", "either"), "leave {} out: a policy names roles"),
}
"""The advice for words before a role."""

_LEFT_OUT: Final = frozenset(("except", "but", "without", "not", "unless", "excluding", "minus"))
_SUBJECTS: Final = frozenset(("user", "users", "group", "groups", "subject", "role", "roles"))


def people(place: FaultPlace) -> str:
    """Returns advice about the roles of a policy, or ""."""
    after_who = "TO" in place.accepted and place.accepted <= {"TO", "COMMA", "EXCEPT"} and len(place.accepted) > 1
    if not after_who or place.statement != "policy" or place.found is None:
        return ""
    before, is_first = place.said(1), place.said(2) in ("allow", "deny")
    if any(token.type == "EXCEPT" for token in place.before):
        if place.word in ("when", "if") or before in ("when", "if"):
            return _excepted_when(place)
    elif (found := _ALL_BUT.search(place.line())) and found[1] != "to":
        return f"write {quoted(f'everyone except {found[1]}')}"
    if before == "everyone":
        return _narrowed(place)
    if is_first and before in _NEEDLESS:
        return _NEEDLESS[before].format(quoted(before))
    return "" if (before in _SUBJECTS and is_first) or before in _LEFT_OUT else _joined(place)


def _joined(place: FaultPlace) -> str:
    """Roles with `and` or nothing between them."""
    if place.word == "and":
        return f"write a comma in the place of `and`: {ANY_OF_THEM}"
    if place.said(1) == "and":
        return f"leave `and` out: {ANY_OF_THEM}"
    is_name = (
        place.kind == "NAME"
        and place.word not in _NO_ROLES | _SUBJECTS | _LEFT_OUT
        and place.kind_before in ("name", "NAME")
    )
    is_role = is_name and place.found is not None and _NEXT.match(place.text, place.found.end)
    return f"write a comma before {quoted(place.word)}, which means any of them" if is_role else ""


def _narrowed(place: FaultPlace) -> str:
    """`everyone` with more than exceptions after it: without these words, it would be all subjects."""
    if place.word in ("else", "other", "others"):
        return "write `everyone except editor`: the roles that are left out are named"
    if place.word in ("with", "in", "who", "from", "of", "having", "whose", "that", "where"):
        return "`everyone` means all subjects: write a role in its place, such as `allow editor to read document`"
    return ""


def _excepted_when(place: FaultPlace) -> str:
    if place.effect == "deny":
        return "exceptions are roles: write the condition after `when` in each policy that allows"
    return "exceptions are roles: write a policy with `deny` and the condition after `when`"


def included_roles(place: FaultPlace) -> str:
    """Returns advice about a role that shall have what another one has, or ""."""
    if place.statement != "role" or place.word not in _INHERITS:
        return ""
    return "roles do not inherit: name all roles in the policy, or assign both"


def scopes(place: FaultPlace) -> str:
    """Returns advice about exceptions among actions and types, and about words before them, or ""."""
    if place.statement != "policy" or place.found is None or not place.effect:
        return ""
    if place.accepted == {"TO"} and place.said(1) == "anything":
        if place.word in _LEFT_OUT:
            return "list the actions that are meant, or write a `deny` for the others"
        return "write `to` before the type: `do anything to document`"
    if place.said(1) == "everything" and place.word in _LEFT_OUT:
        return "list the types that are meant, or write a `deny` for the others"
    if place.is_on_new_line():
        return ""
    if "not" in (place.word, place.said(1), place.said(2)) and "to" in (place.said(1), place.said(2), place.said(3)):
        return "write a policy with `deny` for what is forbidden"
    if place.said(1) in ("own", "their", "his", "her", "my", "its"):
        return f"leave {quoted(place.said(1))} out, and write `when resource.owner is subject.id`"
    if place.word in ("owned", "belonging", "whose"):
        return "write a condition, such as `when resource.owner is subject.id`"
    return ""
