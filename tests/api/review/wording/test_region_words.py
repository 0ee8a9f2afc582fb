"""The sentences of regions: each comparison and its negation in plain words, without a negation of a negation."""

import pytest
from writ.api.review.wording.region_words import region_sentences
from writ.bundles.conditions.operators import Operator
from writ.bundles.conditions.trees.tree import And, Not, Or, TreeComparison
from writ.compiler.analysis.conditions import relations
from writ.compiler.analysis.conditions.variables import CLOCK, attribute, reference

from tests.support.analysing import analysed, is_valid
from tests.support.small_models import small_pair

PAIRS = 40
BRANCH = reference("resource_attrs", "branch", "subject.branch")
STATUS = TreeComparison(attribute("resource_attrs", "status"), Operator.EQ, "open")
CUT = TreeComparison(CLOCK, Operator.IN, [[0.0, float("inf")]])
OTHER = "the `branch` of the resource has a value other than the `branch` of the subject"


def is_related(*states: frozenset[str]) -> TreeComparison:
    """The condition that two branches have one of some relations."""
    return TreeComparison(BRANCH, Operator.IN, sorted(frozenset[str]().union(*states)))


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (is_related(relations.holding(Operator.NE)), OTHER),
        (Not(Not(is_related(relations.holding(Operator.NE)))), OTHER),
        (
            Not(is_related(relations.holding(Operator.EQ))),
            f"{OTHER}, or is missing, or has a value while the `branch` of the subject is missing",
        ),
        (Not(STATUS), 'the `status` of the resource is missing, or has a value other than "open"'),
        (Not(CUT), "the service's clock is before 1970-01-01T00:00:00Z"),
        (
            Not(And((STATUS, CUT))),
            (
                'either (the `status` of the resource is missing, or has a value other than "open"), '
                "or the service's clock is before 1970-01-01T00:00:00Z"
            ),
        ),
        (
            Not(Or((Not(STATUS), Not(CUT)))),
            'the `status` of the resource is "open" and the service\'s clock is from 1970-01-01T00:00:00Z on',
        ),
    ],
)
def test_a_negation_is_said_of_each_comparison(tree, expected):
    assert region_sentences(tree) == [expected]


def test_no_region_negates_a_sentence():
    sentences = [sentence for seed in range(PAIRS) for sentence in told(seed)]
    assert len(sentences) > PAIRS
    assert not [one for one in sentences if "not so that" in one or "nor that" in one or "another way" in one]


def told(seed: int) -> list[str]:
    """The sentences of all regions of a pair of small models."""
    documents = small_pair(seed)
    if not all(map(is_valid, documents)):
        return []
    found = analysed(*documents)
    return [sentence for region in (*found.gains, *found.loses) for sentence in region_sentences(region.when)]
