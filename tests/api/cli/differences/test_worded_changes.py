"""What a reviewer reads of a change: lines in the language, facts as sentences, nothing where nothing changes."""

import json
import re

import pytest

from tests.support.command import writ
from tests.support.pages import page

MODEL = """\
type record
    actions read, dispense

role doctor
role nurse

group icu
    members user ann, user bob

assign doctor to user eve
assign nurse to group icu until 2027-01-01T00:00:00Z

policy dispense "Doctors dispense"
    description "Doctors dispense."
    priority 10
    allow doctor to dispense record
    when resource.ward in ["a", "b"]
    from 10.0.0.0/8
    at most 5 times in 1 hour

policy vip
    priority 20
    deny everyone to read record
    when resource.vip is true

grant read on record r1 to user zoe
"""
UNTIL = " until 2027-01-01T00:00:00Z"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")


@pytest.fixture
def told(tmp_path):
    """What `writ diff` says of a change of the model: the lines with a sign."""

    def told(*replacements, form="text"):
        new = MODEL
        for before, after in replacements:
            assert before in new
            new = new.replace(before, after)
        (tmp_path / "old.writ").write_text(MODEL)
        (tmp_path / "new.writ").write_text(new)
        done = writ("diff", "old.writ", "new.writ", "--format", form, cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr
        if form == "json":
            return json.loads(done.stdout)
        text = done.stdout.decode()
        assert not UUID.search(text)
        lines = [line for line in text.splitlines() if line.startswith(("- ", "+ "))]
        assert bool(done.returncode) is bool(lines)
        return lines

    return told


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ('"b"]', '"b", "c"]', ['-when resource.ward in ["a", "b"]', '+when resource.ward in ["a", "b", "c"]']),
        ("priority 20\n    deny", "priority 5\n    deny", ["-priority 20", "+priority 5"]),
        ("deny everyone", "allow everyone", ["-deny everyone to read record", "+allow everyone to read record"]),
        ("role nurse\n", "role nurse\nassign doctor to group icu\n", ["+assign doctor to group icu"]),
        (UNTIL, "", [f"-assign nurse to group icu{UNTIL}", "+assign nurse to group icu"]),
        ("10.0.0.0/8", "10.0.0.0/7", ["-from 10.0.0.0/8", "+from 10.0.0.0/7"]),
        ("at most 5", "at most 50", ["-at most 5 times in 1 hour", "+at most 50 times in 1 hour"]),
        ("pense\n\n", "pense, export\n\n", ["-actions read, dispense", "+actions read, dispense, export"]),
        ("read, dispense\n", "read, dispense\n    closed\n", ["+closed"]),
        ('se."', 'se, too."', ['-description "Doctors dispense."', '+description "Doctors dispense, too."']),
        ("user ann, ", "group all, ", ["-members user ann, user bob", "+members group all, user bob"]),
        ("grant read on record r1 to user zoe\n", "", ["-grant read on record r1 to user zoe"]),
    ],
)
def test_a_change_is_its_lines(told, before, after, lines):
    extra = ("role nurse\n", "role nurse\ngroup all\n")
    found = told((before, after), *([extra] if "group all" in after else []))
    assert [f"{line[0]}{line[1:].strip()}" for line in found if line != "+ group all"] == lines


def test_a_removed_policy_is_shown_in_full(told):
    start = MODEL.index("policy vip")
    policy = MODEL[start : MODEL.index("\ngrant read")]
    assert told((policy, "")) == [f"- {line}" for line in policy.splitlines()]


def test_comments_and_orders_show_nothing(told):
    start, end = MODEL.index("policy dispense"), MODEL.index("policy vip")
    first, second = MODEL[start:end], MODEL[end : MODEL.index("grant read")]
    assert told((first + second, f"# in another order\n{second}{first}")) == []
    assert (
        told(
            ("user ann, user bob", "user bob, user ann"),
            ('["a", "b"]', '["b", "a"]'),
            ("read, dispense", "dispense, read"),
        )
        == []
    )


def test_json_has_the_lines(told):
    found = told((UNTIL, ""), form="json")
    assert found["changes"] == {"assignments": {"added": 1, "changed": 0, "removed": 1}}
    assert [one["text"] for one in found["elements"]] == [
        [f"- assign nurse to group icu{UNTIL}"],
        ["+ assign nurse to group icu"],
    ]


def test_a_fact_under_another_made_id_is_the_same(tmp_path):
    """A service keeps the id of an assignment whose end was changed; a document makes it from the content."""
    stated = MODEL.replace(
        "assign doctor to user eve", "assign doctor to user eve as 0b9f7a52-9a7e-4c8c-9f0b-7d9f6a3f6f11"
    )
    (tmp_path / "old.writ").write_text(MODEL)
    (tmp_path / "new.writ").write_text(stated)
    assert writ("diff", "old.writ", "new.writ", cwd=tmp_path).returncode == 0
    (tmp_path / "new.writ").write_text(stated.replace("0b9f7a52-9a7e-4c8c-9f0b-7d9f6a3f6f11", "eve"))
    assert writ("diff", "old.writ", "new.writ", cwd=tmp_path).returncode == 1


def test_an_answer_by_a_direct_grant_names_it(tmp_path):
    (tmp_path / "old.writ").write_text(MODEL)
    (tmp_path / "new.writ").write_text(MODEL.replace("grant read on record r1 to user zoe\n", ""))
    (tmp_path / "x.test.yaml").write_text(
        "tests:\n  - name: zoe\n    expect: {decision: true}\n"
        "    request: {subject: {type: user, id: zoe}, action: {name: read}, resource: {type: record, id: r1}}\n"
    )
    text = writ("diff", "old.writ", "new.writ", "--tests", "x.test.yaml", cwd=tmp_path).stdout.decode()
    assert "allowed by `grant read on record r1 to user zoe` → denied" in text
    assert not UUID.search(text)


PAGE_MODEL = """\
type drug
    actions dispense

role nurse

group icu

assign nurse to group icu until 2027-01-01T00:00:00Z

policy dispense "Nurses dispense"
    priority 10
    allow nurse to dispense drug
"""


def test_the_page_shows_what_is_printed(tmp_path):
    _, _, shown, *_ = (one.text for one in page("api/TESTING.md").blocks if one.language == "text" and not one.mark)
    (tmp_path / "old.writ").write_text(PAGE_MODEL)
    (tmp_path / "new.writ").write_text(PAGE_MODEL.replace(UNTIL, "").replace("priority 10", "priority 5"))
    assert writ("diff", "old.writ", "new.writ", cwd=tmp_path).stdout.decode() == f"old.writ → new.writ\n{shown}"
