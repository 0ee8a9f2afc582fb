"""What applications write through a client: grants, members and entities, and the revisions of these writes."""

import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import writ
from writ.client import Changes, Client, Refused

from tests.api.client.client.conftest import Asker, Opened
from tests.api.conftest import ALLOWED
from tests.support.decision_point import DecisionPoint, answers, drops
from tests.support.server import KEY, Server, running

PEOPLE = [{"type": "user", "id": name} for name in ("ann", "ben", "cleo")]
ANN, BEN, CLEO = PEOPLE
UUID = "0b8f6d3a-1c52-4f0e-9a57-6f3d2a1b4c5d"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, model_file: Path) -> Iterator[Server]:
    """A service that these tests change."""
    with running(tmp_path_factory.mktemp("managing") / "data", "--import", str(model_file)) as server:
        with server.client() as http:
            for group in ("team", "inner"):
                http.post("/v1/environments/default/groups", json={"id": group}).raise_for_status()
            http.post("/v1/environments", json={"id": "staging"}).raise_for_status()
        yield server


@pytest.fixture
def asker(opened: Opened, service: Server) -> Asker:
    return opened(service.url, token=KEY, timeout=10)


@pytest.fixture
def document(request: pytest.FixtureRequest) -> dict[str, str]:
    """A resource that no other test shares."""
    return {"type": "document", "id": request.node.name}


def contents(grants: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The grants without their ids."""
    return [{name: value for name, value in one.items() if name != "id"} for one in grants]


def test_share_and_unshare(asker: Asker, document: dict[str, str]) -> None:
    made: Changes = asker.call("grants.share", document, ["read", "delete"], subject=ANN)
    assert contents(made.added) == [{"subject": ANN, "resource": document, "actions": ["delete", "read"]}]
    assert made.revision == asker.client.revision
    assert asker.call("allowed", "user", "ann", "delete", "document", document["id"])
    again: Changes = asker.call("grants.share", document, ["delete", "read"], subject=ANN)
    assert (again.added, again.unchanged) == ([], 1)
    taken: Changes = asker.call("grants.unshare", document, ["delete"], subject=ANN)
    assert [one["actions"] for one in taken.added] == [["read"]]
    assert [one["actions"] for one in taken.removed] == [["delete", "read"]]
    assert asker.call("allowed", "user", "ann", "read", "document", document["id"])
    assert not asker.call("allowed", "user", "ann", "delete", "document", document["id"])
    assert asker.call("grants.unshare", document, subject=ANN).added == []
    assert asker.call("grants.find", resource=document) == []
    assert asker.call("grants.unshare", document, subject=ANN) == Changes()


def test_a_subject_and_a_resource_of_a_request_name_a_grant(asker: Asker, document: dict[str, str]) -> None:
    """Attributes are no part of a grant, so one function of an application makes both."""
    resource, subject = document | {"properties": {"team": "a"}}, ANN | {"properties": {"tenant": "b"}}
    made: Changes = asker.call("grants.share", resource, ["read"], subject=subject)
    assert contents(made.added) == [{"subject": ANN, "resource": document, "actions": ["read"]}]
    assert len(asker.call("grants.unshare", resource, subject=subject).removed) == 1


def test_share_for_some_time_and_with_a_group(asker: Asker, document: dict[str, str]) -> None:
    until = datetime(2100, 1, 2, tzinfo=UTC)
    asker.call("grants.share", document, ["read"], group="team", expires_at=until)
    (found,) = asker.call("grants.find", resource=document, group="team")
    assert datetime.fromisoformat(found["expires_at"]) == until
    wanted = [{"group": "team", "actions": ["read"], "expires_at": "2100-01-02T01:00:00+01:00"}]
    assert asker.call("grants.reconcile", document, wanted) == Changes(unchanged=1)


def test_reconcile_sets_all_grants_of_a_resource(asker: Asker, document: dict[str, str]) -> None:
    other = {"type": "document", "id": document["id"] + "-other"}
    for one in (document, other):
        asker.call("grants.share", one, ["read"], subject=ANN)
    asker.call("grants.share", document, ["read"], subject=BEN)
    wanted = [{"subject": ANN, "actions": ["read"]}, {"subject": BEN, "actions": ["read", "update"]},
              {"group": "team", "actions": iter(["read"])}]  # fmt: skip
    tried: Changes = asker.call(
        "grants.reconcile", document, [*wanted[:2], {**wanted[2], "actions": ["read"]}], dry_run=True
    )
    assert (len(tried.added), len(tried.removed), tried.unchanged, tried.revision) == (2, 1, 1, None)
    assert len(asker.call("grants.find", resource=document)) == 2
    made: Changes = asker.call("grants.reconcile", document, wanted)
    assert contents(made.added) == contents(tried.added)
    assert made.removed == tried.removed
    assert made.revision == asker.client.revision
    held = asker.call("grants.find", resource=document)
    assert sorted(str(one.get("subject", one.get("group"))) for one in held) == sorted([str(ANN), str(BEN), "team"])
    assert len(asker.call("grants.find", resource=other)) == 1
    assert len(asker.call("grants.reconcile", document, []).removed) == 3


def test_reconcile_many(asker: Asker, document: dict[str, str]) -> None:
    """More grants than one write or one page takes."""
    wanted = [{"subject": {"type": "user", "id": f"u{number}"}, "actions": ["read"]} for number in range(1_203)]
    assert len(asker.call("grants.reconcile", document, wanted).added) == 1_203
    made: Changes = asker.call("grants.reconcile", document, wanted[3:])
    assert (made.added, len(made.removed), made.unchanged) == ([], 3, 1_200)


def test_of_two_sets_at_the_same_time_one_holds(service: Server, document: dict[str, str]) -> None:
    """Never a mixture: each set is compared and written in one transaction."""
    sets = [
        [{"subject": {"type": "user", "id": f"{name}{one}"}, "actions": ["read"]} for one in range(5)] for name in "ab"
    ]
    with Client(service.url, token=KEY, write_timeout=60) as client:
        for _ in range(15):
            race = [threading.Thread(target=client.grants.reconcile, args=(document, one)) for one in sets]
            for one in race:
                one.start()
            for one in race:
                one.join()
            held = [one["subject"]["id"] for one in client.grants.find(resource=document)]
            assert sorted(held) in [[f"{name}{one}" for one in range(5)] for name in "ab"]


def test_a_grant_that_came_meanwhile_is_kept_if_the_caller_says_so(asker: Asker, document: dict[str, str]) -> None:
    """The lost update: a share between reading the wanted set and writing it."""
    seen = asker.call("grants.on", document)
    assert seen.grants == []
    asker.call("grants.share", document, ["read"], subject=BEN)
    wanted = [{"subject": ANN, "actions": ["read"]}]
    for dry_run in (True, False):
        with pytest.raises(Refused, match="changed since they were read") as caught:
            asker.call("grants.reconcile", document, wanted, expected=seen.version, dry_run=dry_run)
        assert caught.value.status == 412
    with pytest.raises(Refused):
        asker.call("grants.clear", document, expected=seen.version)
    tried = asker.call("grants.reconcile", document, wanted, dry_run=True)
    assert (len(tried.added), len(tried.removed)) == (1, 1)
    made = asker.call("grants.reconcile", document, wanted, expected=tried.version)
    assert contents(made.removed) == [{"subject": BEN, "resource": document, "actions": ["read"]}]
    assert asker.call("grants.on", document).version == made.version
    assert asker.call("grants.clear", document, expected=made.version) == asker.client.revision
    assert asker.call("grants.on", document).grants == []


def test_all_actions_are_taken_back_together(asker: Asker, document: dict[str, str]) -> None:
    """A part of `*` can't be taken, and a refusal takes nothing."""
    asker.call("grants.share", document, ["*"], subject=ANN)
    asker.call("grants.share", document, ["read", "update"], subject=ANN)
    with pytest.raises(writ.BadRequest, match="all actions"):
        asker.call("grants.unshare", document, ["read"], subject=ANN)
    assert len(asker.call("grants.on", document).grants) == 2
    assert len(asker.call("grants.unshare", document, subject=ANN).removed) == 2


def test_what_is_left_of_a_grant_may_equal_another_one(asker: Asker, document: dict[str, str]) -> None:
    asker.call("grants.share", document, ["read"], subject=ANN)
    asker.call("grants.share", document, ["read", "update"], subject=ANN)
    asker.call("grants.unshare", document, ["update"], subject=ANN)
    assert [one["actions"] for one in asker.call("grants.on", document).grants] == [["read"]]


def test_no_withdrawal_is_lost(service: Server, document: dict[str, str]) -> None:
    """Two calls that each take one action from the same grant at the same time both count."""
    with Client(service.url, token=KEY, write_timeout=60) as client:
        for _ in range(15):
            client.grants.share(document, ["read", "update", "delete"], subject=ANN)
            race = [
                threading.Thread(target=client.grants.unshare, args=(document, [one]), kwargs={"subject": ANN})
                for one in ("read", "update")
            ]
            for one in race:
                one.start()
            for one in race:
                one.join()
            assert [one["actions"] for one in client.grants.on(document).grants] == [["delete"]]
            client.grants.clear(document)


def test_what_the_model_does_not_declare_is_refused(asker: Asker, document: dict[str, str]) -> None:
    with pytest.raises(writ.BadRequest) as caught:
        asker.call("grants.share", document, ["fly"], subject=ANN)
    assert "fly" in str(caught.value)
    for holder in ({}, {"subject": ANN, "group": "team"}):
        for name in ("share", "unshare"):
            with pytest.raises(writ.BadRequest):
                asker.call(f"grants.{name}", document, ["read"], **holder)
    with pytest.raises(writ.BadRequest, match="unknown group `nowhere`"):
        asker.call("grants.share", document, ["read"], group="nowhere")


def test_members_come_and_go_one_by_one(asker: Asker) -> None:
    token = asker.call("groups.add", "team", subject=CLEO)
    assert token == asker.client.revision
    assert asker.call("groups.add", "team", subject=CLEO) is None
    assert CLEO in asker.call("groups.members", "team")
    assert asker.call("groups.remove", "team", subject=CLEO)
    assert asker.call("groups.remove", "team", subject=CLEO) is None
    with pytest.raises(Refused, match="no group `nowhere`"):
        asker.call("groups.add", "nowhere", subject=CLEO)
    with pytest.raises(writ.BadRequest):
        asker.call("groups.add", "team")


def test_no_member_is_lost_if_many_change_some(service: Server) -> None:
    """While some threads add members, others remove theirs."""
    added, removed = ([{"type": "user", "id": f"{name}{number}"} for number in range(12)] for name in ("m", "n"))
    with Client(service.url, token=KEY, timeout=10, write_timeout=60) as client:
        for one in removed:
            client.groups.add("team", subject=one)
        threads = [
            threading.Thread(target=change, args=("team",), kwargs={"subject": one})
            for change, people in ((client.groups.add, added), (client.groups.remove, removed))
            for one in people
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = client.groups.members("team")
        assert [one for one in added if one not in found] == [one for one in removed if one in found] == []


def test_a_group_in_a_group(asker: Asker) -> None:
    assert asker.call("groups.add", "team", group="inner") == asker.client.revision
    assert {"group": "inner"} in asker.call("groups.members", "team")
    assert asker.call("groups.remove", "team", group="inner")
    assert asker.call("groups.remove", "team", group="inner") is None
    with pytest.raises(Refused, match="no group `nowhere`"):
        asker.call("groups.remove", "nowhere", group="inner")


@pytest.mark.parametrize("kind", ["subject", "resource"])
def test_entities_are_registered_and_removed(asker: Asker, kind: str, request: pytest.FixtureRequest) -> None:
    entity = {"type": {"subject": "us/er", "resource": "document"}[kind], "id": request.node.name + "/é"}
    assert asker.call(f"registry.{kind}", entity) is None
    asker.call(f"registry.register_{kind}", entity, attributes={"since": datetime(2020, 1, 1, tzinfo=UTC)})
    token = asker.call(f"registry.register_{kind}", entity, external_id=request.node.name)
    assert asker.call(f"registry.{kind}", entity) == {**entity, "external_id": request.node.name}
    assert token == asker.client.revision
    assert asker.call(f"registry.remove_{kind}", entity) == asker.client.revision != token
    assert asker.call(f"registry.remove_{kind}", entity) is None


def test_another_environment(opened: Opened, service: Server) -> None:
    asker = opened(service.url, token=KEY, environment="staging", timeout=10)
    asker.call("registry.register_subject", ANN)
    assert asker.call("registry.subject", ANN) == ANN
    assert opened(service.url, token=KEY).call("registry.subject", ANN) is None


def test_a_question_asks_for_the_newest_write(opened: Opened, point: DecisionPoint) -> None:
    """An older token does not replace a newer one."""
    asker = opened(point.url)
    for revision in (7, 12, 9):
        point.script = [answers(201, {"id": "g"}, Writ_Revision=f"{UUID}.1.{revision}")]
        made = asker.call("grants.share", {"type": "document", "id": "d1"}, ["read"], subject=ANN)
        assert made.revision == f"{UUID}.1.{revision}"
    assert asker.allowed()
    assert point.questions[-1].headers["writ-min-revision"] == f"{UUID}.1.12" == asker.client.revision


def test_a_broken_write_is_repeated(opened: Opened, point: DecisionPoint) -> None:
    point.script = [drops, answers(200, {"id": "g"})]
    assert opened(point.url).call("grants.share", {"type": "d", "id": "1"}, ["read"], subject=ANN).unchanged == 1


def test_a_restored_backup_ends_a_token(asker: Asker, caplog: pytest.LogCaptureFixture) -> None:
    """The client drops it, asks once more, and logs that."""
    asker.call("registry.register_subject", ANN)
    uuid, epoch, _ = str(asker.client.revision).split(".")
    for name, asked, expected in (("decide", ALLOWED, True), ("decide_many", [ALLOWED], True)):
        asker.client.revision = f"{uuid}.{int(epoch) - 1}.1"
        with caplog.at_level(logging.WARNING, "writ.client"):
            found = asker.call(name, asked)
        assert (found if name == "decide" else found[0])["decision"] is expected
        assert asker.client.revision is None
        assert "of another epoch" in caplog.text


def test_an_old_service_that_comes_back_is_refused(asker: Asker) -> None:
    """Its epoch is earlier than the token's. The token stays."""
    asker.call("registry.register_subject", ANN)
    uuid, epoch, revision = str(asker.client.revision).split(".")
    asker.client.revision = token = f"{uuid}.{int(epoch) + 1}.1"
    with pytest.raises(writ.Error, match="has taken over"):
        asker.call("decide", ALLOWED)
    assert asker.allowed() is False
    with pytest.raises(writ.Error, match="has taken over"):
        asker.call("registry.register_subject", ANN)
    assert asker.client.revision == token
    asker.client.revision = f"{uuid}.{epoch}.{revision}"
    assert asker.call("decide", ALLOWED)["decision"] is True


def test_an_answer_of_an_earlier_epoch_is_refused(opened: Opened, point: DecisionPoint) -> None:
    """Also by a client that only asks: it remembers the epoch, not the revision."""
    asker = opened(point.url)
    for epoch, revision, expected in ((1, 9, True), (1, 8, True), (2, 3, True), (1, 99, False), (2, 1, True)):
        point.script = [answers(200, {"decision": True}, Writ_Revision=f"{UUID}.{epoch}.{revision}")]
        assert asker.allowed() is expected, (epoch, revision)
        assert asker.client.revision is None


def test_a_token_of_another_environment_is_refused(asker: Asker) -> None:
    asker.client.revision = f"{UUID}.1.1"
    with pytest.raises(Refused, match="another environment") as caught:
        asker.call("decide", ALLOWED)
    assert caught.value.code == "other-environment"
    assert asker.allowed() is False


def test_a_revision_that_does_not_come_is_no_answer(opened: Opened, service: Server) -> None:
    asker = opened(service.url, token=KEY, timeout=0.5)
    asker.call("registry.register_subject", BEN)
    uuid, epoch, revision = str(asker.client.revision).split(".")
    asker.client.revision = f"{uuid}.{epoch}.{int(revision) + 100}"
    with pytest.raises(writ.Error):
        asker.call("decide", ALLOWED)
