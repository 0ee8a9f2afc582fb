"""What all lints share: which policies they look at, and when they give up."""

from writ.compiler.limits import Limits

from tests.support.diagnosing import load_text, seen
from tests.support.linting import allow, deny, model, when


def test_policies_with_errors_are_not_compared():
    assert seen(model(allow(), deny(**when("s", "regex", "(")))) == [("bad-pattern", '"("')]


def test_warnings_and_errors_come_together():
    text = model(allow(), deny(), roles='[{"id": 1}]')
    assert seen(text) == [("wrong-type", "1"), ("deny-priority", "0")]


def test_each_lint_that_runs_out_of_steps_says_so():
    policies = [
        policy
        for n in range(20)
        for policy in (
            allow(id=f"a{n}", **when("s", "lt", n)),
            deny(
                id=f"d{n}",
                conditions={
                    "resource_attrs": [{"key": "s", "op": "gte", "value": n}, {"key": "t", "op": "eq", "value": 1}]
                },
            ),
        )
    ]
    everything = load_text(model(*policies), limits=Limits(lint_steps=50), ignored=()).diagnostics
    assert [one.message for one in everything if one.code == "lint-unfinished"] == [
        f"the lint `{name}` stopped after 50 steps, before it compared all policies"
        for name in ("deny-priority", "escapable-deny", "idle-deny", "redundant-policy")
    ]
