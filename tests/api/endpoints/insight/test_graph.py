"""`GET …/graph`: groups and roles around an element, upwards and downwards (P2 to P4)."""

from typing import Any

import pytest
from writ.api.store.insight import element_graph

from tests.api.endpoints.insight.test_holdings import stored
from tests.support import oracle, oracle_entities
from tests.support.managed import ROOT, Managed
from tests.support.strategies import document
from tests.support.strategies_pick import Pick

Row = dict[str, Any]


def asked(service: Managed, **query: str) -> Any:
    return service.simulate_get(f"{ROOT}/graph", params={name.replace("_", "."): text for name, text in query.items()})


def drawn(answer: Row) -> tuple[list[str], set[tuple[str, str, str | None]]]:
    """The nodes in order, and the links by their names."""
    names = [":".join(filter(None, (one["kind"], one["type"], one["id"]))) for one in answer["nodes"]]
    return names, {(names[one["lower"]], names[one["upper"]], one["assignment"]) for one in answer["links"]}


def test_around_a_subject_are_its_groups_and_all_their_roles(service: Managed) -> None:
    stored(service)
    answer = asked(service, subject_type="user", subject_id="alice").json
    nodes, links = drawn(answer)
    assert (nodes[0], answer["truncated"]) == ("subject:user:alice", False)
    assert links == {
        ("subject:user:alice", "group:backend", None),
        ("group:backend", "group:eng", None),
        ("group:eng", "group:eng", None),
        ("group:eng", "group:all", None),
        ("group:all", "group:backend", None),
        ("subject:user:alice", "role:editor", "a2"),
        ("group:eng", "role:editor", "a3"),
        ("group:all", "role:auditor", "a1"),
    }
    assert next(one for one in answer["links"] if one["assignment"] == "a3")["expires_at"] == "2020-01-01T00:00:00Z"


def test_around_a_group_are_its_members_too(service: Managed) -> None:
    stored(service)
    nodes, links = drawn(asked(service, group="backend").json)
    assert nodes[0] == "group:backend"
    assert ("subject:user:alice", "group:backend", None) in links
    assert ("group:all", "group:backend", None) in links
    assert "role:other" not in nodes


def test_around_a_role_are_its_holders_and_the_groups_in_them(service: Managed) -> None:
    stored(service)
    _, links = drawn(asked(service, role="editor").json)
    assert links >= {("subject:user:alice", "role:editor", "a2"), ("group:eng", "role:editor", "a3")}
    assert ("group:backend", "group:eng", None) in links
    nodes, links = drawn(asked(service, role="other").json)
    assert links == {("group:guests", "role:other", "a0"), ("subject:user:bob", "role:other", "a4")}
    assert nodes[0] == "role:other"


def test_a_name_is_told(service: Managed) -> None:
    people = [{"type": "user", "id": "mia", "attributes": {"name": "Mia"}}]
    group = {"id": "g", "name": "All", "members": [{"type": "user", "id": "mia"}]}
    stored(service, {"model": 1, "subjects": people, "groups": [group]})
    assert [one["name"] for one in asked(service, group="g").json["nodes"]] == ["All", "Mia"]


@pytest.mark.parametrize("query", [{}, {"role": "editor", "group": "eng"}, {"subject_id": "alice"}, {"type": "x"}])
def test_another_question_is_refused(service: Managed, query: dict[str, str]) -> None:
    stored(service)
    answer = asked(service, **query)
    assert answer.status_code == 400
    assert answer.json["error"]


@pytest.mark.parametrize("query", [{"role": "nobody"}, {"group": "\0"}, {"subject_type": "bot", "subject_id": "bob"}])
def test_an_unknown_element_is_not_found(service: Managed, query: dict[str, str]) -> None:
    stored(service)
    assert asked(service, **query).status_code in (400, 404)


def test_who_only_has_a_grant_stands_alone(service: Managed) -> None:
    stored(service)
    assert drawn(asked(service, subject_type="bot", subject_id="alice").json) == (["subject:bot:alice"], set())


def test_limits_cut_and_say_so(service: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(service)
    for limit, shown in (("MOST_NODES", "nodes"), ("MOST_LINKS", "links")):
        with monkeypatch.context() as patch:
            patch.setattr(element_graph, limit, 2)
            answer = asked(service, subject_type="user", subject_id="alice").json
            assert (answer["truncated"], len(answer[shown])) == (True, 2)


def test_many_subjects_hide_no_group(service: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(element_graph, "MOST_NODES", 10)
    people = [{"type": "user", "id": f"u{number:02}"} for number in range(20)]
    groups = [{"id": "all", "members": [*people, {"group": "inner"}]}, {"id": "inner"}]
    stored(service, {"model": 1, "groups": groups})
    answer = asked(service, group="all").json
    nodes, _ = drawn(answer)
    assert (nodes[:3], answer["truncated"]) == (["group:all", "group:inner", "subject:user:u00"], True)


def test_what_is_drawn_is_what_decides(service: Managed) -> None:
    """A law over random models: the way up from a subject meets exactly the oracle's groups, and the roles of all."""
    found = 0
    for seed in range(40):
        model = document(Pick.seeded(seed))
        stored(service, model)
        for subject in oracle_entities.registered_subjects(model):
            nodes = asked(service, subject_type=subject[0], subject_id=subject[1]).json["nodes"]
            groups = oracle.groups_of(model, subject)
            assert {one["id"] for one in nodes if one["kind"] == "group"} == groups
            assert {one["id"] for one in nodes if one["kind"] == "role"} == assigned(model, subject, groups)
            found += len(nodes)
        for group in model.get("groups", ()):
            nodes = asked(service, group=group["id"]).json["nodes"]
            assert [one for one in nodes if one["kind"] == "subject"] or not subjects_in(group)
    assert found > 100


def assigned(model: Row, subject: oracle_entities.Key, groups: set[str]) -> set[str]:
    """The roles of the assignments for a subject or one of its groups, in force or not."""
    return {
        one["role"]
        for one in model.get("assignments", ())
        if (one["group"] in groups if "group" in one else oracle_entities.key_of(one["subject"]) == subject)
    }


def subjects_in(group: Row) -> list[Row]:
    return [one for one in group.get("members", ()) if "group" not in one]
