"""`writ reconcile`: the grants of a running service become what a list says."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from writ.client import Client

from tests.support.command import writ
from tests.support.ports import free_port
from tests.support.server import KEY, Server, running

pytestmark = pytest.mark.service

MODEL = """\
model: 1
resource_types: [{id: document, actions: [read, update]}, {id: folder, actions: [read]}]
groups: [{id: eng}]
"""
CSV = """\
subject,group,resource,actions,expires_at
user:ann,,document:d1,read update,2099-01-01T00:00:00Z
,eng,document:d1,read,
user:ben,,"document:d,2",read,
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("reconciling")
    (folder / "model.yaml").write_text(MODEL)
    with running(folder / "data", "--import", str(folder / "model.yaml")) as started:
        yield started


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    """A client of the service, which has no grants at first."""
    with Client(server.url, token=KEY, timeout=10) as opened:
        for one in opened.grants.find():
            opened.grants.clear(one["resource"])
        yield opened


def reconcile(server: Server, text: str, *arguments: str, token: str = KEY) -> tuple[int, str, str]:
    done = writ("reconcile", "-", "--url", server.url, *arguments, stdin=text.encode(), settings={"WRIT_TOKEN": token})
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def lines(*grants: dict[str, Any]) -> str:
    return "".join(json.dumps(one) + "\n" for one in grants)


def shown(client: Client, **where: Any) -> list[str]:
    found = client.grants.find(**where)
    return sorted(
        f"{one['resource']['id']} {one.get('group') or one['subject']['id']} {'+'.join(one['actions'])}"
        for one in found
    )


def test_all_resources_of_a_type(server: Server, client: Client) -> None:
    client.grants.share({"type": "document", "id": "d1"}, ["read"], group="eng")
    client.grants.share({"type": "document", "id": "gone"}, ["read"], group="eng")
    client.grants.share({"type": "folder", "id": "f1"}, ["read"], group="eng")
    code, said, _ = reconcile(server, CSV, "--resource-type", "document", "--dry-run")
    assert (code, sorted(said.splitlines())) == (0, [
        "+ document:d,2: read for user:ben",
        "+ document:d1: read, update for user:ann until 2099-01-01T00:00:00Z",
        "- document:gone: read for group eng",
        "2 added, 1 removed, 1 unchanged",
    ])  # fmt: skip
    assert shown(client) == ["d1 eng read", "f1 eng read", "gone eng read"]
    assert reconcile(server, CSV, "--resource-type", "document")[:2] == (0, "2 added, 1 removed, 1 unchanged\n")
    assert shown(client) == ["d,2 ben read", "d1 ann read+update", "d1 eng read", "f1 eng read"]
    code, said, _ = reconcile(server, CSV, "--resource-type", "document", "--format", "json")
    assert (code, json.loads(said)) == (0, {"added": [], "removed": [], "unchanged": 3})


def test_one_resource(server: Server, client: Client, tmp_path: Path) -> None:
    """The list may leave the resource out. JSON has the members of a grant, as a list of them has."""
    document = {"type": "document", "id": "a:b"}
    client.grants.share({"type": "document", "id": "other"}, ["read"], group="eng")
    text = "\ufeff\n" + lines({"subject": "user:ann", "actions": ["read"]}, {"group": "eng", "actions": ["read"]})
    (tmp_path / "shares.jsonl").write_text(text)
    done = writ("reconcile", tmp_path / "shares.jsonl", "--url", server.url, "--resource", "document:a:b",
                "--format", "json", settings={"WRIT_TOKEN": KEY})  # fmt: skip
    made = json.loads(done.stdout)
    assert (done.returncode, len(made["added"]), made["removed"], made["unchanged"]) == (0, 2, [], 0)
    again = lines(*client.grants.find(resource=document))
    assert reconcile(server, again, "--resource", "document:a:b")[1] == "0 added, 0 removed, 2 unchanged\n"
    assert reconcile(server, "", "--resource", "document:a:b")[0] == 2
    assert (
        reconcile(server, "", "--resource", "document:a:b", "--allow-empty")[1] == "0 added, 2 removed, 0 unchanged\n"
    )
    assert shown(client) == ["other eng read"]


def test_faulty_lines_send_nothing(server: Server, client: Client) -> None:
    good = {"group": "eng", "resource": "document:d1", "actions": ["read"]}
    code, said, errors = reconcile(server, lines(good, {}, good), "--resource-type", "document")
    assert (code, said) == (1, "")
    assert errors == "-:2: a grant has either a `subject` or a `group`\n1 line with faults: nothing was sent\n"
    _, _, errors = reconcile(server, lines(good, *[{}] * 30), "--resource-type", "document")
    assert (errors.count("either"), errors.splitlines()[-1]) == (20, "30 lines with faults: nothing was sent")
    assert shown(client) == []


def test_a_refusal_names_the_line(server: Server, client: Client) -> None:
    """What the service alone can know."""
    good = [{"group": "eng", "resource": "document:d1", "actions": ["read"]}]
    for wrong, words in (({"actions": ["fly"]}, "fly"), ({"group": "nowhere"}, "nowhere")):
        text = lines(*good, good[0] | {"resource": "document:d2"} | wrong)
        for more in (["--dry-run"], []):
            code, said, errors = reconcile(server, text, "--resource-type", "document", *more)
            assert (code, said, errors.startswith("-:2: "), words in errors) == (1, "", True, True)
    code, _, errors = reconcile(server, lines({**good[0], "resource": "nothing:d"}), "--resource-type", "nothing")
    assert (code, "nothing" in errors) == (1, True)
    code, _, errors = reconcile(server, lines(*good), "--resource-type", "document", token="x" * 40)
    assert (code, errors.startswith("Refused: ")) == (1, True)
    code, _, errors = reconcile(server, lines(*good), "--resource-type", "document", "--env", "none")
    assert (code, "none" in errors) == (1, True)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--resource", "document"],
        ["--resource", "document:"],
        ["--resource", "document:d1", "--resource-type", "document"],
        ["--resource-type", "document", "--url", "x"],
        ["--resource-type", "document", "--url", f"http://127.0.0.1:{free_port()}"],
    ],
)
def test_wrong_usage(server: Server, arguments: list[str]) -> None:
    assert reconcile(server, CSV, *arguments)[0] == 2


def test_what_can_not_be_read(server: Server, tmp_path: Path) -> None:
    (tmp_path / "binary.csv").write_bytes(b"subject\xff\xfe")
    for name, words in (("binary.csv", b"is not text in UTF-8"), ("none.csv", b"no such file")):
        done = writ("reconcile", tmp_path / name, "--url", server.url, "--resource", "document:d1",
                    settings={"WRIT_TOKEN": KEY})  # fmt: skip
        assert (done.returncode, words in done.stderr) == (2, True)


def test_many_resources(server: Server, client: Client) -> None:
    """More than one page of the service's list."""
    many = [
        {"subject": f"user:u{one % 7}", "resource": f"document:d{one // 3}", "actions": ["read"]}
        for one in range(1_200)
    ]
    assert reconcile(server, lines(*many), "--resource-type", "document")[1] == "1200 added, 0 removed, 0 unchanged\n"
    assert (
        reconcile(server, lines(*many[300:]), "--resource-type", "document")[1]
        == "0 added, 300 removed, 900 unchanged\n"
    )
    assert len(client.grants.find(resource_type="document")) == 900
