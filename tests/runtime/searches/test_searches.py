"""Searches find what the oracle finds, gates open or decided, and propose no less (S2, S3, S5)."""

from typing import Any

import pytest
from writ.bundles.conditions.trees.tree import FilterTree
from writ.runtime import Engine
from writ.runtime.requests.searches import read_action_search, read_resource_search, read_subject_search

from tests.support import oracle
from tests.support.bundling import engine_for
from tests.support.filter_trees import tree_holds
from tests.support.oracle_conditions import read
from tests.support.oracle_entities import Entity, asked_by, question, registered_resources, registered_subjects
from tests.support.oracle_searches import found_by_search
from tests.support.strategies import seeded_case

Row = dict[str, Any]


def holds(tree: FilterTree, id: str, attributes: Row) -> bool:
    return tree_holds(tree, lambda key: id if key == "id" else read(attributes, key))


def attributes_of(document: Row, kind: str, key: tuple[str, str]) -> Row:
    found = (e for e in document.get(kind, []) if (e["type"], e["id"]) == key)
    return next(found, {}).get("attributes", {})


def asked(document: Row, request: Row, now: float, **parts: Any) -> Any:
    return question(document, request, now)._replace(**parts)


def check_resources(engine: Engine, document: Row, request: Row, now: float) -> int:
    declared = question(document, request, now).resource_type
    judge = engine.judge_resources(read_resource_search(request), now)
    decided = request.get("context") is not None
    hits = 0
    for key in set(registered_resources(document)):
        if declared is None or key[0] != declared["id"]:
            continue
        attributes = attributes_of(document, "resources", key)
        this = Entity(request["resource"]["type"], key[1], attributes)
        expected = found_by_search(document, asked(document, request, now, resource=this), decided)
        found = judge and judge.path(key[1], attributes)
        assert found == expected
        if found is not None:
            hits += 1
            assert judge.granted_to if found == "direct" else holds(judge.where, key[1], attributes)
            names = [
                name
                for name in sorted(declared["actions"])
                if found_by_search(
                    document,
                    asked(
                        document,
                        request,
                        now,
                        resource=this,
                        action=name,
                        **({} if name == request["action"]["name"] else {"action_properties": {}}),
                    ),
                    decided,
                )
            ]
            assert judge.actions(key[1], attributes) == names
    return hits


def check_subjects(engine: Engine, document: Row, request: Row, now: float) -> int:
    judge = engine.judge_subjects(read_subject_search(request), now)
    decided = request.get("context") is not None
    hits = 0
    for key in set(registered_subjects(document)):
        if key[0] != request["subject"]["type"]:
            continue
        attributes = attributes_of(document, "subjects", key)
        this = asked_by(document, question(document, request, now), Entity(*key, attributes))
        expected = found_by_search(document, this, decided)
        found = judge and judge.path(key[1], attributes)
        assert found == expected
        if found is not None:
            hits += 1
            roles = {role for role, _ in oracle.roles_of(document, key, now)}
            covered = any(
                (rule.roles is None or roles.intersection(rule.roles)) and holds(rule.where, key[1], attributes)
                for rule in judge.rules
            )
            assert judge.granted_on if found == "direct" else covered
    return hits


def check_actions(engine: Engine, document: Row, request: Row, now: float) -> int:
    declared = question(document, request, now).resource_type
    decided = request.get("context") is not None
    names = [] if declared is None else sorted(declared["actions"])
    expected = [
        (name, path)
        for name in names
        if (
            path := found_by_search(document, asked(document, request, now, action=name, action_properties={}), decided)
        )
    ]
    assert engine.find_actions(read_action_search(request), now).actions == expected
    return len(expected)


@pytest.mark.parametrize("block", range(3))
def test_searches_agree_with_the_oracle(block, tmp_path):
    """With the context as it came, and without any; some searches find something."""
    found = [0, 0, 0]
    for seed in range(block * 60, block * 60 + 60):
        document, request, now = seeded_case(seed)
        engine = engine_for(document, tmp_path / f"{seed}.bundle")
        for asking in (request, {**request, "context": None}, {**request, "context": {}}):
            for place, check in enumerate((check_resources, check_subjects, check_actions)):
                found[place] += check(engine, document, asking, now)
    assert all(count > 20 for count in found), found
