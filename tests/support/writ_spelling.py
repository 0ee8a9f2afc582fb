"""Other spellings of models and texts: hostile names in a model, and odd spaces and comments in a text.

All choose through `strategies_pick.py`.
"""

from collections.abc import Mapping
from typing import Any

from writ.bundles.extensions import EXTENSIONS
from writ.compiler.language.grammar import KEYWORDS

from tests.support.strategies import document
from tests.support.strategies_conditions import DAYS
from tests.support.strategies_pick import Pick
from tests.support.strategies_required import require
from tests.support.strategies_values import (
    ACTIONS,
    ALIASES,
    GROUPS,
    POLICY_IDS,
    ROLES,
    SUBJECT_TYPES,
    TYPE_IDS,
    TYPE_NAMES,
)
from tests.support.writ_texts import tokens_of

_RENAMED = sorted({*ACTIONS, *ALIASES, *GROUPS, *POLICY_IDS, *ROLES, *SUBJECT_TYPES, *TYPE_IDS, *TYPE_NAMES, "b", "d"})
_FIXED = frozenset(("key", "op", "value", "type", "id", "methods", "hosts", "path", "effect", "days", "timezone"))
_MARKED = (
    '"',
    "'",
    "\\",
    '"\'"',
    "\\'",
    "a\\",
    "\n",
    "a\nb",
    "\r\n",
    "\t",
    "\x00",
    "\x1b",
    "\x7f",
    "\x85",
    "\x0b",
    "\x0c",
    " ",
    " a",
    "a ",
    "a  b",
    "\u00a0",
    "\u2028",
    "a\u2029b",
    "\ufeff",
    "\u202e",
    "\U000e0001",
    "é",
    "e\u0301",
    "ﬁ",
    "Ⅷ",
    "٣",
    "²",
    "\U0001f600",
    "0",
    "007",
    "1.5",
    "1e3",
    "-1",
    "-",
    "--",
    "a-",
    "-a",
    "a--b",
    "a-b",
    "a.b",
    "a..b",
    ".a",
    "a.",
    "a@b.c",
    "a/b",
    "/a",
    "//",
    "a+b",
    "_",
    "__",
    "#",
    "a#b",
    "#a",
    "{id}",
    "{",
    "}",
    "[",
    "]",
    "{}",
    ",",
    "a,b",
    ":",
    "a:b",
    "a::b",
    "dead:beef:1",
    "idp|1",
    "::1",
    "10.0.0.0/8",
    "2034-01-01",
    "2034-01-01T00:00:00Z",
    "9:00",
    "09:00",
    "True",
    "yes",
    "None",
    "nil",
    "<",
    "<=",
    "==",
    "!",
    "=",
    ";",
    "(",
    ")",
    "%",
    "$",
    "`",
    "“a”",
    "resource.a",
    "subject.",
    'context."a"',
    "*.a",
    "**",
    "é.é",
    "When",
    "ALLOW",
    "x" * 200,
    *DAYS,
)
NAMES = (*sorted(KEYWORDS), *_MARKED)
"""Names that look like something else: keywords, marks, numbers, times, white space."""

_NUMBERS = (0, -1, 10**18, -(10**40), 2**63, 0.1, -0.0, 1e22, 1e-7, 5e-324, -1.7976931348623157e308, 123456789.125)
_RANGES = ((0x20, 0x7F), (0, 0x20), (0x7F, 0x500), (0x2000, 0x2070), (0xFB00, 0x11000), (0x1F600, 0x1F650))


def name(pick: Pick) -> str:
    """A hostile name, or one of any characters."""
    if pick.chance(2, 3):
        return pick.one(NAMES)
    found = [pick.number(low, high - 1) for low, high in (pick.one(_RANGES) for _ in range(pick.number(1, 6)))]
    return "".join(map(chr, found)).replace("*", "x")


def hostile_model(pick: Pick) -> dict[str, Any]:
    """A valid model document with hostile names, and any values as the attributes of entities."""
    names: dict[str, str] = {}
    while len(names) < len(_RENAMED):
        new = name(pick)
        if new not in names.values():
            names[_RENAMED[len(names)]] = new
    model = renamed(document(pick), names)
    if "attributes" in model:
        require(pick, model)
    for entity in (*model.get("subjects", ()), *model.get("resources", ())):
        entity |= pick.member(1, 2, "attributes", {name(pick): value(pick, 3) for _ in range(pick.number(0, 3))})
    for policy in model.get("policies", ()):
        lines = [pick.one(("", name(pick))) for _ in range(pick.number(1, 3))]
        policy |= pick.member(1, 3, "description", "\n".join(lines))
    return model | opt_ins(pick, model.get("extensions", []))


def opt_ins(pick: Pick, needed: list[str]) -> dict[str, Any]:
    """Extensions, those that are needed and others, perhaps repeated or none, and the mode of requests; or neither."""
    names = [*needed, *(pick.one(EXTENSIONS) for _ in range(pick.number(0, 4)))]
    return pick.member(1, 3, "extensions", names) | pick.member(1, 3, "requests", "strict")


def value(pick: Pick, depth: int) -> Any:
    """Any value that an entity's attribute may have."""
    match pick.number(0, 5 if depth else 3):
        case 0:
            return pick.one((None, True, False))
        case 1:
            return pick.one(_NUMBERS)
        case 2 | 3:
            return pick.one(("", name(pick)))
        case 4:
            return [value(pick, depth - 1) for _ in range(pick.number(0, 3))]
        case _:
            return {name(pick): value(pick, depth - 1) for _ in range(pick.number(0, 3))}


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A model document with other names. The members of the document itself keep theirs."""
    if isinstance(value, dict):
        is_pattern = value.get("op") == "regex"
        return {
            name if name in _FIXED else names.get(name, name): inner if is_pattern else renamed(inner, names)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [renamed(inner, names) for inner in value]
    return names.get(value, value) if isinstance(value, str) else value


_REMARKS = (
    "#",
    "# a",
    '#"',
    "# '",
    "#{[",
    "# b\t",
    "#\u3000role x",
    "#\xa0c",
    "# \U0001f600",
    "# policy p",
    "##",
    "#é\xa0",
    "#\\n",
)
_GAPS = (" ", "  ", "\t", "\n ", "\r\n\t", "\n\n  ", " \n \n ")


def respelt(pick: Pick, text: str) -> str:
    """A text with other spaces, blank lines and comments between its tokens, of which none is a comment."""
    parts: list[str] = [_between(pick)]
    for tokens in tokens_of(text):
        for number, token in enumerate(tokens):
            parts += [_gap(pick)] if number else []
            parts.append(text[token.start : token.end])
        parts += [_trailing(pick), "\n", _between(pick)]
    return "".join(parts)


def _gap(pick: Pick) -> str:
    gap = pick.one(_GAPS)
    return gap if pick.chance(5, 6) else gap + pick.one(_REMARKS) + pick.one(("\n ", "\n\t", "\n\n  "))


def _trailing(pick: Pick) -> str:
    return pick.one((" ", "\n  ", "  ")) + pick.one(_REMARKS) if pick.chance(1, 3) else ""


def _between(pick: Pick) -> str:
    lines = (pick.one(("", "", " ", "  ")) + pick.one(("", *_REMARKS)) for _ in range(pick.one((0, 0, 1, 2))))
    return "".join(f"{line}\n" for line in lines)
