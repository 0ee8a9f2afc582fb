"""`writ environments`, `promote`, `drift` and `rollback`: the same answers from a store and from a service."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import writ
from tests.support.server import KEY, Server, running

pytestmark = pytest.mark.service

MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read", "update"]}],
    "roles": [{"id": "editor"}],
    "policies": [
        {
            "id": "p1",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("server") / "data") as started:
        yield started


class Place:
    """Where the commands work: a store, or a service."""

    def __init__(self, folder: Path, server: Server | None) -> None:
        self._folder = folder
        if server is None:
            self._where, self._settings = ["--data", str(folder / "data")], dict[str, str]()
            self.put(MODEL, "default")
        else:
            self._where, self._settings = ["--url", server.url], {"WRIT_TOKEN": KEY}
        self._server = server
        for env in ("staging", "prod"):
            self.run("environments", "change", env, "--editable", "--approvals", "0")
            self.run("environments", "delete", env)
            assert self.run("environments", "create", env)[0] == 0
        self.put(MODEL, "staging")

    def run(self, *arguments: str, settings: Mapping[str, str] | None = None) -> tuple[int, str, str]:
        """Returns exit code, output and messages of a command."""
        done = writ(*arguments, *self._where, settings=self._settings if settings is None else settings)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def json(self, *arguments: str) -> Any:
        code, output, said = self.run(*arguments, "--format", "json")
        assert code == 0, said
        return json.loads(output)

    def put(self, model: dict[str, Any], env: str) -> None:
        if self._where[0] == "--url":
            assert self._server is not None
            with self._server.client() as client:
                assert client.put(f"/v1/environments/{env}/model", json=model).status_code == 200
        else:
            self.file(model)
            done = writ("import", self._folder / "model.json", *self._where, "--env", env, "--create")
            assert done.returncode == 0, done.stderr

    def file(self, model: dict[str, Any]) -> str:
        path = self._folder / "model.json"
        path.write_text(json.dumps(model))
        return str(path)


@pytest.fixture(params=["store", "service"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return Place(tmp_path, request.getfixturevalue("server") if request.param == "service" else None)


def changed(**members: Any) -> dict[str, Any]:
    """The model with a changed policy."""
    return MODEL | {"policies": [MODEL["policies"][0] | members]}


def test_a_release_from_preview_to_rollback(place: Place) -> None:
    code, output, _ = place.run("promote", "--from", "staging", "--to", "prod", "--dry-run")
    assert code == 0
    lines = output.splitlines()
    assert lines[0] == "staging (revision 1) → prod"
    assert {"policies: 1 added", "+ policy p1"} <= set(lines)
    digest = place.json("promote", "--from", "staging", "--to", "prod", "--dry-run")["digest"]
    assert lines[-1] == f"digest {digest}"
    first = place.json("promote", "--from", "staging", "--to", "prod", "--note", "first", "--expect-digest", digest)
    assert (first["status"], first["note"], first["digest"]) == ("done", "first", digest)
    place.put(changed(priority=4), "staging")
    code, output, _ = place.run("promote", "--from", "staging", "--to", "prod", "--dry-run", "--format", "markdown")
    assert output.splitlines()[:2] == ["#### staging (revision 2) → prod", ""]
    assert "    +     priority 4" in output.splitlines()
    code, _, said = place.run("promote", "--from", "staging", "--to", "prod", "--expect-digest", digest)
    assert (code, said.startswith("Refused: the result would have the digest")) == (1, True)
    assert place.json("promote", "--from", "staging", "--to", "prod")["revision"] == 2
    done = place.json("rollback", "1", "--env", "prod")
    assert (done["kind"], done["digest"], done["revision"]) == ("restoration", digest, 3)
    assert place.run("rollback", "77", "--env", "prod")[0] == 2


def test_a_preview_hides_nothing_that_a_reviewer_must_see(place: Place) -> None:
    def long(last: str) -> dict[str, Any]:
        values = [f"value {one}" for one in range(100)]
        return {"resource_attrs": [{"key": "k", "op": "in", "value": [*values, last]}]}

    place.put(changed(conditions=long("one")), "staging")
    _, added, _ = place.run("promote", "--from", "staging", "--to", "prod", "--dry-run")
    at = added.splitlines().index("+ policy p1")
    assert added.splitlines()[at + 1].startswith("+     allow editor to ")
    assert all(f'"value {one}"' in added for one in range(100)), "what comes is shown in full"
    place.run("promote", "--from", "staging", "--to", "prod")
    place.put(changed(conditions=long("two")), "staging")
    _, edited, _ = place.run("promote", "--from", "staging", "--to", "prod", "--dry-run")
    signed = [line for line in edited.splitlines() if line.startswith(("- ", "+ "))]
    assert [line.split() for line in signed] == [["-", '"one"]'], ["+", '"two"]']]
    assert any("lines stay" in line for line in edited.splitlines())


def test_drift_is_shown_and_stops_a_promotion(place: Place) -> None:
    place.json("promote", "--from", "staging", "--to", "prod")
    assert place.run("drift", "--env", "prod")[:2] == (0, "prod has not drifted\n")
    assert place.run("drift", place.file(MODEL), "--env", "prod")[0] == 0
    place.put(changed(enabled=False), "prod")
    code, output, _ = place.run("drift", "--env", "prod")
    assert (code, output.splitlines()[0]) == (1, "prod has drifted")
    assert "+     disabled" in output.splitlines()
    code, output, _ = place.run("drift", place.file(MODEL), "--env", "prod", "--format", "json")
    assert (code, json.loads(output)) == (
        1,
        {"drifted": True, "changes": [{"kind": "policies", "id": "p1", "change": "changed"}]},
    )
    code, _, said = place.run("promote", "--from", "staging", "--to", "prod")
    assert code == 1
    assert "was edited in place" in said
    assert "policy p1: changed by " in said
    assert place.json("promote", "--from", "staging", "--to", "prod", "--accept-drift")["status"] == "done"


def test_what_still_uses_a_role_is_named(place: Place) -> None:
    holder = {"id": "a1", "role": "editor", "subject": {"type": "user", "id": "mia"}}
    place.json("promote", "--from", "staging", "--to", "prod")
    place.put(MODEL | {"assignments": [holder]}, "prod")
    place.put({"model": 1}, "staging")
    code, _, said = place.run("promote", "--from", "staging", "--to", "prod")
    assert code == 1
    assert "which `assign editor to user mia as a1` still uses" in said


def test_a_promotion_that_waits_is_told_and_rejected(place: Place) -> None:
    assert place.run("environments", "change", "prod", "--approvals", "1", "--promotion-only")[0] == 0
    code, output, _ = place.run("promote", "--from", "staging", "--to", "prod")
    assert code == 0
    people, waits, remedy, *_ = output.splitlines()
    id = waits.rpartition(": ")[2]
    assert people == "no effect: nobody gains or loses anything"
    assert remedy.endswith(f"writ promote --to prod --approve {id}")
    code, told, said = place.run("promote", "--to", "prod", "--approve", id)
    assert (code, "another credential must approve" in said) == (2, True)
    assert "+ policy p1\n+     allow editor to read document\n" in told, "the approver sees the exact changes"
    code, output, _ = place.run("promote", "--to", "prod", "--reject", id)
    assert (code, output.splitlines()[0]) == (0, f"staging (revision 1) → prod is rejected: {id}")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--approve", "ID", "--dry-run"),
        ("--reject", "ID", "--dry-run"),
        ("--approve", "ID", "--accept-drift"),
        ("--approve", "ID", "--note", "n"),
        ("--reject", "ID", "--expect-digest", "0" * 64),
    ],
)
def test_a_decision_takes_no_option_that_it_would_not_heed(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    place = Place(tmp_path, None)
    place.run("environments", "change", "prod", "--approvals", "1")
    waiting = place.json("promote", "--from", "staging", "--to", "prod")
    code, _, said = place.run("promote", "--to", "prod", *(waiting["id"] if one == "ID" else one for one in arguments))
    assert (code, "go with" in said or "goes with" in said) == (2, True), said


def test_environments_are_made_changed_listed_and_deleted(place: Place) -> None:
    code, output, _ = place.run("environments", "change", "staging", "--description", "For tries", "--protected")
    assert (code, json.loads(output)["description"]) == (0, "For tries")
    assert place.run("environments", "delete", "staging")[0] == 1
    code, output, _ = place.run("environments")
    assert [json.loads(line)["id"] for line in output.splitlines()] == ["default", "prod", "staging"]
    assert place.run("environments", "change", "staging", "--unprotected")[0] == 0
    assert place.run("environments", "delete", "staging")[0] == 0
    assert place.run("environments", "delete", "staging")[0] == 2
    assert place.run("environments", "create", "a/b")[0] == 2
    assert place.run("environments", "create", "prod")[0] == 1


def test_without_a_place_or_a_token_the_command_says_what_is_missing(server: Server, tmp_path: Path) -> None:
    ask = ("drift", "--url", server.url)
    done = writ(*ask, settings={"WRIT_TOKEN": ""})
    assert (done.returncode, b"set WRIT_TOKEN" in done.stderr) == (2, True)
    done = writ(*ask, settings={"WRIT_TOKEN": "x" * 40})
    assert (done.returncode, b"401" in done.stderr) == (2, True)
    done = writ("drift", "--url", "http://127.0.0.1:1", settings={"WRIT_TOKEN": KEY})
    assert (done.returncode, b"can't be reached" in done.stderr, b"Traceback" in done.stderr) == (2, True, False)
    done = writ("drift", "--data", tmp_path / "nothing")
    assert (done.returncode, b"has no store" in done.stderr) == (2, True)
    token = tmp_path / "token"
    token.write_text(f"{KEY}\n")
    assert writ(*ask, "--token-file", token).returncode == 0
    assert writ(*ask, "--data", tmp_path).returncode == 2
    assert writ("promote", "--to", "prod", *ask[1:]).returncode == 2


def test_import_into_an_environment_that_changes_by_promotion_only_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path, None)
    place.run("environments", "change", "prod", "--promotion-only")
    done = writ("import", place.file(MODEL), "--data", tmp_path / "data", "--env", "prod")
    assert (done.returncode, b"by promotion only" in done.stderr, b"Traceback" in done.stderr) == (2, True, False)


def test_a_renamed_role_takes_its_assignments_along(place: Place) -> None:
    place.json("promote", "--from", "staging", "--to", "prod")
    holder = {"role": "editor", "subject": {"type": "user", "id": "mia"}}
    place.put(MODEL | {"assignments": [holder]}, "prod")
    place.put(json.loads(json.dumps(MODEL).replace('"editor"', '"author"')), "staging")
    assert place.run("promote", "--from", "staging", "--to", "prod")[0] == 1
    asked = ("promote", "--from", "staging", "--to", "prod", "--rename-role", "editor", "author")
    code, output, _ = place.run(*asked, "--dry-run")
    assert (code, "role `editor` becomes `author`: its assignments are carried over" in output) == (0, True)
    assert "\n- assign editor to user mia\n+ assign author to user mia\n" in output
    assert place.json(*asked)["renames"] == [{"from": "editor", "to": "author"}]
    assert place.run("promote", "--to", "prod", "--reject", "x", "--rename-role", "a", "b")[0] == 2


def test_a_preview_counts_failing_tests_by_what_is_wrong(server: Server, tmp_path: Path) -> None:
    place = Place(tmp_path, server)
    asked = {"subject": {"type": "user", "id": "ann"}, "resource": {"type": "document", "id": "d1"}}
    asked["action"] = {"name": "read"}
    expected = [("reason", {"decision": False, "reason_code": "ALLOWED"}), ("flip", {"decision": True})]
    tests = [{"name": name, "request": asked, "expect": expect} for name, expect in expected]
    with server.client() as client:
        assert client.post("/v1/environments/prod/tests", json={"id": "t", "tests": tests}).status_code == 201
    _, output, _ = place.run("promote", "--from", "staging", "--to", "prod", "--dry-run")
    at = output.splitlines().index(
        "stored tests: 0 pass, 2 fail (1 now denied, 1 with another reason alone), 0 not run"
    )
    assert output.splitlines()[at + 1 : at + 3] == ["  fails: t: flip", "  fails: t: reason"]
