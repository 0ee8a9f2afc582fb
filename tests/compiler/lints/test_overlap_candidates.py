"""The index of ALLOW policies loses none that a comparison of all with all would find."""

import json

from hypothesis import given
from hypothesis import strategies as st
from writ.compiler.checks.draft import draft_of
from writ.compiler.diagnostics.findings import Findings
from writ.compiler.documents.document import read_documents
from writ.compiler.limits import Limits
from writ.compiler.lints.overlap import Budget, can_overlap
from writ.compiler.lints.overlap_candidates import OverlapCandidates, rank
from writ.compiler.lints.prepared_policy import prepare_policies
from writ.compiler.source import Source

from tests.support.diagnosing import model_text

CONDITIONS = st.lists(
    st.fixed_dictionaries(
        {"key": st.sampled_from(["s", "t"]), "op": st.sampled_from(["eq", "ne", "lt"]), "value": st.integers(0, 3)}
    )
    | st.fixed_dictionaries({"key": st.just("s"), "op": st.just("in"), "value": st.lists(st.integers(0, 3))}),
    max_size=2,
)
SCOPES = st.lists(
    st.sampled_from([("document", "read"), ("document", "*"), ("*", "read"), ("folder", "list"), ("*", "*")]),
    min_size=1,
    max_size=2,
)
POLICIES = st.lists(
    st.tuples(st.sampled_from(["ALLOW", "DENY"]), st.integers(0, 3), SCOPES, CONDITIONS), min_size=2, max_size=12
)


@given(POLICIES)
def test_the_index_and_the_comparison_of_all_with_all_agree(rows):
    prepared = prepared_from(rows)
    candidates = OverlapCandidates(prepared)
    for deny in prepared:
        if deny.policy.effect == "DENY":
            by_index = [allow for allow in candidates.of(deny) if can_overlap(deny, allow, Budget(1_000_000))]
            by_all = [
                allow
                for allow in prepared
                if allow.policy.effect == "ALLOW"
                and allow.pairs & deny.pairs
                and can_overlap(deny, allow, Budget(1_000_000))
            ]
            # Of those that ask for the same, only the first is kept; so the first of all is the same, and so is "none".
            assert [rank(allow) for allow in by_index] == sorted(rank(allow) for allow in by_index)
            assert by_index[:1] == sorted(by_all, key=rank)[:1]
            assert {told(allow) for allow in by_index} == {told(allow) for allow in by_all}


def told(prepared):
    return prepared.pairs, json.dumps(prepared.policy.conditions.resource_attrs, default=repr)


def prepared_from(rows):
    policies = [
        {
            "id": f"p{number:02}",
            "effect": effect,
            "priority": priority,
            "resource_types": [{"resource_type_id": type_id, "actions": [action]} for type_id, action in scopes],
            "conditions": {"resource_attrs": conditions},
        }
        for number, (effect, priority, scopes, conditions) in enumerate(rows)
    ]
    source = Source("m.json", model_text(policies=json.dumps(policies)).encode())
    findings = Findings(100)
    merged = read_documents([source], Limits(), findings, lambda *_: None)
    assert findings.errors == 0
    return prepare_policies(draft_of(merged.lists, (), Limits()), ())
