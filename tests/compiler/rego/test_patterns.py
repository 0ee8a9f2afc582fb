"""Which patterns OPA's engine reads as RE2 does, by their text alone."""

import pytest
from writ.compiler.rego.go_patterns import difference

from tests.support.strategies_values import PATTERNS

SHARED = (
    r"^draft-[0-9]{1,3}$",
    r"(?i)^(secret|top[ _-]secret)$",
    r"(?P<year>\d{4})-(?:0[1-9]|1[0-2])",
    r"[]a\]\-]+[^]\w[:punct:]]",
    r"\Aa\b.\z",
    "[æøå]+",
    r"\x{1F600}|\x41",
    "a{,2}{x",
    "(?s-i:.)(?U)a+",
    r"[\\][[]",
)
DIFFERENT = {
    r"\pL": r"has `\p`",
    r"\P{Greek}": r"has `\P`",
    r"[^\p{Lu}]": r"has `\p`",
    r"[a\d\101]": r"has `\1`",
    r"\C": r"has `\C`",
    r"a\Bb": r"has `\B`",
    r"\Qa.b\E": r"has `\Q`",
    r"\123": r"has `\1`",
    "(?<name>a)": "has `(?`",
    "(?P<é>a)": "has `(?`",
    "(?i)é": "ignores the case",
    r"(?s)(?mi:a)[\x{e9}]": "ignores the case",
}


@pytest.mark.parametrize("pattern", SHARED)
def test_what_both_engines_share_is_exported(pattern):
    assert difference(pattern) is None


@pytest.mark.parametrize(("pattern", "reason"), DIFFERENT.items())
def test_what_they_may_read_differently_is_refused(pattern, reason):
    assert (difference(pattern) or "").startswith(reason)


def test_of_the_random_models_patterns_one_is_refused():
    assert [pattern for pattern in PATTERNS if difference(pattern)] == [r"\pL"]
