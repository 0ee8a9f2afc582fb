"""The lint `idle-anonymous`: only where the settings are known to name no subject, a mark changes nothing (E11)."""

import json
from typing import Any

import pytest
from writ.compiler.lint_model import lint_model

from tests.support.diagnosing import load_text, model_text

ROUTE: dict[str, Any] = {
    "id": "r",
    "methods": ["GET"],
    "path": "/{id}",
    "resource_type": "document",
    "action": "read",
    "anonymous": True,
}


def document(route: dict[str, Any], **more: Any) -> str:
    return model_text(routes=json.dumps([route]), **{name: json.dumps(value) for name, value in more.items()})


@pytest.mark.parametrize(("named", "warned"), [(False, True), (True, False), (None, False)])
@pytest.mark.parametrize("marked", [True, False])
def test_a_mark_without_the_setting_is_a_warning(named: bool | None, warned: bool, marked: bool) -> None:
    loaded = load_text(document(ROUTE | {"anonymous": marked}))
    assert loaded.model is not None
    assert not [one for one in loaded.diagnostics if one.code == "idle-anonymous"], "files know no settings"
    found = [one for one in lint_model(loaded.model, names_anonymous=named).listed if one.code == "idle-anonymous"]
    assert [(one.kind, one.path) for one in found] == ([("routes", "$.anonymous")] if warned and marked else [])


def test_it_can_be_silenced_and_files_do_not_call_that_unused() -> None:
    loaded = load_text(document(ROUTE, lints=[{"code": "idle-anonymous", "reason": "production has the setting"}]))
    assert loaded.model is not None
    assert not [one for one in loaded.diagnostics if "lint" in one.code or one.code == "idle-anonymous"]
    assert not [one for one in lint_model(loaded.model, names_anonymous=False).listed if one.code == "idle-anonymous"]


def test_two_routes_that_differ_by_the_mark_are_ambiguous() -> None:
    routes = [ROUTE | {"id": "a", "path": "/a/{id}"}, ROUTE | {"id": "b", "path": "/{x}/b", "resource_id": "b"}]
    for marked, codes in ((True, []), (False, ["ambiguous-routes"])):
        pair = [routes[0] | {"resource_id": "b"}, routes[1] | {"anonymous": marked}]
        loaded = load_text(model_text(routes=json.dumps(pair)))
        assert [one.code for one in loaded.diagnostics if one.code == "ambiguous-routes"] == codes


@pytest.mark.parametrize("word", ["public", "allow_anonymous", "anonymus"])
def test_another_word_for_the_mark_is_advised_against(word: str) -> None:
    stated = {name: value for name, value in ROUTE.items() if name != "anonymous"} | {word: True}
    (found,) = load_text(document(stated)).diagnostics
    assert (found.code, found.help) == ("unknown-member", "did you mean `anonymous`?")


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_the_mark_is_a_truth_value(value: Any) -> None:
    loaded = load_text(document(ROUTE | {"anonymous": value}))
    assert loaded.model is None
    assert [one.path for one in loaded.diagnostics] == ["$.routes[0].anonymous"]
