"""A test that asks for what its model does not declare is an error: a slip of the pen would fulfil its denial."""

import pytest
from writ.api.cli.testing.session import Session

from tests.support.command import writ

MODEL = """\
model: 1
attributes:
  subject: {nurse: {ward: string}}
  context: {mfa: boolean, device.kind: string}
  action: {reason: string}
resource_types:
  - {id: t1, name: record, actions: [read], attributes: {ward: {kind: string, one_of: [icu, er], required: true}}}
  - {id: letter, actions: [send]}
subjects: [{type: robot, id: r2}]
policies: [{id: p, effect: ALLOW, resource_types: [{resource_type_id: t1, actions: [read]}]}]
"""
SUBJECT = "{type: nurse, id: ann, properties: {ward: icu}}"
RECORD = "{type: record, id: r, properties: {ward: icu}}"
CONTEXT = "{mfa: true, device: {kind: phone}, time: 0, ip: 10.0.0.1}"
REQUEST = (
    f"{{subject: {SUBJECT}, action: {{name: read, properties: {{reason: x}}}}, resource: {RECORD}, context: {CONTEXT}}}"
)
SEARCH = f"{{subject: {SUBJECT}, action: {{name: read}}, resource: {{type: record}}}}"
TABLE = (
    f"{{name: n, subjects: {{ann: {SUBJECT}}}, actions: [read, send], context: {CONTEXT}, "
    f"resources: {{r: {RECORD}, l: {{type: letter, id: l}}}}, allowed: {{ann: {{r: [read]}}}}}}"
)
TESTS = {
    "request": f"{{name: n, request: {REQUEST}, expect: {{decision: true}}}}",
    "search": f"{{name: n, search: {SEARCH}, expect: {{results: []}}}}",
    "table": TABLE,
}
SLIPS = [
    ("request table search", "type: record", "type: recrod", "no resource type `recrod`", "did you mean `record`?"),
    ("request table search", "type: record", "type: t1", "no resource type `t1`", "requests name this type `record`"),
    ("request search", "name: read", "name: raed", "the resource type `record` declares no action `raed`", "`read`?"),
    ("request search", "name: read", "name: send", "the resource type `record` declares no action `send`", ""),
    ("table", "[read, send]", "[read, sned]", "no resource type of the table declares the action `sned`", "`send`?"),
    ("request table", "id: r, properties: {ward", "id: r, properties: {wrad", "type `record` declares no", "`ward`?"),
    ("request table", "id: r, properties: {ward", "id: r, attributes: {wrad", "no attribute `wrad`", "`ward`?"),
    ("request table search", "ann, properties: {ward", "ann, properties: {wrad", "`nurse` declares no", "`ward`?"),
    ("request table search", "type: nurse", "type: nusre", "no subject type `nusre`", "did you mean `nurse`?"),
    ("request table", "mfa: true", "mfaa: true", "the context declares no attribute `mfaa`", "did you mean `mfa`?"),
    ("request table", "id: r, properties: {ward: icu", "id: r, properties: {ward: icv", "no declared value", "`icu`?"),
    (
        "request table",
        "id: r, properties: {ward: icu}",
        "id: r",
        "`ward` of the resource type `record` is required",
        "",
    ),
    ("request", "reason: x", "raeson: x", "an action declares no attribute `raeson`", "did you mean `reason`?"),
]


def outcome(folder, test, model=MODEL):
    (folder / "model.yaml").write_text(model)
    (folder / "x.test.yaml").write_text(f"tests:\n- {test}\n")
    (result,) = Session(with_coverage=False).results([folder])
    return result


@pytest.mark.parametrize("kind", TESTS)
def test_what_is_declared_passes(tmp_path, kind):
    result = outcome(tmp_path, TESTS[kind])
    assert (result.problem, result.failed) == ("", 0)


@pytest.mark.parametrize(
    ("kind", "right", "slip", "message", "help_text"),
    [(kind, *rest) for kinds, *rest in SLIPS for kind in kinds.split()],
)
def test_a_slip_is_an_error_with_a_place_and_a_near_name(tmp_path, kind, right, slip, message, help_text):
    """E7, and the declarations of attributes. `undeclared: true` takes the test as it is written."""
    assert right in TESTS[kind]
    test = TESTS[kind].replace(right, slip)
    result = outcome(tmp_path, test)
    assert "x.test.yaml:2:" in result.problem
    assert "error[undeclared]" in result.problem
    assert message in result.problem
    assert help_text in result.problem
    assert "`undeclared: true`" in result.problem
    assert outcome(tmp_path, test.replace("{name: n", "{name: n, undeclared: true", 1)).problem == ""


def test_a_subject_that_the_model_names_needs_no_declared_attributes(tmp_path):
    """E3: the model registers it."""
    test = TESTS["request"].replace(SUBJECT, "{type: robot, id: r3}")
    assert outcome(tmp_path, test).problem == ""


def test_without_declared_attributes_every_key_is_good(tmp_path):
    model = "model: 1\nresource_types: [{id: record, actions: [read]}]\npolicies: " + MODEL.split("policies: ")[1]
    model = model.replace("t1", "record")
    test = TESTS["request"].replace("ward", "any").replace("mfa", "other").replace("nurse", "nobody")
    result = outcome(tmp_path, test, model)
    assert (result.problem, result.failed) == ("", 0)


def test_a_bundle_knows_its_types_actions_and_attributes(tmp_path):
    (tmp_path / "model.yaml").write_text(MODEL)
    writ("compile", "model.yaml", "-o", "m.bundle", cwd=tmp_path)
    good = TESTS["request"]
    slips = (("record", "recrod"), (": read", ": raed"), ("mfa", "mfaa"), ("icu}}", "icv}}"))
    for test, found in ((good, 0), *((good.replace(*slip), 1) for slip in slips)):
        (tmp_path / "x.test.yaml").write_text(f"model: [m.bundle]\ntests:\n- {test}\n")
        (result,) = Session(with_coverage=False).results([tmp_path])
        assert result.problem.count("error[undeclared]") == found
