"""A model without documents has the warnings that its documents have."""

import json
from dataclasses import replace

from writ.bundles.zones import zone_names
from writ.compiler.limits import DEFAULTS
from writ.compiler.lint_model import ModelWarning, lint_model
from writ.compiler.load import load
from writ.compiler.model.elements import SINGLE_MEMBERS, Model, Policy
from writ.compiler.source import Source

from tests.support.strategies import document
from tests.support.strategies_pick import Pick
from tests.support.writ_texts import CORPUS, load_writ

NOW = 1_900_000_000.0
EVERYONE = [{"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}]}]
MODEL = {"model": 1, "resource_types": [{"id": "doc", "actions": ["read", "write"]}], "policies": EVERYONE}


def model_of(body: dict[str, object]) -> Model:
    model = load([Source("m.json", json.dumps(body).encode())], zone_names()).model
    assert model is not None
    return model


def path_of(model: Model, found: ModelWarning) -> str:
    """The path from the root of the document."""
    if found.element is None or found.kind == "attributes":
        return f"$.{found.kind}{found.path[1:]}"
    places = [place for place, one in enumerate(getattr(model, found.kind)) if one is found.element]
    return (
        f"$.{found.kind}[{places[0]}]{found.path[1:]}"
        if found.kind not in SINGLE_MEMBERS
        else f"$.{found.kind}{found.path[1:]}"
    )


def test_the_warnings_are_those_of_the_documents() -> None:
    """A law over random models."""
    seen = set()
    for seed in range(150):
        body = document(Pick.seeded(seed))
        loaded = load([Source("m.json", json.dumps(body).encode())], zone_names(), now=NOW)
        assert loaded.model is not None
        found = lint_model(loaded.model, NOW)
        shown = [(one.code, path_of(loaded.model, one), one.message) for one in found.listed]
        expected = [(one.code, one.path, one.message) for one in loaded.diagnostics]
        assert sorted(shown) == sorted(expected)
        assert found.unlisted == 0
        seen |= {code for code, _, _ in shown}
    assert len(seen) > 8, seen


def test_the_corpus_has_no_warnings() -> None:
    for text in CORPUS.values():
        model = load_writ(text).model
        assert model is not None
        assert lint_model(model).listed == ()


def test_a_warning_names_its_element() -> None:
    model = model_of(MODEL)
    first, second = lint_model(model).listed
    assert (first.code, first.kind, first.element) == ("unused-action", "resource_types", model.resource_types[0])
    assert isinstance(second.element, Policy)
    assert (second.code, second.element.id, second.path) == ("allow-everyone", "p", "$.effect")
    assert second.help


def test_a_limit_counts_the_rest() -> None:
    found = lint_model(model_of(MODEL), limits=replace(DEFAULTS, diagnostics=1))
    assert (len(found.listed), found.unlisted) == (1, 1)


def test_only_with_an_instant_something_has_expired() -> None:
    ended = {"id": "a", "role": "r", "subject": {"type": "u", "id": "x"}, "expires_at": "2020-01-01T00:00:00Z"}
    model = model_of({"model": 1, "roles": [{"id": "r"}], "assignments": [ended]})
    assert "expired" not in {one.code for one in lint_model(model).listed}
    assert "expired" in {one.code for one in lint_model(model, NOW).listed}
