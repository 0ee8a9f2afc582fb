"""`POST …/policies:convert`: text, JSON and a sentence of one policy, with its diagnostics; nothing is stored."""

from typing import Any

import pytest
from falcon import testing
from writ.api.endpoints.insight.conversion import MOST_BYTES, MOST_DIAGNOSTICS

from tests.support.managed import ROOT, Managed
from tests.support.writ_texts import CORPUS

CONVERT = f"{ROOT}/policies:convert"
TEXT = """\
policy p8 "Editors update drafts"  # why
    allow editor to update document
    when resource.status is "draft"
"""
POLICY = {
    "id": "p8",
    "effect": "ALLOW",
    "resource_types": [{"resource_type_id": "document", "actions": ["update"]}],
    "name": "Editors update drafts",
    "roles": ["editor"],
    "conditions": {"resource_attrs": [{"key": "status", "op": "eq", "value": "draft"}]},
}
SENTENCE = (
    "Allows everyone with the role `editor` to do `update` on any `document`,"
    ' if the `status` of the resource is "draft".'
)


def asked(service: Managed, **body: Any) -> dict[str, Any]:
    answer = service.simulate_post(CONVERT, json=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json)


def codes(found: dict[str, Any]) -> list[str]:
    return [one["code"] for one in found["diagnostics"]]


def test_each_form_gives_the_other(full: Managed) -> None:
    found = {"policy": POLICY, "sentence": SENTENCE, "diagnostics": []}
    assert asked(full, text=TEXT) == found | {"text": TEXT}
    assert asked(full, policy=POLICY) == found | {"text": TEXT.replace("  # why", "")}


def test_text_is_formatted_and_keeps_its_comments(full: Managed) -> None:
    untidy = "# first\npolicy p8 'Editors update drafts' # why\n allow editor to update document"
    untidy += " when resource.status is draft"
    assert asked(full, text=untidy)["text"] == f"# first\n{TEXT}"


def test_a_byte_order_mark_is_no_part_of_the_text(full: Managed) -> None:
    assert asked(full, text=f"\ufeff{TEXT}") == asked(full, text=TEXT)
    assert codes(asked(full, text=f"\ufeff\ufeff{TEXT}")) == ["syntax"]


def test_nothing_is_stored(full: Managed) -> None:
    before = full.simulate_get(ROOT).json["revision"]
    asked(full, text=TEXT)
    assert full.simulate_get(ROOT).json["revision"] == before
    assert full.simulate_get(f"{ROOT}/policies/p8").status_code == 404


def test_a_reference_that_fits_nothing_is_found_in_the_stored_model(full: Managed) -> None:
    found = asked(full, text=TEXT.replace("editor", "edtor"))
    assert found["diagnostics"] == [
        {
            "code": "unknown-role",
            "severity": "error",
            "message": "unknown role `edtor`",
            "path": "$.roles[0]",
            "line": 2,
            "column": 11,
            "length": 5,
            "help": "did you mean `editor`?",
        }
    ]
    assert found["policy"]["roles"] == ["edtor"]
    assert found["text"] == TEXT.replace("editor", "edtor")
    assert found["sentence"] is None, "a policy with errors means nothing"
    form = asked(full, policy=POLICY | {"roles": ["edtor"]})
    assert form["diagnostics"] == [found["diagnostics"][0] | {"line": None, "column": None, "length": None}]


def test_declared_attributes_and_silences_count(full: Managed) -> None:
    declared = {"context": {"mfa": "boolean"}}
    assert full.simulate_put(f"{ROOT}/attributes", json=declared).status_code in (200, 201)
    wrong = POLICY | {"conditions": {"context_attrs": [{"key": "mfaa", "op": "eq", "value": True}]}}
    assert codes(asked(full, policy=wrong)) == ["unknown-attribute"]
    everyone = {"id": "all", "effect": "ALLOW", "resource_types": POLICY["resource_types"]}
    assert codes(asked(full, policy=everyone)) == ["allow-everyone"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["not-one-policy"]),
        ("# a comment", ["not-one-policy"]),
        ("role r", ["not-one-policy"]),
        (TEXT + TEXT.replace("p8", "p9"), ["not-one-policy"]),
        ("policy", ["syntax"]),
        ("polcy p\n    allow editor to read document", ["syntax"]),
        ("policy p\npolicy q", ["not-one-policy", "syntax", "syntax"]),
    ],
)
def test_a_faulty_text_is_answered_with_its_diagnostics(full: Managed, text: str, expected: list[str]) -> None:
    found = asked(full, text=text)
    assert (found["policy"], found["text"], found["sentence"]) == (None, None, None)
    assert codes(found) == expected


def test_a_faulty_object_is_answered_with_its_diagnostics(full: Managed) -> None:
    assert codes(asked(full, policy={})) == ["missing-member"] * 3
    assert codes(asked(full, policy=POLICY | {"efect": "ALLOW"})) == ["unknown-member"]
    pattern = {"resource_attrs": [{"key": "k", "op": "regex", "value": "("}]}
    found = asked(full, policy=POLICY | {"conditions": pattern})
    assert codes(found) == ["bad-pattern"]
    assert found["diagnostics"][0]["path"] == "$.conditions.resource_attrs[0].value"


@pytest.mark.parametrize(
    "body",
    [{}, {"text": TEXT, "policy": POLICY}, {"text": 1}, {"policy": []}, {"txt": TEXT}, {"text": None}],
)
def test_a_body_without_exactly_one_policy_is_refused(full: Managed, body: dict[str, Any]) -> None:
    answer = full.simulate_post(CONVERT, json=body)
    assert (answer.status_code, answer.json["details"][0]["code"]) == (400, "bad-policy")


def test_the_limits_are_kept(full: Managed) -> None:
    assert full.simulate_post(CONVERT, json={"text": "#" * (MOST_BYTES + 1)}).status_code == 400
    assert len(asked(full, text="policy\n" * 1_000)["diagnostics"]) <= MOST_DIAGNOSTICS + 2
    many = {"resource_attrs": [{"key": "k", "op": "in", "value": [*range(10_000)]}]}
    found = asked(full, policy=POLICY | {"conditions": many})
    assert codes(found) == []
    assert "9 or 9990 more" in found["sentence"]
    long = {"resource_attrs": [{"key": "k", "op": "in", "value": [f"value-{one}" for one in range(10_000)]}]}
    answer = full.simulate_post(CONVERT, json={"policy": POLICY | {"conditions": long}})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "$.policy")


def test_a_text_that_is_no_unicode_is_refused_in_a_sentence(full: Managed) -> None:
    headers = {"Content-Type": "application/json"}
    answer = full.simulate_post(CONVERT, body=b'{"text": "policy \\ud800"}', headers=headers)
    assert answer.status_code in (200, 400)
    assert b"Traceback" not in answer.content


def with_key(service: Managed, scopes: list[str], environments: list[str] | None = None) -> dict[str, str]:
    made = service.simulate_post("/v1/api-keys", json={"name": "k", "scopes": scopes, "environments": environments})
    return {"Authorization": f"Bearer {made.json['key']}"}


def test_a_reader_may_ask_within_its_environments(full: Managed) -> None:
    assert full.simulate_post("/v1/environments", json={"id": "stage"}).status_code == 201

    def status(headers: dict[str, str], env: str) -> int:
        path = f"/v1/environments/{env}/policies:convert"
        answer: testing.Result = full.simulate_post(path, json={"text": TEXT}, headers=headers)
        return answer.status_code

    assert status(with_key(full, ["read"]), "stage") == 200
    bound = with_key(full, ["admin"], ["stage"])
    assert [status(bound, env) for env in ("stage", "default", "none")] == [200, 403, 403]
    assert full.simulate_post("/v1/environments/none/policies:convert", json={"text": TEXT}).status_code == 404


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_goes_through_text_and_back(service: Managed, name: str) -> None:
    """Each policy of a stored model is the same after its text was read, and its text after it was written."""
    headers = {"Content-Type": "application/vnd.writ.policy"}
    put = service.simulate_put(f"{ROOT}/model", body=CORPUS[name], headers=headers)
    assert put.status_code == 200, put.text
    for stored in service.simulate_get(f"{ROOT}/policies?limit=100").json["items"]:
        text = asked(service, policy=stored)["text"]
        again = asked(service, text=text)
        assert (again["text"], again["diagnostics"], again["sentence"] is None) == (text, [], False)
        assert {**again["policy"]} == stored
