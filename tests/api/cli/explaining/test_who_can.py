"""`writ who-can` shows who can do an action: from documents, a bundle, a store and a service."""

import json
from pathlib import Path
from typing import Any

import pytest
from writ.api.cli.demo import demo_sources
from writ.api.review.asking.who_can_answer import NO_SUBJECT
from writ.runtime.rules.reasons import NO_ACTION, NO_TYPE

from tests.api.conftest import MODEL
from tests.support.bundling import bundle_file
from tests.support.command import writ
from tests.support.hospital import equal, hospital, policy
from tests.support.server import KEY

NOW = "2027-01-15T08:00:00Z"
RELEASE = ("--action", "release", "--resource", "lab_result")

MIA_RELEASES = """\
Who can do `release` on any lab_result?
user `mia`
    by the role `lab_tech`
    if the IP address in the context is within 10.9.1.0/24
    and the `frozen` of the resource is missing, or has a value other than true
    and the `state` of the resource is missing, or has a value other than "draft"
    on 0 registered resources
    for example: May user `mia` do `release` on lab_result """


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "hospital.json").write_text(json.dumps(hospital()))
    return tmp_path / "hospital.json"


def asked(*arguments: str | Path, code: int = 0) -> str:
    done = writ("who-can", *arguments)
    assert (done.returncode, done.stderr) == (code, b""), done.stdout
    return done.stdout.decode()


def as_json(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
    return dict(json.loads(asked(*arguments, "--format", "json", code=code)))


def test_regions_are_sentences_with_what_is_left_open(model: Path) -> None:
    said = asked(model, *RELEASE, "--now", NOW)
    assert said.startswith(MIA_RELEASES)
    assert said.endswith(
        "left open, since the question does not send it: `context.ip`, `resource.frozen` and `resource.state`\n"
        f"assignments and grants count as of {NOW}\n"
    )


def test_a_rate_limit_is_an_if(model: Path) -> None:
    said = asked(model, "--action", "dispense", "--resource", "medication:m1", "--now", NOW)
    assert "user `per`\n    by the role `pharmacist`\n    if the rate limit is not reached\n" in said
    assert "left open, since the question does not send it: `resource.frozen` and `resource.recalled`\n" in said


def test_what_is_sent_is_no_condition(model: Path, tmp_path: Path) -> None:
    (tmp_path / "context.json").write_text('{"ip": "10.9.1.7"}')
    sent = ("--attribute", 'state="final"', "--attribute", "frozen=null", "--subject-type", "user")
    for context in ('{"ip": "10.9.1.7"}', str(tmp_path / "context.json")):
        said = asked(model, *RELEASE[:3], "lab_result:r1", *sent, "--context", context, "--now", NOW)
        assert said.splitlines()[:4] == [
            "Which subject of the type `user` can do `release` on lab_result `r1`?",
            "user `mia`",
            "    always",
            "    by the role `lab_tech`",
        ]
        assert "left open" not in said
    assert NO_SUBJECT in asked(model, *RELEASE, "--context", '{"ip": "192.0.2.1"}', code=1)


def test_an_attribute_of_the_action_counts(tmp_path: Path) -> None:
    few = policy("few", "", "chart", "print", action_attrs=[equal("copies", 3, "lte")])
    types = [{"id": "chart", "actions": ["print"]}]
    path = bundle_file({"resource_types": types, "policies": [few]}, tmp_path / "m.bundle")
    asks = (path, "--action", "print", "--resource", "chart")
    assert as_json(*asks)["left_open"] == ["action.copies"]
    assert as_json(*asks, "--action-attribute", "copies=2")["left_open"] == []
    assert as_json(*asks, "--action-attribute", "copies=4", code=1)["regions"] == []


@pytest.mark.parametrize(
    ("action", "type", "reason"),
    [("burn", "chart", NO_ACTION), ("read", "attic", NO_TYPE)],
)
def test_none_has_a_reason_and_exit_code_1(model: Path, action: str, type: str, reason: str) -> None:
    ask = (model, "--action", action, "--resource", type)
    assert f"none: {reason}\n" in asked(*ask, code=1)
    assert as_json(*ask, code=1)["reason"] == reason


REPORTS = """\
extensions references
type rpt "report"
    actions read, approve
    attributes status string one of ["draft", "submitted"], amount number
declare subject user limit number
declare context mfa boolean
role checker
assign checker to user ann
policy p allow checker to approve rpt when resource.status is "submitted"
"""
NO_VALUE = "`status` of the resource type `report` has no declared value like the string `submited`"
SLIPS = [
    (["approve", "rpt"], f"{NO_TYPE}: requests name this type `report`"),
    (["approve", "reprot"], f"{NO_TYPE}: did you mean `report`?"),
    (["aprove", "report"], f"{NO_ACTION}: did you mean `approve`?"),
    (
        ["approve", "report", "--attribute", 'staus="submitted"'],
        "the resource type `report` declares no attribute `staus`: did you mean `status`?",
    ),
    (
        ["approve", "report", "--attribute", "status=submited"],
        f"{NO_VALUE}: did you mean `submitted`?",
    ),
    (
        ["approve", "report", "--context", '{"mfaa": true}'],
        "the context declares no attribute `mfaa`: did you mean `mfa`?",
    ),
    (["approve", "report", "--subject-type", "usr"], "the model knows no subject type `usr`: did you mean `user`?"),
]


@pytest.mark.parametrize(("ask", "reason"), SLIPS)
def test_a_slip_of_the_pen_is_told_with_what_is_meant(tmp_path: Path, ask: list[str], reason: str) -> None:
    (tmp_path / "m.writ").write_text(REPORTS)
    action, type, *more = ask
    found = as_json(tmp_path, "--action", action, "--resource", type, *more, code=1)
    assert (found["regions"], found["unknown"], found["reason"]) == ([], [], reason)


def test_a_plain_word_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "m.writ").write_text(REPORTS)
    ask = (tmp_path, "--action", "approve", "--resource", "report", "--attribute")
    assert as_json(*ask, "status=submitted")["regions"] == as_json(*ask, 'status="submitted"')["regions"] != []
    for mistyped in ("ture", "True", "no", "nul", "[1", "a b", ""):
        done = writ("who-can", *ask, f"status={mistyped}")
        assert (done.returncode, b"neither JSON nor a plain word" in done.stderr) == (2, True), mistyped


def test_registered_attributes_need_the_documents(model: Path, tmp_path: Path) -> None:
    write = ("--action", "write", "--resource", "chart:c1")
    assert "resource.status" in as_json(model, *write)["left_open"]
    assert "resource.status" not in as_json(model, *write, "--registered")["left_open"]
    bundle = bundle_file(hospital(), tmp_path / "hospital.bundle")
    done = writ("who-can", bundle, *write, "--registered")
    assert (done.returncode, b"needs the documents" in done.stderr) == (2, True)


def test_a_bundle_and_a_store_say_the_same(model: Path, tmp_path: Path) -> None:
    bundle = bundle_file(hospital(), tmp_path / "hospital.bundle")
    assert writ("import", model, "--data", tmp_path / "data", "--env", "ward", "--create").returncode == 0
    said = asked(model, *RELEASE, "--now", NOW)
    assert asked(tmp_path / "data", "--env", "ward", *RELEASE, "--now", NOW) == said
    assert asked(bundle, *RELEASE, "--now", NOW) == said.replace("    on 0 registered resources\n", "")


def test_a_service(server: Any, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps({"model": 1} | MODEL))
    ask = ("--action", "read", "--resource", "document:d1")
    done = writ("who-can", "--url", server.url, *ask, settings={"WRIT_TOKEN": KEY})
    assert done.returncode == 0, done.stderr
    served, local = done.stdout.decode().splitlines(), asked(tmp_path / "model.json", *ask).splitlines()
    assert served[:-1] == local[:-1], "but for the instant"
    assert "user `alice`" in done.stdout.decode()
    none = writ("who-can", "--url", server.url, "--env", "none", *ask, settings={"WRIT_TOKEN": KEY})
    assert (none.returncode, b"(404)" in none.stderr) == (2, True)


def test_the_demo(tmp_path: Path) -> None:
    for name, data in demo_sources():
        (tmp_path / name).write_bytes(data)
    found = as_json(tmp_path, "--action", "sign", "--resource", "contract")
    (region,) = [one for one in found["regions"] if one["roles"] == ["contract-manager"]]
    assert region["subject_count"] == 11
    assert {"resource.approvals", "resource.value"} <= {*found["left_open"]}
    said = asked(tmp_path, "--action", "sign", "--resource", "contract")
    assert "user `aiko.nakamura`, " in said
    assert "1 more (11 subjects)" in said


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["hospital.json", "--url", "http://127.0.0.1:1"],
        ["--url", "http://127.0.0.1:1", "--now", "0"],
        ["hospital.json", "--token-file", "x"],
        ["none.json"],
        ["hospital.json", "--attribute", "status=ture"],
        ["hospital.json", "--attribute", 'a=1, "b": 2'],
        ["hospital.json", "--attribute", "status"],
        ["hospital.json", "--attribute", "a=1", "--attribute", "a=2"],
        ["hospital.json", "--context", "none.json"],
        ["hospital.json", "--context", "{"],
        ["hospital.json", "--resource", "chart:"],
        ["hospital.json", "--action", ""],
    ],
)
def test_wrong_usage_is_exit_code_2(model: Path, arguments: list[str]) -> None:
    done = writ("who-can", *RELEASE, *arguments, cwd=model.parent, settings={"WRIT_TOKEN": "t"})
    assert done.returncode == 2, done.stdout
    assert done.stderr
    assert b"Traceback" not in done.stderr


def test_a_name_can_not_change_the_terminal(model: Path) -> None:
    done = writ("who-can", model, "--action", "read", "--resource", "chart:\x1b[2J")
    assert b"\x1b" not in done.stdout
