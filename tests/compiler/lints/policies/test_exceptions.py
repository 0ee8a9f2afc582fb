"""Lints know whom a policy leaves out: they neither miss what its exceptions make certain, nor claim more (P6)."""

import pytest

from tests.support.linting import allow, deny, model, told, when

VIEWER, EDITOR = {"except_roles": ["viewer"]}, {"except_roles": ["editor"]}
EVERYONE = {"roles": None}
BOTH = {"except_roles": ["editor", "viewer"]}


def rest(**more):
    """An ALLOW for everyone else."""
    return {name: value for name, value in allow(**more).items() if name != "roles"}


@pytest.mark.parametrize(
    ("one", "other", "is_dead"),
    [
        (allow(), deny(**VIEWER), False),  # an editor may be a viewer too
        (allow(**VIEWER), deny(**VIEWER), True),
        (allow(**VIEWER), deny(), True),
        (allow(), deny(**EDITOR), False),
        (rest(**BOTH), deny(**VIEWER), True),
        (rest(**VIEWER), deny(**BOTH), False),
        (rest(**VIEWER), deny(roles=["editor"], **VIEWER), False),
        (allow(**VIEWER), deny(roles=["editor"], **VIEWER), True),
    ],
)
def test_a_dead_allow_is_denied_to_all_its_subjects(one, other, is_dead):
    assert bool(told("dead-allow", model(one, other))) == is_dead
    redundant = told("redundant-policy", model(other, one | {"effect": "DENY", "id": "z"}))
    assert any(message.startswith("the DENY `z`") for message in redundant) == is_dead


@pytest.mark.parametrize(
    ("one", "other", "can_meet"),
    [
        (allow(), deny(**EDITOR), False),
        (allow(roles=["editor", "viewer"]), deny(**EDITOR), True),
        (allow(roles=["editor", "viewer"]), deny(**BOTH), False),
        (rest(**EDITOR), deny(roles=["editor"]), False),
        (rest(**EDITOR), deny(roles=["viewer"]), True),
        (rest(**EDITOR), deny(**EDITOR), True),
        (allow(**VIEWER), deny(roles=["viewer"]), False),
        (allow(**VIEWER), deny(roles=["editor"]), True),
    ],
)
def test_policies_meet_if_one_subject_can_have_both(one, other, can_meet):
    assert bool(told("idle-deny", model(one, other))) != can_meet
    assert bool(told("deny-priority", model(one, other))) == can_meet
    assert bool(told("escapable-deny", model(one, other | when("a", "eq", 1)))) == can_meet


def test_an_allow_that_differs_in_its_roles_alone_is_looked_at():
    """The first ALLOW of the same conditions can't meet the DENY, the second can."""
    text = model(allow(id="a", priority=2), allow(id="b", roles=["viewer"]), deny(**EDITOR))
    (message,) = told("deny-priority", text)
    assert "the ALLOW `b`" in message


def test_everyone_else_is_not_everyone():
    (rest_of_all,) = told("allow-everyone", model(rest(**VIEWER)))
    (everyone,) = told("allow-everyone", model(rest()))
    assert rest_of_all.startswith(f"{everyone} but the holders")


def test_an_exception_names_a_role():
    assert told("unused-role", model(rest(**BOTH))) == []
    assert len(told("unused-role", model(rest(**VIEWER)))) == 1


def test_a_grant_to_an_exception_is_not_repeated():
    grant = (
        '[{"subject": {"type": "user", "id": "a"}, "resource": {"type": "document", "id": "d"}, "actions": ["read"]}]'
    )
    assert told("repeated-authority", model(rest(**VIEWER), grants=grant)) == []
    assert len(told("repeated-authority", model(rest(), grants=grant))) == 1
