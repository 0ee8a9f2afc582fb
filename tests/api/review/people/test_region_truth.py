"""The words of a region say what its data says: who, and by which roles."""

from typing import Any

from writ.api.review.people.people_answer import people_answer
from writ.api.review.people.people_lines import people_lines

from tests.support.analysing import analysed

Document = dict[str, Any]


def test_a_role_is_named_only_where_it_is_the_way():
    makers = {"role": "maker", "subject": {"type": "user", "id": "tom"}}
    before = model(
        roles=[{"id": "maker"}, {"id": "checker"}],
        assignments=[makers],
        policies=[allow("making", "branch", "oslo", roles=["maker"]), allow("checking", "is", "in", roles=["checker"])],
    )
    after = before | {"assignments": [makers, makers | {"role": "checker"}]}
    (gain,) = analysed(before, after).gains
    assert gain.roles == ("checker",)


def test_two_roles_are_named_where_each_is_a_way():
    before = model(
        roles=[{"id": "maker"}, {"id": "checker"}],
        assignments=[{"role": one, "subject": {"type": "user", "id": "tom"}} for one in ("maker", "checker")],
        policies=[],
    )
    after = before | {"policies": [allow("all", "branch", "oslo", roles=["maker", "checker"])]}
    (gain,) = analysed(before, after).gains
    assert gain.roles == ("checker", "maker")


def test_everyone_else_is_not_everyone():
    """Ann is named, and does not gain, so the others are everyone else in all forms."""
    before = model(
        roles=[{"id": "maker"}],
        assignments=[{"role": "maker", "subject": {"type": "user", "id": "ann"}}],
        policies=[],
    )
    answer = people_answer(analysed(before, before | {"policies": [allow("p", "a", 1, except_roles=["maker"])]}))
    (region,) = answer.gains
    assert (region.subject_count, region.others, region.everyone is True) == (0, True, False)
    assert next(iter(people_lines(answer))) == "gains `read` on `case`: everyone else"


def test_everyone_is_everyone():
    answer = people_answer(analysed(model(policies=[]), model(policies=[allow("p", "a", 1)])))
    assert answer.gains[0].everyone is True
    assert next(iter(people_lines(answer))) == "gains `read` on `case`: everyone"


def model(**elements: Any) -> Document:
    """A model with one type."""
    return {"resource_types": [{"id": "case", "actions": ["read"]}]} | elements


def allow(id: str, key: str, value: Any, **holders: Any) -> Document:
    """An ALLOW with one condition."""
    found: Document = {
        "id": id,
        "effect": "ALLOW",
        "resource_types": [{"resource_type_id": "case", "actions": ["read"]}],
        "conditions": {"resource_attrs": [{"key": key, "op": "eq", "value": value}]},
    }
    return found | holders
