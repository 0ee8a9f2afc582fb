"""`writ test`: exit codes, reports for people and machines, models of files, folders and bundles, and `--watch`."""

import json
import os
import re
import subprocess
import time
from xml.etree import ElementTree

import pytest
from writ.api.cli.testing.session import Session

from tests.support.command import WRIT, writ
from tests.support.pages import page
from tests.support.server import environment
from tests.support.waiting import wait_until

MODEL = """\
model: 1
resource_types: [{id: document, actions: [read, update, delete]}]
roles: [{id: editor}]
groups: [{id: eng, members: [{type: user, id: alice}]}]
assignments: [{role: editor, group: eng}]
resources:
  - {type: document, id: d1, name: Plan, attributes: {status: draft}}
  - {type: document, id: d2, attributes: {status: final}}
grants: [{id: g1, subject: {type: user, id: alice}, resource: {type: document, id: d3}, actions: [update]}]
policies:
  - id: p7
    effect: ALLOW
    roles: [editor]
    resource_types: [{resource_type_id: document, actions: [update]}]
    conditions:
      resource_attrs: [{key: status, op: eq, value: draft}]
  - id: at-work
    effect: ALLOW
    resource_types: [{resource_type_id: document, actions: [read]}]
    conditions:
      time_window: {days: [mon], timezone: Europe/Oslo}
  - id: once
    effect: ALLOW
    resource_types: [{resource_type_id: document, actions: [delete]}]
    conditions:
      rate_limit: {limit: 1, window_seconds: 60}
"""
ALICE = "{type: user, id: alice}"
DRAFT = "{type: document, id: d1, properties: {status: draft}}"
TESTS = f"""\
now: 2026-01-05T10:00:00Z
tests:
  - name: editors update drafts
    request: {{subject: {ALICE}, action: {{name: update}}, resource: {DRAFT}}}
    expect: {{decision: true, reason_code: ALLOWED, policy_id: p7, context: {{access_path: group}}}}
  - name: what drafts are open to
    subjects: {{alice: {ALICE}, bob: {{type: user, id: bob}}}}
    actions: [read, update, delete]
    resources: {{draft: {DRAFT}}}
    allowed: {{alice: {{draft: [read, update, delete]}}, bob: {{draft: [read, delete]}}}}
  - name: not on a sunday
    now: 2026-01-04T10:00:00Z
    request: {{subject: {ALICE}, action: {{name: read}}, resource: {DRAFT}}}
    expect: {{reason_code: CONDITION_FAILED}}
  - name: what alice may update
    search: {{subject: {ALICE}, action: {{name: update}}, resource: {{type: document}}}}
    expect:
      filter: {{type: field, field: status, operator: in, value: [draft]}}
      access_paths: [direct, group]
      results: [{{type: document, id: d1, name: Plan, access_path: group}}, {{id: d3, access_path: direct}}]
  - name: a rate limit counts anew in each test
    request: {{subject: {ALICE}, action: {{name: delete}}, resource: {DRAFT}}}
    expect: {{decision: true}}
"""
WRONG = (
    TESTS.replace("policy_id: p7", "policy_id: p8")
    .replace("[draft]}\n      access", "[final]}\n      access")
    .replace("bob: {draft: [read, delete]}", "bob: {draft: [delete, update]}")
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model.yaml").write_text(MODEL)
    (tmp_path / "good.test.yaml").write_text(TESTS)
    return tmp_path


def test_all_pass(folder):
    done = writ("test", ".", cwd=folder)
    text = re.sub(r"\(\d+\.\d\d s\)", "(TIME)", done.stdout.decode())
    assert (done.returncode, text) == (0, "good.test.yaml: 5 passed\n5 tests: 5 passed (TIME)\n"), done.stdout


def test_a_failure_shows_expected_beside_got_and_the_proof(folder):
    (folder / "bad.test.yaml").write_text(WRONG)
    done = writ("test", "bad.test.yaml", "good.test.yaml", cwd=folder)
    assert done.returncode == 1
    text = done.stdout.decode()
    assert "\x1b" not in text, "no colours in a pipe"
    assert text.startswith(
        "FAILED editors update drafts (bad.test.yaml:3:5)\n"
        "             expected  got\n"
        '  policy_id  "p8"      "p7"\n'
        "  May user `alice` do `update` on document `d1`?\n"
        "  Allowed (ALLOWED): policy `p7` allows it through a role of a group.\n"
        "  Policy `p7` allows it. The subject holds its role `editor` through the group `eng`.\n"
        '    - The `status` of the resource is "draft", as required.\n'
        "FAILED what drafts are open to (bad.test.yaml:6:5)\n"
        "  bob, read, draft:\n"
        "            expected  got\n"
        "  decision  false     true\n"
    )
    assert "  bob, update, draft:\n            expected  got\n  decision  true      false\n" in text
    assert '  expected {"type":"field","field":"status","operator":"in","value":["final"]}\n' in re.sub(
        "^  ", "", text, flags=re.M
    )
    assert "bad.test.yaml: 2 passed, 3 failed\ngood.test.yaml: 5 passed\n10 tests: 7 passed, 3 failed (" in text


REGISTERED = "{attributes: registered}"
ASKS_REGISTRY = f"""\
tests:
  - name: the registered status
    request:
      {{subject: {ALICE}, action: {{name: update}}, resource: {{type: document, id: d1}}, options: {REGISTERED}}}
    expect: {{decision: true}}
  - name: a status that is sent
    request:
      subject: {ALICE}
      action: {{name: update}}
      resource: {{type: document, id: d1, properties: {{status: x}}}}
      options: {REGISTERED}
    expect: {{decision: false}}
"""


def test_a_model_in_documents_has_registered_attributes(folder):
    """E9. A bundle has none, which is no failure of a test but one of its model."""
    (folder / "good.test.yaml").write_text(ASKS_REGISTRY)
    done = writ("test", "good.test.yaml", cwd=folder)
    assert (done.returncode, b"2 passed" in done.stdout) == (0, True), done.stdout
    assert writ("compile", "model.yaml", "-o", "model.bundle", cwd=folder).returncode == 0
    (folder / "good.test.yaml").write_text(f"model: [model.bundle]\n{ASKS_REGISTRY}")
    done = writ("test", "good.test.yaml", cwd=folder)
    assert done.returncode != 0
    assert b"the model can't be used: a bundle does not list attributes" in done.stdout + done.stderr


def test_tap(folder):
    (folder / "bad.test.yaml").write_text(WRONG.replace("editors update", '"a # b\\\\nc" #').replace('" #', '"\n    #'))
    done = writ("test", ".", "--format", "tap", "--coverage", cwd=folder)
    lines = done.stdout.decode().splitlines()
    assert lines[:2] == ["TAP version 14", "1..10"]
    points = [line for line in lines if re.match(r"(not )?ok ", line)]
    assert len(points) == 10
    assert points[0] == r"not ok 1 - bad.test.yaml: a \# b\\nc"
    assert points[5] == "ok 6 - good.test.yaml: editors update drafts"
    blocks = [line for line in lines if line.startswith("  ") and line not in ("  ---", "  ...")]
    assert lines.count("  ---") == lines.count("  ...") == 3
    assert all(isinstance(json.loads(line.partition(": ")[2]), str) for line in blocks)
    assert lines[-1].startswith("# "), "coverage is a comment"


def test_junit_in_a_file_with_the_text_beside_it(folder):
    (folder / "bad.test.yaml").write_text(WRONG)
    done = writ("test", ".", "--format", "junit", "-o", "report.xml", cwd=folder)
    assert done.returncode == 1
    assert b"10 tests: 7 passed, 3 failed" in done.stdout
    root = ElementTree.parse(folder / "report.xml").getroot()
    bad, good = root.findall("testsuite")
    assert (root.get("tests"), root.get("failures")) == ("10", "3")
    assert (bad.get("name"), bad.get("failures"), good.get("failures")) == ("bad.test.yaml", "3", "0")
    failure = bad.find("testcase/failure")
    assert failure.get("message") == 'policy_id: expected "p8", got "p7"'
    assert "Policy `p7` allows it." in failure.text
    assert (folder / "report.xml").stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_text_in_a_file(folder):
    done = writ("test", ".", "-o", "report.txt", cwd=folder)
    assert done.stdout.decode() == (folder / "report.txt").read_text()


def test_a_bundle_is_a_model_and_lists_no_resources(folder):
    assert writ("compile", "model.yaml", "-o", "m.bundle", cwd=folder).returncode == 0
    (folder / "good.test.yaml").write_text(f"model: [m.bundle]\n{TESTS}")
    done = writ("test", ".", cwd=folder)
    assert done.returncode == 1
    assert b"a bundle does not list its resources" in done.stdout
    without = re.sub(r"\n *results: .*", "", TESTS)
    (folder / "good.test.yaml").write_text(f"model: [m.bundle]\n{without}")
    assert b"5 tests: 5 passed" in writ("test", ".", cwd=folder).stdout


def test_sources_are_relative_to_the_file(folder):
    inner = folder / "tests"
    inner.mkdir()
    (folder / "good.test.yaml").rename(inner / "x.test.yml")
    assert writ("test", inner, cwd=folder).returncode == 1, "the folder has no model"
    (inner / "x.test.yml").write_text(f"model: [../model.yaml]\n{TESTS}")
    assert writ("test", inner, cwd=folder).returncode == 0
    assert writ("test", ".", cwd=inner).returncode == 0


def test_a_test_file_is_no_model_document(folder):
    """A folder may have both."""
    assert writ("check", ".", cwd=folder).returncode == 0
    assert writ("compile", ".", "-o", "m.bundle", cwd=folder).returncode == 0


def test_json(folder):
    request = {
        "subject": {"type": "user", "id": "x"},
        "action": {"name": "update"},
        "resource": {"type": "document", "id": "d1"},
    }
    tests = {"model": ["model.yaml"], "tests": [{"name": "n", "request": request, "expect": {"decision": False}}]}
    (folder / "more.test.json").write_text(json.dumps(tests))
    assert writ("test", "more.test.json", cwd=folder).returncode == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tests: [", "x.test.yaml:1:"),
        (
            f"model: [none.yaml]\n{TESTS}",
            "x.test.yaml:1:8: error[no-model]: the model can't be used: none",
        ),
        (f"model: [bad.yaml]\n{TESTS}", "bad.yaml:1:12: error[unknown-member]"),
        (f"model: [m.bundle, model.yaml]\n{TESTS}", "is a bundle, which is a whole model"),
        (f"model: [broken.bundle]\n{TESTS}", "can't be used: broken.bundle: "),
    ],
)
def test_what_can_not_be_run_fails_and_the_rest_is_run(folder, text, says):
    assert writ("compile", "model.yaml", "-o", "m.bundle", cwd=folder).returncode == 0
    (folder / "broken.bundle").write_bytes((folder / "m.bundle").read_bytes()[:200])
    (folder / "bad.yaml").write_text("{model: 1, polices: []}")
    (folder / "x.test.yaml").write_text(text)
    (folder / "good.test.yaml").write_text(f"model: [model.yaml]\n{TESTS}")
    done = writ("test", ".", cwd=folder)
    assert done.returncode == 1
    assert says in done.stdout.decode()
    assert b"5 tests: 5 passed, 1 failed" in done.stdout
    for form in ("tap", "junit"):
        report = writ("test", ".", "--format", form, cwd=folder)
        assert report.returncode == 1
        assert b"the tests can" in report.stdout


@pytest.mark.parametrize("arguments", [[], ["none.test.yaml"], ["model.yaml"], ["empty"]])
def test_a_path_without_tests_is_exit_code_2(folder, arguments):
    (folder / "empty").mkdir()
    done = writ("test", *arguments, cwd=folder)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_coverage_names_what_no_test_tried(folder):
    done = writ("test", ".", "--coverage", cwd=folder)
    assert done.returncode == 0
    assert done.stdout.decode().splitlines()[1:-1] == [
        "coverage: tests made 3 of 3 policies and 2 of 3 conditions both true and false",
        'policy `p7`: `resource.status is "draft"` was never false',
    ]


def test_a_failure_can_not_change_the_terminal(folder):
    (folder / "good.test.yaml").write_text(WRONG.replace("id: bob", 'id: "\\e[2J"'))
    done = writ("test", ".", cwd=folder)
    assert b"\x1b" not in done.stdout


def test_the_page_shows_what_is_printed(tmp_path):
    shown = page("api/TESTING.md")
    good, failed, *_ = (block.text for block in shown.blocks if block.language == "text" and not block.mark)
    model = page("compiler/README.md").marked("file: model.yaml")
    (tmp_path / "model.yaml").write_text(model)
    (tmp_path / "documents.test.yaml").write_text(shown.marked("file: documents.test.yaml"))
    wider = "{id: editors-update-everything, effect: ALLOW, roles: [editor], resource_types: "
    wider += "[{resource_type_id: document, actions: [update]}]}"
    for text, more in ((good, ""), (failed, f"  - {wider}\n")):
        (tmp_path / "model.yaml").write_text(model + more)
        printed = writ("test", "documents.test.yaml", cwd=tmp_path).stdout.decode()
        assert _timeless(printed).endswith(_timeless(text)), printed


def _timeless(text):
    return re.sub(r"\(\d+\.\d\d s\)", "(TIME)", text)


def test_a_thousand_tests_take_two_seconds_at_most(folder):
    """Of the processor, so that a busy machine does not matter."""
    one = {
        "request": {
            "subject": {"type": "user", "id": "alice"},
            "action": {"name": "update"},
            "resource": {"type": "document", "id": "d1", "properties": {"status": "draft"}},
        },
        "expect": {"decision": True, "policy_id": "p7"},
    }
    tests = [{"name": str(number), **one} for number in range(1_000)]
    (folder / "good.test.yaml").write_text("tests:\n" + "".join(f"  - {json.dumps(test)}\n" for test in tests))
    began = time.process_time()
    (result,) = Session(with_coverage=True).results([folder])
    assert sum(test.passed for test in result.tests) == 1_000
    assert time.process_time() - began < 2


def test_watch_runs_again_when_the_model_changes(folder):
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [WRIT, "test", ".", "--watch"], cwd=folder, stdout=output, stderr=subprocess.STDOUT, env=environment()
        )
    try:
        _wait(lambda: log.read_text().count("waiting for a change") == 1)
        (folder / "model.yaml").write_text(MODEL.replace("value: draft", "value: final"))
        _wait(lambda: log.read_text().count("waiting for a change") == 2)
        assert "FAILED editors update drafts" in log.read_text()
        (folder / "model.yaml").write_text("model: 2")
        _wait(lambda: log.read_text().count("waiting for a change") == 3)
        assert "error[unknown-version]" in log.read_text()
        (folder / "good.test.yaml").unlink()
        _wait(lambda: log.read_text().count("waiting for a change") == 4)
        assert "has no tests" in log.read_text()
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait()


def _wait(condition):
    assert wait_until(condition)
