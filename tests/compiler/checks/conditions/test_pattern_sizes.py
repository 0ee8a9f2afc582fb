"""All patterns of a model together stay within a limit, because each of them takes memory and time (C6)."""

import json

import pytest
from writ.bundles.conditions.patterns import instructions_of
from writ.compiler.limits import DEFAULTS, Limits
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.diagnosing import FORMATS, model_text, seen

PATTERNS = ("[ab]c", "x+y")
LIMITS = Limits(model_pattern_instructions=sum(map(instructions_of, PATTERNS)))


def policies(*patterns: str) -> str:
    """A policy for each pattern."""
    return json.dumps(
        [
            {
                "id": f"p{number}",
                "effect": "ALLOW",
                "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
                "conditions": {"context_attrs": [{"key": "k", "op": "regex", "value": pattern}]},
            }
            for number, pattern in enumerate(patterns)
        ]
    )


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (PATTERNS, []),
        ((*PATTERNS, *PATTERNS), []),
        ((*PATTERNS, "^draft-", "final$", "plain"), []),
        ((*PATTERNS, "z+"), [("too-many-instructions", "[")]),
        ((*PATTERNS, "(?=a)"), [("bad-pattern", '"(?=a)"')]),
    ],
    ids=["at the limit", "repeated", "plain text", "one more", "one that RE2 rejects"],
)
def test_different_patterns_count_once_and_plain_text_does_not_count(patterns, expected, name):
    assert seen(model_text(policies=policies(*patterns)), name, LIMITS) == expected


def test_the_place_is_the_list_of_policies():
    sources = [
        Source("a.json", b'{"model": 1}'),
        Source("b.json", model_text(policies=policies(*PATTERNS, "z+")).encode()),
    ]
    (found,) = load(sources, (), limits=LIMITS).diagnostics
    total, limit = LIMITS.model_pattern_instructions + instructions_of("z+"), LIMITS.model_pattern_instructions
    assert (found.file, found.path) == ("b.json", "$.policies")
    assert found.message == f"the patterns of all policies compile to {total} instructions, the limit is {limit}"
    assert found.help == "use fewer different patterns, or plain text after `^` or before `$`, which does not count"


def test_a_typical_large_model_stays_within_the_limit():
    assert 10_000 * instructions_of(r"^[\w.]+@ex$") <= DEFAULTS.model_pattern_instructions
    assert 100 * 1_600 * instructions_of("a+") > DEFAULTS.model_pattern_instructions
