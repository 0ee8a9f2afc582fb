"""`writ diff --people` and `--fail-on`: who gains and who loses, in text and JSON, and the exit codes."""

import json
import subprocess

import pytest

from tests.support.command import writ

BEFORE = """\
model: 1
resource_types: [{id: chart, actions: [read, sign]}]
roles: [{id: nurse}, {id: doctor}]
groups:
  - {id: ward, members: [{type: user, id: ann}, {type: user, id: ruth}]}
  - {id: clinic, members: [{group: ward}]}
resources: [{type: chart, id: c1, attributes: {status: open}}, {type: chart, id: c2, attributes: {status: closed}}]
assignments:
  - {id: a1, role: nurse, group: ward}
  - {id: a2, role: doctor, subject: {type: user, id: bob}, expires_at: 2027-01-01T00:00:00Z}
policies:
  - id: read
    effect: ALLOW
    roles: [nurse, doctor]
    resource_types: [{resource_type_id: chart, actions: [read]}]
    conditions: {resource_attrs: [{key: status, op: eq, value: open}]}
  - {id: sign, effect: ALLOW, roles: [doctor], resource_types: [{resource_type_id: chart, actions: [sign]}]}
"""
WIDER = BEFORE.replace("op: eq, value: open", "op: in, value: [open, closed]")
NARROWER = BEFORE.replace("roles: [nurse, doctor]", "roles: [nurse]")
LONGER = BEFORE.replace(", expires_at: 2027-01-01T00:00:00Z", "")
RENAMED = BEFORE.replace("nurse", "carer").replace("id: sign,", "id: signing, priority: 3,")


@pytest.fixture
def before(tmp_path):
    (tmp_path / "before.yaml").write_text(BEFORE)
    return tmp_path / "before.yaml"


def people(before, text, *options):
    after = before.with_name("after.yaml")
    after.write_text(text)
    done = writ("diff", before, after, "--people", "--format", "json", *options)
    return done.returncode, json.loads(done.stdout)["people"]


def test_a_wider_condition_names_who_gains_what(before):
    code, found = people(before, WIDER)
    assert code == 1
    assert found["loses"] == found["unknown"] == []
    region, with_term = found["gains"]
    assert region == {
        "resource_type": "chart",
        "action": "read",
        "subjects": [{"type": "user", "id": "ann"}, {"type": "user", "id": "ruth"}],
        "subject_count": 2,
        "more": False,
        "others": False,
        "roles": ["nurse"],
        "when": ['the `status` of the resource is "closed"'],
        "resources": 1,
        "witness": region["witness"],
    }
    assert with_term["when"] == [*region["when"], "the service's clock is before 2027-01-01T00:00:00Z"]
    assert region["witness"]["resource"]["properties"] == {"status": "closed"}
    assert region["witness"]["context"]["time"]


def test_a_dropped_expiry_depends_on_the_clock(before):
    _, found = people(before, LONGER)
    assert [region["when"][0] for region in found["gains"]] == [
        "the service's clock is from 2027-01-01T00:00:00Z on",
    ] * 2
    assert {region["now"] for region in found["gains"]} == {"2027-01-01T00:00:00Z"}
    assert [region["subjects"] for region in found["gains"]] == [[{"type": "user", "id": "bob"}]] * 2


def test_a_renamed_role_and_another_priority_have_no_effect(before):
    code, found = people(before, RENAMED, "--fail-on", "any")
    assert (code, found["gains"], found["loses"], found["unknown"]) == (0, [], [], [])
    after = before.with_name("after.yaml")
    assert "no effect: nobody gains or loses anything" in writ("diff", before, after, "--people").stdout.decode()


def test_a_rename_is_named(before):
    after = before.with_name("after.yaml")
    after.write_text(RENAMED)
    text = writ("diff", before, after, "--people").stdout.decode()
    assert "the role `nurse` is renamed to `carer`, with all that refers to it" in text.splitlines()
    found = json.loads(writ("diff", before, after, "--format", "json").stdout)
    assert found["renames"] == [{"kind": "role", "from": "nurse", "to": "carer"}], "the policy has another priority too"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (
            BEFORE.replace("{id: nurse}", "{id: carer}").replace("role: nurse", "role: doctor").replace("nurse, ", ""),
            [],
        ),
        (BEFORE.replace("{id: nurse}", "{id: nurse}, {id: carer}"), []),
        (RENAMED.replace("clinic", "care").replace("{group: ward}", "{type: user, id: eve}"), ["role"]),
        (RENAMED.replace("clinic", "care"), ["role", "group"]),
    ],
)
def test_what_is_no_rename_is_not_called_one(before, text, kinds):
    after = before.with_name("after.yaml")
    after.write_text(text)
    found = json.loads(writ("diff", before, after, "--format", "json").stdout)
    assert [one["kind"] for one in found.get("renames", [])] == kinds


def test_reasons_of_denials_are_counted_apart(before):
    barred = BEFORE + "  - {id: none, effect: DENY, resource_types: [{resource_type_id: chart, actions: [sign]}]}\n"
    before.write_text(barred)
    after = barred.replace("id: none,", "id: none, except_roles: [nurse],")
    code, found = people(before, after, "--fail-on", "any")
    assert (code, found["gains"], found["loses"]) == (0, [], [])
    assert found["reasons"] == [{"resource_type": "chart", "action": "sign", "count": 1}]
    text = writ("diff", before, before.with_name("after.yaml"), "--people").stdout.decode()
    assert (
        "no effect: nobody gains or loses anything\nreasons of denials alone change in 1 case: `sign` on `chart` (1)"
        in text
    )


@pytest.mark.parametrize(
    ("text", "condition", "code"),
    [
        (WIDER, "widened", 1),
        (WIDER, "narrowed", 0),
        (WIDER, "any", 1),
        (NARROWER, "widened", 0),
        (NARROWER, "narrowed", 1),
        (WIDER, "people:clinic", 1),
        (NARROWER, "people:clinic", 0),
        (WIDER, "action:read", 1),
        (WIDER, "action:sign", 0),
        (WIDER, "people:nobody", 2),
        (WIDER, "action:fly", 2),
        (WIDER, "wider", 2),
        (WIDER, "people:", 2),
        (BEFORE, "any", 0),
    ],
)
def test_fail_on_decides_the_exit_code(before, text, condition, code):
    after = before.with_name("after.yaml")
    after.write_text(text)
    assert writ("diff", before, after, "--fail-on", condition).returncode == code


def test_several_conditions_count_each(before):
    after = before.with_name("after.yaml")
    after.write_text(WIDER)
    assert writ("diff", before, after, "--fail-on", "narrowed", "--fail-on", "action:read").returncode == 1


def test_a_rate_limit_is_not_known(before):
    limited = BEFORE.replace("{resource_attrs:", "{rate_limit: {limit: 5, window_seconds: 60}, resource_attrs:")
    code, found = people(before, limited, "--fail-on", "widened")
    assert code == 1
    assert found["unknown"] == [{"resource_type": "chart", "action": "read", "reason": "rate limit"}]


def test_bundles_and_revisions_are_compared_too(before, tmp_path):
    bundle = tmp_path / "before.bundle"
    assert writ("compile", before, "-o", bundle).returncode == 0
    after = tmp_path / "after.yaml"
    after.write_text(WIDER)
    found = json.loads(writ("diff", bundle, after, "--people", "--format", "json").stdout)["people"]
    assert [(region["subject_count"], region["resources"]) for region in found["gains"]] == [(2, None), (1, None)]
    for line in (
        ["init", "-q"],
        ["add", "before.yaml"],
        ["-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "a"],
    ):
        subprocess.run(["git", *line], cwd=tmp_path, check=True)
    done = writ("diff", "HEAD:before.yaml", after, "--people", "--format", "json", cwd=tmp_path)
    assert len(json.loads(done.stdout)["people"]["gains"]) == 2


def test_gains_come_first_in_the_text(before):
    after = before.with_name("after.yaml")
    after.write_text(WIDER.replace("roles: [doctor], resource", "roles: [nurse], resource"))
    lines = writ("diff", before, after, "--people").stdout.decode().splitlines()
    kinds = [line.split()[0] for line in lines if line.startswith(("gains", "loses"))]
    assert kinds == ["gains"] * 3 + ["loses"]
    assert lines[1] == "gains `read` on `chart`: user `ann` and user `ruth` (2 subjects)"
