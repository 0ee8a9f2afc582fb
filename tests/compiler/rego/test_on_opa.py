"""A real OPA decides by exported models as Writ does. `python -m tests.deep --group rego` builds OPA, and goes on."""

import json
import subprocess
from io import BytesIO

import pytest
import yaml
from writ.api.cli.demo import demo_sources
from writ.api.cli.stores.opa_bundle import write_archive
from writ.bundles.conditions.instants import SECOND, parse_instant
from writ.compiler.rego.refusals import NotInRego
from writ.compiler.source import Source

from tests.deep.one_condition import condition_models
from tests.deep.rego import differing
from tests.runtime.test_agreement import judged
from tests.support.bundling import engine_for
from tests.support.cases import FILES, read_case
from tests.support.opa import built_opa, evaluated, files_of, files_of_source, running_opa
from tests.support.strategies_pick import Pick

pytestmark = pytest.mark.skipif(built_opa() is None, reason="opa is not built: `python -m tests.deep --group rego`")

NOW = 1_767_607_200.0
REFUSED = {"c10_rate_limit", "c12_required_context", "c13_declared_values", "x2_references", "x5_now", "x6_arrays"}
"""The cases whose models can't be exported."""

UNSAYABLE = {"records-export-in-small-batches"}
"""The policies of the demo that have a rate limit."""


@pytest.fixture(scope="module")
def opa():
    with running_opa(built_opa()) as opa:
        yield opa


def asked(value, other=None):
    """A request with the attribute `k` of the resource, and perhaps one of the subject."""
    subject = {"type": "user", "id": "a"} | ({} if other is None else {"properties": {"k": other}})
    return {
        "subject": subject,
        "action": {"name": "read"},
        "resource": {"type": "document", "id": "d", "properties": {"k": value}},
    }


def comparing(*conditions, section="resource_attrs", effect="ALLOW"):
    """A model with a policy for each (operator, constant)."""
    scope = [{"resource_type_id": "document", "actions": ["*"]}]
    policies = [
        {
            "id": f"p{number}",
            "effect": effect,
            "resource_types": scope,
            "conditions": {section: [{"key": "k", "op": op, "value": constant}]},
        }
        for number, (op, constant) in enumerate(conditions)
    ]
    return {"resource_types": [{"id": "document", "actions": ["read"]}], "policies": policies}


def allowed(opa, text):
    """Whether OPA allows a request that is given as JSON text: numbers keep their spelling."""
    answer = opa.post(b'{"input": %s}' % text.encode())
    return answer["decision"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_cases_are_answered_as_expected(opa, path):
    case = read_case(path)
    now = parse_instant(case.now) / SECOND
    try:
        files = files_of_source(Source("case.yaml", case.model.encode()))
    except NotInRego:
        assert path.stem in REFUSED
        return
    assert path.stem not in REFUSED
    opa.load(files)
    assert [judged(answer) for answer in opa.decide([(question, now) for question in case.questions])] == case.answers


@pytest.mark.parametrize("seed", range(2))
def test_conditions_of_every_kind_agree(opa, seed):
    document, questions = condition_models(Pick.seeded(seed))
    opa.load(files_of(document))
    assert differing(opa, document, questions) is None


@pytest.mark.parametrize(
    ("spelled", "constant", "equal"),
    [
        ("1", 1.0, True),
        ("1.0", 1, True),
        ("1e0", 1, True),
        ("100E-2", 1, True),
        ("-0.0", 0, True),
        ("-0", 0.0, True),
        ("1e-400", 0, True),
        ("0.1000000000000000055", 0.1, True),
        ("0.10000000000000002", 0.1, False),
        ("9007199254740993", 2**53 + 1, True),
        ("9007199254740993", 2.0**53, False),
        ("9007199254740993.0", 2**53, True),
        ("9007199254740993.0", 2**53 + 1, False),
        ("1e23", 10**23, False),
        ("1e23", 1e23, True),
        ("99999999999999991611392", 1e23, True),
        ("true", 1, False),
        ('"1"', 1, False),
    ],
)
def test_a_number_is_what_writ_reads(opa, spelled, constant, equal):
    opa.load(files_of(comparing(("eq", constant))))
    assert allowed(opa, json.dumps(asked("K")).replace('"K"', spelled)) is equal
    opa.load(files_of(comparing(("eq", {"a": [constant]}))))
    assert allowed(opa, json.dumps(asked({"a": ["K"]})).replace('"K"', spelled)) is equal
    opa.load(files_of(comparing(("gt", constant), ("lt", constant))))
    if not spelled.startswith(("t", '"')):
        assert allowed(opa, json.dumps(asked("K")).replace('"K"', spelled)) is not equal


def test_equal_arguments_of_opa_do_not_share_a_result(opa):
    """OPA remembers what a function returned, and takes this integer and this real for one argument."""
    document = comparing(("eq", 2**53 + 1), section="subject_attrs", effect="DENY")
    document["policies"].append(comparing(("eq", 2**53 + 1))["policies"][0] | {"id": "allow"})
    opa.load(files_of(document))
    exact, rounded = "9007199254740993", "9007199254740993.0"
    for subject, resource, decision in ((rounded, exact, True), (exact, exact, False), (exact, rounded, False)):
        text = json.dumps(asked("R", "S")).replace('"R"', resource).replace('"S"', subject)
        assert allowed(opa, text) is decision


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "[]",
        '"x"',
        "{}",
        json.dumps(asked(1) | {"subject": None}),
        json.dumps(asked(1) | {"subject": {"type": "user"}}),
        json.dumps(asked(1) | {"subject": {"type": "user", "id": "a", "external_id": "b"}}),
        json.dumps(asked(1) | {"subject": {"type": "user", "id": ["a"]}}),
        json.dumps(asked(1) | {"subject": {"type": "user", "id": "a" * 513}}),
        json.dumps(asked(1) | {"context": []}),
        json.dumps(asked(1) | {"options": {"explain": 1}}),
        json.dumps(asked(1) | {"options": {"attributes": "registered"}}),
        json.dumps(asked(1) | {"options": {"actor": {"type": "user", "id": "a"}}}),
        json.dumps(asked(1) | {"options": {"strict": True}}),
        json.dumps(asked(1) | {"options": {"strict": 0}}),
        json.dumps(asked(1) | {"action": {"name": ""}}),
        json.dumps(asked("K")).replace('"K"', "1e400"),
        json.dumps(asked("K")).replace('"K"', "1" * 4301),
    ],
)
def test_a_malformed_request_is_denied(opa, text):
    opa.load(files_of(comparing(("nin", []))))
    assert allowed(opa, json.dumps(asked(1)))
    answer = opa.post(b'{"input": %s}' % text.encode())
    assert (answer["decision"], answer["context"]["reason_code"]) == (False, "BAD_REQUEST")


def test_no_input_is_denied(opa):
    opa.load(files_of(comparing(("nin", []))))
    assert opa.post(b"{}")["context"]["reason_code"] == "BAD_REQUEST"


def test_the_demo_decides_from_its_file(tmp_path):
    """As a sidecar loads it: the archive, its manifest and all its files, by OPA's strictest check."""
    document: dict[str, list[object]] = {}
    for _, text in demo_sources():
        for name, rows in yaml.safe_load(text).items():
            if name != "model":
                document.setdefault(name, []).extend(rows)
    document["policies"] = [one for one in document["policies"] if one["id"] not in UNSAYABLE]
    path, archive = tmp_path / "bundle.tar.gz", BytesIO()
    files = files_of(document)
    write_archive(files, archive)
    path.write_bytes(archive.getvalue())
    request = {
        "subject": {"type": "user", "id": "hana.abdi"},
        "action": {"name": "read"},
        "resource": {"type": "document", "id": "d", "properties": {"classification": "internal"}},
    }
    engine = engine_for(document, tmp_path / "model.bundle")
    assert evaluated(built_opa(), path, request) == engine.decide(request)
    assert evaluated(built_opa(), path, request, "data.writ.allow") is engine.decide(request)["decision"]
    for name, content in files.items():
        (tmp_path / "files" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "files" / name).write_bytes(content)
    for line in (["check", "--strict", "--bundle"], ["fmt", "--fail", "--list"]):
        subprocess.run([built_opa(), *line, str(tmp_path / "files")], check=True, capture_output=True)
