"""The facts of a model: packed grants, and the resources that are registered."""

from writ.bundles.program.facts import ALWAYS, FOREVER, EntityKey, Facts, Grant, ResourceFacts

ANN, BOB = EntityKey("user", "ann"), EntityKey("user", "bob")


def facts() -> Facts:
    """Two subjects and a group with grants on four resources, one of them listed, and a fifth one that is listed."""
    found = Facts(
        resources={EntityKey("doc", "d1"): ResourceFacts(name="Plan"), EntityKey("doc", "d4"): ResourceFacts()}
    )
    read, sign = found.grants.add_scope("doc", ("read",)), found.grants.add_scope("deed", ("read", "sign"))
    found.grants.add(ANN, ("g1", read, "d1", FOREVER, ALWAYS))
    found.grants.add(BOB, ("g3", read, "d2", FOREVER, ALWAYS))
    found.grants.add("staff", ("g4", read, "d5", FOREVER, ALWAYS))
    found.grants.add(ANN, ("g2", sign, "\u20ac", 9.5, 1.0))
    return found


def test_packed_grants_are_the_grants_that_were_added() -> None:
    grants = facts().grants
    assert len(grants) == 4
    assert [*grants] == [
        Grant("g1", ANN, EntityKey("doc", "d1"), ("read",), FOREVER),
        Grant("g2", ANN, EntityKey("deed", "\u20ac"), ("read", "sign"), 9.5, 1.0),
        Grant("g3", BOB, EntityKey("doc", "d2"), ("read",), FOREVER),
        Grant("g4", "staff", EntityKey("doc", "d5"), ("read",), FOREVER),
    ]
    assert (len(grants.of(ANN)), len(grants.of("staff")), grants.of(EntityKey("user", "eve"))) == (2, 1, [])


def test_a_resource_is_registered_if_it_is_listed_or_a_grant_names_it() -> None:
    assert facts().registered_ids() == {"doc": {"d1", "d2", "d4", "d5"}, "deed": {"\u20ac"}}
    registered = facts().registered()
    assert sorted(registered) == [("deed", "\u20ac"), ("doc", "d1"), ("doc", "d2"), ("doc", "d4"), ("doc", "d5")]
    assert (registered[EntityKey("doc", "d1")].name, registered[EntityKey("doc", "d2")]) == ("Plan", ResourceFacts())
