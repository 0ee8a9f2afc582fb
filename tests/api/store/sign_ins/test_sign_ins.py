"""Sessions of people in the store: how long they last, who ends them, and that each sign-in counts once."""

from contextlib import closing
from typing import Any

import pytest
from msgspec.structs import replace
from writ.api.store.actor import ADMIN_KEY, COMMAND_LINE, Actor
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.credentials.credentials import ApiKeySpec
from writ.api.store.credentials.makers import refuse_approver
from writ.api.store.errors import Conflict, NotFound, NotPermitted, OutOfBounds
from writ.api.store.sign_ins.newest_sign_in import MOST_AHEAD, Overtaken, SignIn
from writ.api.store.sign_ins.session_rows import IDLE_SECONDS, Person, Session
from writ.api.store.sign_ins.sign_ins import MOST_SESSIONS, SESSION_SECONDS, Rights, actor_of_session
from writ.api.store.store import Store

NOW = 1_800_000_000
ANN, BEN = Person("https://idp.example", "1", "Ann"), Person("https://idp.example", "2", "Ben")
BROWSER = Actor("nobody yet", address="192.0.2.1", request_id="r1")
ADMIN, READ = Rights(("admin",)), Rights(("read",))


def sign_in(number: int, issued: int = NOW) -> SignIn:
    return SignIn(b"flow" + number.to_bytes(32), NOW + 10_000_000, issued)


def begun(
    store: Store, number: int = 0, person: Person = ANN, rights: Rights = ADMIN, now: int = NOW, issued: int = NOW
) -> Session:
    return store.sign_ins.begin(BROWSER, person, rights, number.to_bytes(32), sign_in(number, issued), now)


def audited(store: Store) -> list[Any]:
    entries, _ = store.audit.page(EntryFilter(), None, 100, None)
    return [one.entry for one in entries if one.entry.event.startswith("session.")]


def test_a_session_is_found_by_the_hash_of_its_secret_until_it_ends(store: Store) -> None:
    session = begun(store, 7)
    assert store.sign_ins.session_with((7).to_bytes(32)) == session
    assert store.sign_ins.session_with((8).to_bytes(32)) is None
    assert (session.person, session.scopes, session.bounds, session.until) == (
        *(ANN, ("admin",), None),
        NOW + IDLE_SECONDS,
    )
    store.sign_ins.end(actor_of_session(session, BROWSER), session.id)
    assert store.sign_ins.session_with((7).to_bytes(32)) is None
    with pytest.raises(OutOfBounds):  # its own person has no session any more
        store.sign_ins.end(actor_of_session(session, BROWSER), session.id)
    ended, started = audited(store)
    assert [one.event for one in (started, ended)] == ["session.started", "session.ended"]
    assert (started.actor, started.actor_name, started.address) == (f"person:{ANN.id}", "Ann", "192.0.2.1")
    assert (started.details["issuer"], started.details["subject"]) == (ANN.issuer, "1")


def test_all_sessions_of_a_person_end_and_no_other(store: Store) -> None:
    begun(store, 1), begun(store, 2)
    others = begun(store, 3, BEN)
    with pytest.raises(OutOfBounds):
        store.sign_ins.end_all(Actor("a", frozenset({"some"})), ANN.id)
    with pytest.raises(NotFound):
        store.sign_ins.end_all(COMMAND_LINE, "nobody")
    store.sign_ins.end_all(COMMAND_LINE, ANN.id)
    assert [one.id for one in store.sign_ins.sessions(None, 10)[0]] == [others.id]
    assert [one.event for one in audited(store)[:2]] == ["session.ended"] * 2
    store.sign_ins.end_all(COMMAND_LINE, ANN.id)
    assert [one.event for one in audited(store)].count("session.ended") == 2


def test_use_moves_the_idle_time_and_never_the_end(store: Store) -> None:
    session = begun(store)
    store.sign_ins.use(session.id, NOW + 1_000.7)
    store.sign_ins.use(session.id, NOW + 500)  # another server, whose clock is behind
    assert store.sign_ins.session(session.id).until == NOW + 1_000 + IDLE_SECONDS
    store.sign_ins.use(session.id, NOW + SESSION_SECONDS - 1)
    assert store.sign_ins.session(session.id).until == NOW + SESSION_SECONDS


def test_ended_sessions_go_at_the_next_sign_in(store: Store) -> None:
    idle, used = begun(store, 1), begun(store, 2)
    store.sign_ins.use(used.id, NOW + IDLE_SECONDS - 1)
    third = begun(store, 3, now=NOW + IDLE_SECONDS)
    left = {one.id for one in store.sign_ins.sessions(None, 10)[0]}
    assert left == {used.id, third.id}
    with pytest.raises(NotFound):
        store.sign_ins.session(idle.id)


def test_a_sign_in_counts_once(store: Store) -> None:
    begun(store, 1)
    with pytest.raises(Conflict, match="used already"):
        store.sign_ins.begin(BROWSER, BEN, ADMIN, bytes(31) + b"x", sign_in(1), NOW)
    assert store.sign_ins.people(10)[0] == [ANN], "nothing of it is stored"


def rights_of(store: Store, *sessions: Session) -> list[tuple[Any, Any]]:
    found = [store.sign_ins.session(one.id) for one in sessions]
    return [(one.scopes, one.bounds) for one in found]


def test_the_newest_sign_in_counts_for_all_sessions_of_the_person(store: Store) -> None:
    """Whether it gives fewer rights, or more."""
    stage = store.create_environment(COMMAND_LINE, "stage")
    first, others = begun(store, 1), begun(store, 2, BEN)
    second = begun(store, 3, rights=Rights(("write",), ("stage", "gone")), issued=NOW + 1)
    assert rights_of(store, first, second) == [(("write",), frozenset({stage.uuid}))] * 2
    third = begun(store, 4, rights=READ, issued=NOW + 1)  # of two in a second, the one that comes later counts
    assert rights_of(store, first, second, third) == [(("read",), None)] * 3
    assert rights_of(store, others) == [(("admin",), None)]
    begun(store, 5, issued=NOW + 2)
    assert rights_of(store, first, second, third) == [(("admin",), None)] * 3


def test_an_older_sign_in_that_comes_later_begins_no_session(store: Store) -> None:
    newest = begun(store, 1, rights=READ, issued=NOW + 1)
    with pytest.raises(Overtaken, match="newer sign-in"):
        begun(store, 2, now=NOW + 2)
    with pytest.raises(Overtaken):
        store.sign_ins.end_without_rights(BROWSER, ANN, sign_in(3), NOW + 2)
    assert [one.id for one in store.sign_ins.sessions(None, 10)[0]] == [newest.id]
    assert rights_of(store, newest) == [(("read",), None)]


def test_a_newest_sign_in_without_rights_ends_all_sessions_of_the_person(store: Store) -> None:
    begun(store, 1), begun(store, 2)
    others = begun(store, 3, BEN)
    store.sign_ins.end_without_rights(BROWSER, ANN, sign_in(4, NOW + 2), NOW)
    assert [one.id for one in store.sign_ins.sessions(None, 10)[0]] == [others.id]
    ended = [one for one in audited(store) if one.event == "session.ended"]
    assert [(one.actor, one.address) for one in ended] == [(f"person:{ANN.id}", "192.0.2.1")] * 2
    with pytest.raises(Overtaken):
        begun(store, 5, issued=NOW + 1)
    with pytest.raises(Conflict, match="used already"):
        begun(store, 4, issued=NOW + 3)
    begun(store, 6, issued=NOW + 3)


def test_a_first_sign_in_without_rights_is_remembered(store: Store) -> None:
    store.sign_ins.end_without_rights(BROWSER, ANN, sign_in(1, NOW + 1), NOW)
    with pytest.raises(Overtaken):
        begun(store, 2)


def test_a_clock_that_was_far_ahead_keeps_no_person_out(store: Store) -> None:
    begun(store, 1, issued=NOW + MOST_AHEAD, now=NOW + MOST_AHEAD)
    with pytest.raises(Overtaken):
        begun(store, 2)
    begun(store, 3, now=NOW - 1)


def test_a_person_keeps_the_id_and_takes_the_newest_name(store: Store) -> None:
    begun(store, 1)
    begun(store, 2, Person(ANN.issuer, "1", "Ann Marie"))
    assert [one.name for one in store.sign_ins.people(10)[0]] == ["Ann Marie"]
    assert store.sign_ins.person(ANN.id).name == "Ann Marie"
    assert len({ANN.id, BEN.id, Person("https://idp.example2", "1", "Ann").id}) == 3
    with pytest.raises(NotFound):
        store.sign_ins.person("\ud800")


def test_people_have_pages(store: Store) -> None:
    begun(store, 1)
    begun(store, 2, BEN)
    (first,), cursor = store.sign_ins.people(1)
    (second,), end = store.sign_ins.people(1, cursor)
    assert ({first, second}, end) == ({ANN, BEN}, None)
    assert first.id < second.id


def test_a_person_has_so_many_sessions_and_the_oldest_goes(store: Store) -> None:
    made = [begun(store, number, now=NOW + number) for number in range(MOST_SESSIONS + 1)]
    left = {one.id for one in store.sign_ins.sessions(None, 100)[0]}
    assert left == {one.id for one in made[1:]}


def test_environments_bind_a_session(store: Store) -> None:
    stage = store.create_environment(COMMAND_LINE, "stage")
    session = begun(store, 1, rights=Rights(("write",), ("stage", "gone")))
    assert (session.bounds, session.environments) == (frozenset({stage.uuid}), ("stage",))
    with pytest.raises(NotPermitted, match="none of the environments"):
        begun(store, 2, rights=Rights(("write",), ("gone",)))
    everywhere = begun(store, 3, BEN)
    bound = Actor("a", frozenset({stage.uuid}))
    assert [one.id for one in store.sign_ins.sessions(bound.bounds, 10)[0]] == [session.id]
    with pytest.raises(OutOfBounds):
        store.sign_ins.end(bound, everywhere.id)
    store.sign_ins.end(bound, session.id)


def test_a_write_of_an_ended_session_is_refused(store: Store) -> None:
    session = begun(store)
    actor = actor_of_session(session, BROWSER)
    store.create_environment(actor, "one")
    store.sign_ins.end(COMMAND_LINE, session.id)
    with pytest.raises(OutOfBounds, match="revoked"):
        store.create_environment(actor, "two")


def test_a_write_of_a_session_that_lost_its_rights_meanwhile_is_refused(store: Store) -> None:
    stage = store.create_environment(COMMAND_LINE, "stage")
    actor = replace(actor_of_session(begun(store, 1), BROWSER), scopes=("write", "admin"))
    store.create_environment(actor, "one")
    begun(store, 2, rights=Rights(("admin",), ("stage",)))
    with pytest.raises(OutOfBounds, match="restricted"):
        store.create_environment(actor, "two")
    begun(store, 3, rights=READ)
    for bounds in (None, frozenset({stage.uuid})):
        with pytest.raises(OutOfBounds, match="restricted"):
            store.create_environment(replace(actor, bounds=bounds), "three")
    begun(store, 4, rights=Rights(("write",)))
    store.create_environment(actor, "four")


def test_another_person_approves_what_a_person_asked_for(store: Store) -> None:
    ann, ben = f"person:{ANN.id}", f"person:{BEN.id}"
    session = begun(store)
    own = store.credentials.add_api_key(actor_of_session(session, BROWSER), ApiKeySpec("k", ["admin"]), bytes(32))
    machine = store.credentials.add_api_key(Actor(ADMIN_KEY), ApiKeySpec("m", ["admin"]), bytes(31) + b"m")
    with closing(store.new_connection()) as db:
        refuse_approver(db, Actor(ben), ann)
        refuse_approver(db, Actor(ben), f"api-key:{own.id}")
        refuse_approver(db, Actor(ann), f"api-key:{machine.id}")
        for approver, requester, words in [
            (ann, ann, "another person must approve"),
            (ADMIN_KEY, ann, "another person must approve"),
            (f"api-key:{own.id}", ann, "another person must approve"),
            (f"api-key:{machine.id}", ann, "another person must approve"),
            (ann, f"api-key:{own.id}", "can act as this credential"),
        ]:
            with pytest.raises(NotPermitted, match=words):
                refuse_approver(db, Actor(approver), requester)
