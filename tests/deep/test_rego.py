"""A fault in the exported Rego becomes a small case, and a run without OPA says so."""

from random import Random

import pytest
import yaml
from writ.compiler.rego import opa_files

from tests.deep import rego
from tests.deep.task import Task
from tests.support.cases import read_case
from tests.support.opa import Unavailable, built_opa

SCOPE = [{"resource_type_id": "document", "actions": ["read"]}]
WHEN_DRAFT = {"resource_attrs": [{"key": "status", "op": "eq", "value": "draft"}]}
MODEL = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "editor"}],
    "policies": [
        {"id": "drafts", "effect": "ALLOW", "resource_types": SCOPE, "conditions": WHEN_DRAFT},
        {"id": "editors", "effect": "ALLOW", "resource_types": SCOPE, "roles": ["editor"]},
    ],
}


def question(status):
    resource = {"type": "document", "id": "d1", "properties": {"status": status}}
    return {"subject": {"type": "user", "id": "a"}, "action": {"name": "read"}, "resource": resource}, 0.0


@pytest.fixture
def task(tmp_path):
    return Task("rego", Random(5), 60.0, tmp_path, tmp_path, 5)


@pytest.mark.skipif(built_opa() is None, reason="opa is not built: `python -m tests.deep --group rego`")
def test_a_wrong_answer_of_opa_becomes_a_small_case(task, monkeypatch):
    right = opa_files._LIBRARY["writ/values.rego"]
    wrong = right.replace("identity(value, _) := value if is_string", "identity(value, _) := lower(value) if is_string")
    assert wrong != right
    questions = [question("draft"), question("Draft"), question(1)]
    with rego.asked_opa(built_opa()):
        assert rego.check(task, MODEL, questions)
        assert task.failures == 0
        monkeypatch.setitem(opa_files._LIBRARY, "writ/values.rego", wrong)
        assert rego.check(task, MODEL, questions)
    assert task.failures == 1
    (path,) = task.cases.glob("found_rego_*.case")
    case = read_case(path)
    assert [one["id"] for one in yaml.safe_load(case.model)["policies"]] == ["drafts"]
    assert (case.questions, case.answers[0]["reason_code"]) == ([question("Draft")[0]], "CONDITION_FAILED")
    assert path.name in task.notes[0]


def test_a_run_without_opa_says_so(task, monkeypatch):
    def refuse(folder):
        raise Unavailable("`go` is not installed")

    monkeypatch.setattr(rego, "opa_binary", refuse)
    rego.check_rego(task)
    assert (task.failures, task.examples, task.notes) == (0, 0, ["not run: `go` is not installed"])
