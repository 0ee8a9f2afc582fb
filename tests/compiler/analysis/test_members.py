"""The subjects of a region: counted without a look at each, and listed in order as far as asked for."""

from collections.abc import Iterator

from writ.bundles.program.facts import EntityKey
from writ.compiler.analysis.members import Members, Rest
from writ.compiler.analysis.models.people import OTHERS, Person
from writ.compiler.analysis.models.sides import NOTHING

from tests.support.analysing import analysed

PEOPLE = [
    Person(key, (key, key), (NOTHING, NOTHING), place=place)
    for place, key in enumerate(EntityKey("user", f"person-{number}") for number in range(10))
]


class Watched(list[Person]):
    """A list that counts the subjects that are looked at."""

    looked_at = 0

    def __iter__(self) -> Iterator[Person]:
        for person in super().__iter__():
            self.looked_at += 1
            yield person


def test_lists_and_a_rest_are_in_one_order() -> None:
    rest = Rest(PEOPLE, lambda person: person.place in (1, 4, 7), 3)
    members = Members([[PEOPLE[7]], rest, (OTHERS,), [PEOPLE[1]]])
    assert [person.place for person in members] == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert len(members) == 9
    assert PEOPLE[7] in members
    assert PEOPLE[4] not in members


def test_the_first_subjects_need_no_look_at_the_others() -> None:
    everyone = Watched(PEOPLE)
    members = Members([Rest(everyone, lambda _: False, 0)])
    assert len(members) == 10
    assert everyone.looked_at == 0
    assert members.first(2) == (PEOPLE[0], PEOPLE[1])
    assert everyone.looked_at < 5


def test_a_region_counts_the_subjects_that_it_lists() -> None:
    """A policy for everyone, beside a subject with a role and one with a grant, which are classes apart."""
    users = [{"type": "user", "id": f"user-{number}"} for number in range(6)]
    before = {
        "resource_types": [{"id": "note", "actions": ["read"]}],
        "roles": [{"id": "reader"}],
        "groups": [{"id": "staff", "members": users}],
        "assignments": [{"role": "reader", "subject": users[2]}],
        "grants": [{"id": "g", "subject": users[4], "resource": {"type": "note", "id": "n"}, "actions": ["read"]}],
        "policies": [policy("for-readers", roles=["reader"])],
    }
    found = analysed(before, before | {"policies": [policy("for-readers", roles=["reader"]), policy("for-all")]})
    listed = [[person.shown.id for person in region.subjects] for region in found.gains]
    assert [len(region.subjects) for region in found.gains] == [len(ids) for ids in listed]
    assert sorted(id for ids in listed for id in ids) == ["user-0", "user-1", "user-3", "user-4", "user-5"]
    assert all(ids == sorted(ids) for ids in listed)


def policy(id: str, **more: object) -> dict[str, object]:
    """A policy that allows to read notes."""
    scope = [{"resource_type_id": "note", "actions": ["read"]}]
    return {"id": id, "effect": "ALLOW", "resource_types": scope} | more
