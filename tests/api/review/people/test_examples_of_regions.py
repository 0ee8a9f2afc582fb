"""An example of a region looks like a request that people know: values of the model, one time, a pattern as written."""

from typing import Any

from writ.api.review.people.people_answer import people_answer
from writ.api.review.people.people_lines import people_lines

from tests.support.analysing import analysed

Document = dict[str, Any]

STARTS = "2027-01-01T00:00:00Z"


def test_a_pattern_reads_as_it_is_written():
    text = told({"context_attrs": [{"key": "ticket", "op": "regex", "value": r"^INC-\d{5,}$"}]})
    assert r'a match of the pattern "^INC-\d{5,}$"' in text


def test_a_value_has_its_declared_kind():
    assert "`subject.level` 0" in told({"subject_attrs": [{"key": "level", "op": "nin", "value": []}]})


def test_compared_values_have_their_declared_kinds():
    text = told({"resource_attrs": [{"key": "grade", "op": "lte", "value_of": "subject.level"}]})
    assert "`subject.level` 0" in text


def test_a_constant_of_the_model_is_an_example():
    """The other policy knows `bergen`."""
    assert '`resource.branch` "bergen"' in told({"resource_attrs": [{"key": "branch", "op": "ne", "value": "oslo"}]})


def test_an_example_has_one_time():
    holder = {"role": "clerk", "subject": {"type": "user", "id": "tom"}, "starts_at": STARTS}
    text = told({}, roles=["clerk"], assignments=[holder])
    (example,) = [line for line in text.splitlines() if "for example" in line]
    assert example.count("2027-") == example.count("20") == 1


def told(conditions: Document, roles: list[str] | None = None, **elements: Any) -> str:
    """The lines about a new policy under some conditions."""
    before: Document = {
        "resource_types": [{"id": "case", "actions": ["read", "close"]}],
        "extensions": ["references"],
        "attributes": {"subject": {"user": {"level": "number"}}},
        "roles": [{"id": "clerk"}],
        "policies": [policy("close", "close", {"resource_attrs": [{"key": "branch", "op": "eq", "value": "bergen"}]})],
    }
    holders = {} if roles is None else {"roles": roles}
    after = before | elements | {"policies": [*before["policies"], policy("new", "read", conditions) | holders]}
    return "\n".join(people_lines(people_answer(analysed(before, after))))


def policy(id: str, action: str, conditions: Document) -> Document:
    """An ALLOW for one action."""
    scopes = [{"resource_type_id": "case", "actions": [action]}]
    return {"id": id, "effect": "ALLOW", "resource_types": scopes, "conditions": conditions}
