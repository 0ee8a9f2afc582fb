"""Every case file, on the oracle, the engine and the command line's stream; and its compiled rules."""

import io
import json
from typing import Any

import pytest
import yaml
from writ.api.cli.offline.json_lines import answer_lines
from writ.bundles import zones
from writ.bundles.conditions.instants import SECOND, parse_instant
from writ.bundles.file.reader import open_bundle
from writ.bundles.program.text import show_program
from writ.compiler.compile import compile_model
from writ.compiler.load import load
from writ.compiler.source import Source
from writ.runtime import Engine

from tests.support import oracle
from tests.support.cases import FILES, Case, read_case


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def case(request) -> Case:
    return read_case(request.param)


@pytest.fixture
def bundle(case, tmp_path):
    loaded = load([Source(f"{case.path.stem}.yaml", case.model.encode())], zones.zone_names())
    assert loaded.model is not None, loaded.diagnostics
    with (tmp_path / "case.bundle").open("w+b") as file:
        compile_model(loaded.model, zones.zone_data, zones.VERSION).write(file)
    return tmp_path / "case.bundle"


def answer(response: dict[str, Any]) -> dict[str, Any]:
    """What a case expects of a response: everything but the words for people."""
    context = {name: value for name, value in response["context"].items() if name != "reason"}
    return {"decision": response["decision"], **context}


def instant(case: Case) -> float:
    return parse_instant(case.now) / SECOND


def test_the_engine_answers_as_expected(case, bundle, request):
    engine = Engine.open(bundle)
    answers = [answer(engine.decide(question, instant(case))) for question in case.questions]
    rules = show_program(open_bundle(bundle).program())
    if request.config.getoption("--update-golden"):
        case.update(expect="\n".join(map(json.dumps, answers)), rules=rules)
    else:
        assert answers == case.answers


def test_the_rules_are_as_expected(case, bundle):
    assert show_program(open_bundle(bundle).program()) == case.rules


def test_the_oracle_answers_as_expected(case):
    document = yaml.safe_load(case.model)
    assert [oracle.decide(document, question, instant(case)) for question in case.questions] == case.answers


def test_the_command_line_answers_as_expected(case, bundle):
    out = io.BytesIO()
    source = io.BytesIO("\n".join(map(json.dumps, case.questions)).encode())
    assert answer_lines(Engine.open(bundle), source, out, lambda engine, request: engine.decide(request, instant(case)))
    assert [answer(json.loads(line)) for line in out.getvalue().splitlines()] == case.answers
