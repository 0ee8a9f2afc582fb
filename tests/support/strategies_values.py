"""Values that look alike, keys that read two ways, and the tiny alphabets that make ids collide."""

from typing import Any

from tests.support.strategies_pick import Pick

SUBJECT_TYPES = ("user", "service")
SUBJECT_IDS = ("a", "b", "*")
TYPE_IDS = ("doc", "dir", "a", "user")
TYPE_NAMES = ("Doc", "\U0001f600", "a b")
RESOURCE_IDS = ("a", "d", "*")
ALIASES = ("a", "x", "\uffff")
ACTIONS = ("read", "write", "del", "a")
ROLES = ("r", "s", "t")
GROUPS = ("g", "h", "i")
# Beyond the BMP, code points and UTF-16 units order differently.
POLICY_IDS = ("p", "P", "p ", "q", "\uffff", "\U0001f600", "a", "\x00")

KEYS = ("a", "b", "a.b", "a.b.c", "a..b", ".a", "a.", "id", "type", "id.a")
TEXTS = (
    "",
    "a",
    "b",
    "ab",
    "A",
    "a\n",
    "a\nb",
    "a.b",
    "1",
    "0",
    "true",
    "null",
    "\x00",
    "a\x00b",
    "\uffff",
    "\U0001f600",
    "K",
    "\u212a",
    "\u00e9",
    "e\u0301",
)
# Each RE2 pattern with a text in which it is found.
PATTERNS = {
    "": "",
    "a": "ba",
    "^a$": "a",
    "^a": "ab",
    "b$": "ab",
    "a.b": "a.b",
    r"a\.b": "xa.b",
    "(?s)a.b": "a\nb",
    "(?m)^b$": "a\nb",
    "^[ab]+$": "abba",
    "a|b": "xb",
    "^(a|b)$": "b",
    "(?i)^k$": "\u212a",
    r"\d": "a1",
    r"\bb\b": "a b",
    "^.$": "\U0001f600",
    "^$": "",
    r"\x00": "a\x00b",
    "\U0001f600": "\U0001f600",
    "[^a]": "ab",
    r"\pL": "1\u00e9",
    "e\u0301?$": "e\u0301",
    "^a.*": "a\nb",
    "a.*": "ba\n",
    r"^a\..*": "a.b",
    r"^a\.*": "ab",
    r"a\\.*": "xa\\",
    "^a.*$": "ab",
    "(?s)^a.*$": "a\nb",
    "(?i)^k.*": "\u212aa",
    "^\n.*": "\na",
    ".*": "a\nb",
}
NUMBERS = (-1, 0, 1, 2, 0.0, -0.0, 1.0, 0.1, 2**53, 2**53 + 1, float(2**53), 2**63 - 1, 1e308, -1e308, 5e-324)
LOOK_ALIKES = (
    True,
    False,
    1,
    1.0,
    "1",
    0,
    0.0,
    "",
    "true",
    [],
    {},
    [1],
    [True],
    [1.0],
    ["1"],
    [[]],
    {"a": 1},
    {"a": True},
    {"a": {"b": 1.0}},
    {"": ""},
)
DEPTH = 900


def deep(brackets: str) -> Any:
    """A list or object that nests `DEPTH` levels; `brackets` is `[` or `{`."""
    value: Any = "bottom"
    for _ in range(DEPTH):
        value = [value] if brackets == "[" else {"a": value}
    return value


UNTRUSTED: tuple[Any, ...] = (
    None,
    [None],
    {"a": None},
    {"b": {"c": None}},
    10**400,
    -(10**400),
    "\ud800",
    "a\udfff",
    "a" * 5000,
)


def constant(pick: Pick) -> Any:
    """The constants of a model: any JSON value without a null or a lone surrogate (C2)."""
    return pick.one(pick.one((LOOK_ALIKES, TEXTS, NUMBERS)))


def attribute_value(pick: Pick) -> Any:
    """The values that a request may send: a constant, or one that only an enemy sends."""
    if pick.chance(3, 4):
        return constant(pick)
    return deep(pick.one("[{")) if pick.chance(1, 4) else pick.one(UNTRUSTED)
