"""The patterns of one bundle take no memory from another one, and a damaged pattern never grants (C6)."""

import json

import pytest
from writ.bundles.conditions import patterns
from writ.bundles.conditions.automata import Automata, memory_for
from writ.bundles.conditions.patterns import instructions_of
from writ.bundles.errors import BundleError
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine

from tests.bundles.crafting import crafted
from tests.support.bundling import Document, engine_for

TABLE_BYTES = 16 * memory_for(20)


def searching(pattern_of_policy: dict[str, str], effect: str = "ALLOW") -> Document:
    """A model whose policies search patterns in an attribute of documents."""
    return {
        "resource_types": [{"id": "document", "actions": ["read"]}],
        "policies": [
            {
                "id": id,
                "effect": effect,
                "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
                "conditions": {"resource_attrs": [{"key": "path", "op": "regex", "value": pattern}]},
            }
            for id, pattern in pattern_of_policy.items()
        ],
    }


def question(path: object) -> Document:
    return {
        "subject": {"type": "user", "id": "u"},
        "action": {"name": "read"},
        "resource": {"type": "document", "id": "d", "properties": {"path": path}},
    }


def test_thousands_of_patterns_of_one_environment_keep_to_the_table_and_change_no_answer(monkeypatch, tmp_path):
    table = Automata(instructions_of, TABLE_BYTES)
    monkeypatch.setattr(patterns, "_automata", table)
    many = engine_for(searching({f"p{n}": f"^[a-z]+/{n}$" for n in range(3_000)}), tmp_path / "many.bundle")
    other = engine_for(searching({"p": "^[a-z]+/own$", "q": "x+y"}), tmp_path / "other.bundle")
    assert table.bytes == 0
    for path, granted in [("a/2999", True), ("a/3000", False), ("A/1", False)]:
        assert many.decide(question(path))["decision"] is granted
        assert 0 < table.bytes <= TABLE_BYTES
        assert other.decide(question("docs/own"))["decision"] is True
        assert other.decide(question("axxyb"))["decision"] is True
        assert other.decide(question("docs/2999"))["decision"] is False
        assert 0 < table.bytes <= TABLE_BYTES


@pytest.fixture(params=["ALLOW", "DENY"])
def damaged(request, tmp_path):
    """A bundle with right checksums, and with a pattern that RE2 rejects."""
    document = searching({"p": "[ab]c"}, request.param)

    def change(clauses):
        return [json.dumps(json.loads(data)).replace("[ab]c", "a(?!c)").encode() for data in clauses]

    return crafted(document, tmp_path / "damaged.bundle", {"clauses": change})


def test_a_damaged_pattern_gives_no_decision(damaged):
    engine = Engine.open(damaged, clock=lambda: 0.0)
    with pytest.raises(BundleError, match="the bundle is damaged: RE2 rejects the pattern"):
        engine.decide(question("ab"))
    assert engine.decide(question(1))["decision"] is False


def test_a_damaged_pattern_gives_no_filter(damaged):
    search = {**question("ab"), "resource": {"type": "document"}}
    with pytest.raises(BundleError, match="the bundle is damaged: RE2 rejects the pattern"):
        Engine.open(damaged, clock=lambda: 0.0).filter(search)


def test_a_check_of_the_whole_bundle_finds_a_damaged_pattern(damaged):
    with pytest.raises(BundleError, match="policy `p` breaks the law: RE2 accepts every pattern"):
        open_bundle(damaged).verify()
