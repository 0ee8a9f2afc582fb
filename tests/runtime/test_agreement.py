"""The engine says what the oracle says, on random hostile models and requests (D1 to D10, and all rules below them)."""

from typing import Any

import pytest
from hypothesis import given, settings
from writ.runtime import Engine
from writ.runtime.rules import attribute_index

from tests.support import oracle
from tests.support.bundling import engine_for
from tests.support.strategies import cases, seeded_case

HEAD = ("id", "kind", "effect", "path")


def judged(response: dict[str, Any]) -> dict[str, Any]:
    """A response without its words for people, as the oracle gives it."""
    context = {name: value for name, value in response["context"].items() if name not in ("reason", "explanation")}
    return {"decision": response["decision"], **context}


def proved(response: dict[str, Any]) -> list[tuple[Any, ...]]:
    """An explanation's candidates in the oracle's form, conditions as a set (a repeated one is dropped)."""
    return sorted(
        (*(row[name] for name in HEAD), repr(row.get("held_by")), row["holds"], _conditions(row["conditions"]))
        for row in response["context"]["explanation"]["candidates"]
    )


def _conditions(rows: list[dict[str, Any]]) -> list[str]:
    found = set()
    for row in rows:
        compared = row["section"].endswith("_attrs")
        found.add(repr((row["section"], *((row["key"], row["op"]) if compared else (None, None)), row["holds"])))
    return sorted(found)


def expected_proof(document: dict[str, Any], request: dict[str, Any], now: float) -> list[tuple[Any, ...]]:
    return sorted(
        (*head, repr(by), held, sorted({repr(tuple(condition)) for condition in conditions}))
        for *head, by, held, conditions in oracle.explain(document, request, now)
    )


def check(engine: Engine, document: dict[str, Any], request: dict[str, Any], now: float) -> None:
    expected = oracle.decide(document, request, now)
    response = engine.decide(request, now)
    assert judged(response) == expected
    assert isinstance(response["context"]["reason"], str)
    assert response["context"]["reason"]
    assert engine.decide(request, now) == response, "the same request, model and instant give the same answer (D9)"
    explained = engine.decide({**request, "options": {"explain": True}}, now)
    assert judged(explained) == expected
    assert proved(explained) == expected_proof(document, request, now)
    proof = explained["context"]["explanation"]
    assert [(row["id"], sorted(row["roles"])) for row in proof["lacking"]] == oracle.lacking(document, request, now)
    assert [(row["id"], row["roles"]) for row in proof.get("excluded", [])] == oracle.excluded(document, request, now)
    assert "truncated" not in proof or "_cut" in repr(proof)
    subject, resource = request["subject"], request["resource"]
    if subject.get("id") and resource.get("id"):
        assert (
            engine.allowed(
                subject["type"],
                subject["id"],
                request["action"]["name"],
                resource["type"],
                resource["id"],
                subject={**(subject.get("attributes") or {}), **(subject.get("properties") or {})},
                resource={**(resource.get("attributes") or {}), **(resource.get("properties") or {})},
                action_properties=request["action"].get("properties"),
                context=request.get("context"),
                now=now,
            )
            is (expected["decision"])
        )


@settings(max_examples=75, deadline=None)
@given(case=cases())
def test_the_engine_agrees_with_the_oracle(case, tmp_path_factory):
    document, request, now = case
    check(engine_for(document, tmp_path_factory.mktemp("a") / "model.bundle"), document, request, now)


@pytest.mark.parametrize("indexed_from", [attribute_index.INDEXED_FROM, 1])
@pytest.mark.parametrize("block", range(4))
def test_the_engine_agrees_on_cases_that_never_change(block, indexed_from, tmp_path, monkeypatch):
    """Four hundred seeds, so that a fault found here is found everywhere; with few rules indexed like many, too."""
    monkeypatch.setattr(attribute_index, "INDEXED_FROM", indexed_from)
    for seed in range(block * 60, block * 60 + 60):
        document, request, now = seeded_case(seed)
        check(engine_for(document, tmp_path / f"{seed}.bundle"), document, request, now)


def test_one_engine_answers_many_subjects_in_any_order(tmp_path):
    """What is cached of one subject, instant or action never answers another: each question twice, interleaved."""
    for seed in range(30):
        document, _, _ = seeded_case(seed)
        engine = engine_for(document, tmp_path / f"{seed}.bundle")
        questions = [(request, now) for other in range(seed, seed + 12) for _, request, now in [seeded_case(other)]]
        for request, now in [*questions, *reversed(questions)]:
            assert judged(engine.decide(request, now)) == oracle.decide(document, request, now)
