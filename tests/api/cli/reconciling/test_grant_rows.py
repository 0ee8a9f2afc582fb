"""Lists of grants: what is read, and where each fault is."""

import json
from typing import Any

import pytest
from writ.api.cli.reconciling import grant_rows
from writ.api.cli.reconciling.grant_rows import Row, read_grants

ALL = ("document", None)
ANN = {"type": "user", "id": "ann"}
GOOD = json.dumps({"group": "eng", "resource": "document:d1", "actions": ["read"]})
LINES: list[tuple[Any, str]] = [
    ("{", "the line is not JSON"),
    ("[" * 100_000, "the line is not JSON"),
    ("[]", "the line is no JSON object"),
    ({"subject": "user:a", "actions": ["read"]}, "needs its `resource`"),
    ({"resource": "document:d", "actions": ["read"]}, "either a `subject` or a `group`"),
    ({"subject": "user:a", "group": "eng", "resource": "document:d", "actions": ["read"]}, "either a `subject`"),
    ({"subject": "ann", "resource": "document:d", "actions": ["read"]}, "`subject` is `TYPE:ID`"),
    ({"subject": {"type": "user"}, "resource": "document:d", "actions": ["read"]}, "`subject` is `TYPE:ID`"),
    ({"group": "", "resource": "document:d", "actions": ["read"]}, "`group` has a text that is empty"),
    ({"subject": "user:a", "resource": "folder:d", "actions": ["read"]}, "is not of the type `document`"),
    ({"subject": "user:a", "resource": "document:d", "actions": []}, "has some `actions`"),
    ({"subject": "user:a", "resource": "document:d", "actions": "read"}, "has some `actions`"),
    ({"subject": "user:a", "resource": "document:d", "actions": [1]}, "`actions` has a text"),
    ({"subject": "user:a", "resource": "document:d", "actions": ["read"], "expires_at": "soon"}, "is an instant"),
    ({"subject": "user:a", "resource": "document:d", "actions": ["read"], "role": "x"}, "`role` is not a member"),
]


@pytest.mark.parametrize(("line", "fault"), LINES, ids=range(len(LINES)))
def test_a_faulty_line(line: Any, fault: str) -> None:
    found = read_grants([GOOD, "\n", line if isinstance(line, str) else json.dumps(line), GOOD], ALL)
    ((number, message),) = found.faults
    assert (number, fault in message) == (3, True), message
    assert [row.line for row in found.rows["document", "d1"]] == [1, 4]


def test_csv_and_json_lines_say_the_same() -> None:
    term = {"starts_at": "2030-01-01T00:00:00Z", "expires_at": "2031-01-01T00:00:00Z"}
    text = json.dumps({"id": "g1", "subject": ANN, "resource": {"type": "document", "id": "a:b"},
                       "actions": ["read", "update"], **term, "group": None})  # fmt: skip
    table = ["\n", "resource, subject,group,actions,starts_at,expires_at\n", "\n",
             '"document:a:b",user:ann, ,read  update,2030-01-01T00:00:00Z,2031-01-01T00:00:00Z\n']  # fmt: skip
    grant = {"actions": ["read", "update"], "subject": ANN, **term}
    assert read_grants([text], ALL).rows == {("document", "a:b"): [Row(grant, 1)]}
    assert read_grants(table, ALL).rows == {("document", "a:b"): [Row(grant, 4)]}


def test_one_resource_need_not_be_named() -> None:
    found = read_grants(["group,actions,resource\n", "eng,read\n", "eng,read,document:d2\n"], ("document", "d1"))
    assert list(found.rows) == [("document", "d1")]
    assert [(line, "`document:d1`" in message) for line, message in found.faults] == [(3, True)]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (["no,columns"], "is not one of"),
        (["subject,subject"], "is not one of"),
        (["subject,resource,actions\n", 'user:a,"document:d'], "line 2 is not CSV"),
    ],
)
def test_what_is_no_list(text: list[str], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        read_grants(text, ALL)


def test_too_many_values_in_a_line() -> None:
    found = read_grants(["group,resource,actions\n", "eng,document:d,read,more\n"], ALL)
    assert found.faults == [(2, "the line has 4 values, and there are 3 columns")]


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grant_rows, "MOST_ROWS", 2)
    monkeypatch.setattr(grant_rows, "MOST_CHARACTERS", len(GOOD))
    assert read_grants([GOOD, GOOD + " "], ALL).faults == [(2, f"the line has more than {len(GOOD)} characters")]
    with pytest.raises(ValueError, match="more than 2 grants"):
        read_grants([GOOD] * 3, ALL)


def test_nothing() -> None:
    assert read_grants([], ALL).rows == read_grants(["\n", " \n"], ALL).rows == {}
