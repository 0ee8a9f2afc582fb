"""One member of a group, added and removed, whatever others do to the group at the same time."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from writ.api.store.actor import COMMAND_LINE
from writ.api.store.elements.edits import ChangeMember

from tests.support.managed import ROOT, Managed

ALICE, BOB = ({"type": "user", "id": name} for name in ("alice", "bob"))
MEMBERS = f"{ROOT}/groups/eng/members"


def members(service: Managed) -> object:
    return service.simulate_get(f"{ROOT}/groups/eng").json["members"]


def test_a_subject_comes_and_goes(full: Managed) -> None:
    before = full.store.revision_of("default")
    answer = full.simulate_put(f"{MEMBERS}/user/bob")
    assert (answer.status_code, answer.json) == (201, BOB)
    assert answer.headers["Writ-Revision"] == full.store.environment("default").etag
    assert full.simulate_put(f"{MEMBERS}/user/bob").status_code == 200
    assert members(full) == [ALICE, BOB]
    assert full.store.revision_of("default") == before + 1 == full.activated[-1].revision
    assert full.simulate_delete(f"{MEMBERS}/user/alice").status_code == 204
    assert members(full) == [BOB]
    answer = full.simulate_delete(f"{MEMBERS}/user/alice")
    assert (answer.status_code, answer.json["error"]) == (404, "the group `eng` has no such member")


def test_a_group_comes_and_goes(full: Managed) -> None:
    full.create("groups", {"id": "ops"})
    assert full.simulate_put(f"{ROOT}/groups/eng/groups/ops").status_code == 201
    assert full.simulate_put(f"{ROOT}/groups/eng/groups/ops").status_code == 200
    assert members(full) == [ALICE, {"group": "ops"}]
    assert full.simulate_delete(f"{ROOT}/groups/eng/groups/ops").status_code == 204
    assert members(full) == [ALICE]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("groups/nowhere/members/user/bob", 404),
        ("groups/eng/groups/nowhere", 400),
        ("groups/eng/members/user/bob?x=1", 400),
    ],
)
def test_what_is_no_member_changes_nothing(full: Managed, path: str, status: int) -> None:
    assert full.simulate_put(f"{ROOT}/{path}").status_code == status
    assert members(full) == [ALICE]


def test_a_group_without_members(full: Managed) -> None:
    full.create("groups", {"id": "ops"})
    assert full.simulate_delete(f"{ROOT}/groups/ops/members/user/bob").status_code == 404
    assert full.simulate_put(f"{ROOT}/groups/ops/members/us%2Fer/a%2Fb").json == {"type": "us/er", "id": "a/b"}


def test_a_condition_is_refused(full: Managed) -> None:
    """A member has no entity tag of its own."""
    tag = full.simulate_get(f"{ROOT}/groups/eng").headers["ETag"]
    assert full.simulate_put(f"{MEMBERS}/user/bob", headers={"If-Match": tag}).status_code == 412


def test_writers_of_other_members_get_lost_no_more(full: Managed) -> None:
    """Half of the threads add members, and half remove others, straight in the store."""
    start = [{"type": "user", "id": f"old{number}"} for number in range(20)]
    full.simulate_patch(f"{ROOT}/groups/eng", json={"members": start})
    new = [{"type": "user", "id": f"new{number}"} for number in range(20)]
    edits = [ChangeMember("eng", one, adds=one in new) for pair in zip(start, new, strict=True) for one in pair]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda edit: full.store.write("default", COMMAND_LINE, [edit]), edits))
    assert sorted(map(str, members(full))) == sorted(map(str, new))  # type: ignore[call-overload]  # a list
