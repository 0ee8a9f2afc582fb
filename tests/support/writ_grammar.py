"""Sentences that the grammar of the language derives, by one random expansion after the other."""

from collections import defaultdict
from functools import cache
from typing import Any, Final

from lark import Lark
from writ.compiler.language.grammar import GRAMMAR
from writ.compiler.language.tokens import Tokens

from tests.support.strategies_pick import Pick

DEPTH: Final = 12
"""Levels below which each rule takes its shortest expansion."""

SAMPLES: Final = {
    "NAME": ("a", "doc", "user", "read", "on", "missing", "a-b", "mon", "UTC", "é"),
    "STRING": ('"a b"', '""', "'x'", '"\\u00e9"', '"a\\nb"', '"{id}"', '"/a"', '"10.0.0.1"'),
    "NUMBER": ("1", "0", "-1", "1.5", "1e3", "007", "9" * 30, "1e999"),
    "ATTRIBUTE": ("resource.a", "subject.a.b", 'context."a b"', "action.id", "resource.*", "context.time"),
    "INSTANT": ("2034-01-01T00:00:00Z", "2034-02-30T00:00:00Z", "2034-01-01", "2034-01-01T00:00:00.5+05:45"),
    "CLOCK": ("09:00", "24:00", "00:00", "99:99"),
    "ADDRESS": ("10.0.0.0/8", "10.0.0.1/8", "::1", "2001:db8::/32"),
    "PATH": ("/", "/a/{id}", "/a/*", "/{x}/{x}", "/a//b"),
    "HOSTS": ("*.example", "*.a.example"),
    "CAPTURE": ("{id}", "{*}", "{x}"),
}
"""Texts of the terminals that are no keyword. Some are no value where they stand."""


@cache
def _rules() -> tuple[dict[str, list[list[Any]]], dict[str, str]]:
    """The expansions of each rule, the one that ends first in front, and the words of the other terminals."""
    parser = Lark(GRAMMAR, parser="lalr", lexer=Tokens, keep_all_tokens=True, maybe_placeholders=False)
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for rule in parser.rules:
        found[rule.origin.name].append(list(rule.expansion))
    depths: dict[str, int] = {}
    while len(depths) < len(found):
        for name, expansions in found.items():
            known = [depth for one in expansions if (depth := _depth(one, depths)) is not None]
            if known:
                depths[name] = min(known)
    for expansions in found.values():
        expansions.sort(key=lambda one: _depth(one, depths) or 0)
    words = {one.name: one.pattern.value for one in parser.terminals if one.name not in SAMPLES}
    return dict(found), words


def _depth(expansion: list[Any], depths: dict[str, int]) -> int | None:
    below = [0 if one.is_term else depths.get(one.name) for one in expansion]
    return None if None in below else 1 + max((one for one in below if one is not None), default=0)


def sentence(pick: Pick, rule: str = "start", depth: int = 0) -> str:
    """A sentence of the grammar, with a blank between its tokens."""
    rules, words = _rules()
    expansions = rules[rule]
    expansion = expansions[0] if depth > DEPTH else expansions[pick.number(0, len(expansions) - 1)]
    parts = (
        (pick.one(SAMPLES[one.name]) if one.name in SAMPLES else words[one.name])
        if one.is_term
        else sentence(pick, one.name, depth + 1)
        for one in expansion
    )
    return " ".join(part for part in parts if part)


def text(pick: Pick) -> str:
    """Some sentences, one a line."""
    return "".join(f"{sentence(pick)}\n" for _ in range(pick.number(1, 4)))
