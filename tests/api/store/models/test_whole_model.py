"""The whole model: put, previewed and read back, and the log of its changes."""

import dataclasses
import json
import sqlite3
from contextlib import closing, suppress
from sqlite3 import IntegrityError

import pytest
from msgspec.json import decode
from msgspec.structs import replace
from writ.api.store.elements.edits import Create, Delete, Patch
from writ.api.store.elements.tables import MANY
from writ.api.store.errors import Conflict, NotFound, PreconditionFailed, Rejected, StoreUnavailable
from writ.api.store.models import extent, replacing
from writ.api.store.models.extent import replacement
from writ.api.store.models.reading import KnownModel
from writ.api.store.models.submitted_model import SubmittedModel
from writ.compiler.source import Source

from tests.support.stored import ACTOR, ENV, put, source, stored, write

ALICE = {"type": "user", "id": "alice"}
MODEL = {
    "roles": [{"id": "r"}, {"id": "s", "name": "S"}],
    "resource_types": [],
    "subjects": [ALICE | {"external_id": "1"}, {"type": "user", "id": "bob", "external_id": "2"}],
    "groups": [{"id": "g", "members": []}],
    "assignments": [{"role": "r", "group": "g", "id": "a"}],
}


def test_it_comes_back_as_it_was_put(store):
    """With empty lists, explicit defaults, and every order. `model` comes first."""
    put(store, MODEL)
    text = b"".join(store.model(ENV))
    assert json.dumps(json.loads(text)) == json.dumps({"model": 1} | MODEL)


def test_yaml_and_several_documents(store):
    yaml = b"model: 1\nroles:\n- {id: y, name: &n 'on'}\n- id: z\n  name: *n\n"
    bom = b'\xef\xbb\xbf{"model": 1, "roles": [{"id": "\\u00e9"}], "subjects": []}'
    store.put_model(ENV, ACTOR, [Source("a.yaml", yaml), Source("b.JSON", bom)])
    assert stored(store) == {
        "roles": [{"id": "y", "name": "on"}, {"id": "z", "name": "on"}, {"id": "é"}],
        "subjects": [],
    }


def test_only_what_differs_is_written(store):
    put(store, MODEL)
    same = store.get(ENV, "roles", ("r",)).etag
    changed = MODEL | {"roles": [{"id": "r"}, {"id": "s"}, {"id": "t"}], "assignments": []}
    for dry in (True, False):
        done = store.put_model(ENV, ACTOR, [source(changed)], dry_run=dry)
        assert done.revision == (1 if dry else 2) == store.revision_of(ENV)
        assert done.changes == {
            "roles": {"added": 1, "changed": 1, "removed": 0},
            "assignments": {"added": 0, "changed": 0, "removed": 1},
        }
        assert sorted(done.listed) == [
            ("assignments", ("a",), "removed"),
            ("roles", ("s",), "changed"),
            ("roles", ("t",), "added"),
        ]
    assert stored(store) == changed
    assert store.get(ENV, "roles", ("r",)).etag == same


def test_the_same_again_is_no_revision(store):
    put(store, MODEL)
    put(store, MODEL)
    assert store.revision_of(ENV) == 1


@pytest.mark.parametrize("order", ["s r", "new r s", "r new s", "s new", "new s r x"])
def test_another_order_is_given_back_and_has_a_tag_of_its_own(store, order):
    put(store, MODEL)
    tag = store.model(ENV).etag
    roles = [{"id": id} | ({"name": "S"} if id == "s" else {}) for id in order.split()]
    wanted = MODEL | {"roles": roles} | ({} if "r" in order.split() else {"assignments": []})
    put(store, wanted)
    assert stored(store) == wanted
    assert store.model(ENV).etag != tag
    write(store, Create("roles", {"id": "last"}))
    assert stored(store)["roles"][-1] == {"id": "last"}


def test_names_may_pass_from_one_element_to_another(store):
    put(store, MODEL)
    alice, bob = MODEL["subjects"]
    swapped = [alice | {"external_id": "2"}, bob | {"external_id": "1"}]
    put(store, MODEL | {"subjects": swapped})
    assert stored(store)["subjects"] == swapped


def test_a_model_with_errors_changes_nothing(store):
    put(store, MODEL)
    text = b'{"model": 1, "roles": [{"id": "r"}, {"id": "r"}], "policys": []}'
    with pytest.raises(Rejected) as raised:
        store.put_model(ENV, ACTOR, [Source("model.json", text)])
    assert [(fault.code, fault.path) for fault in raised.value.faults] == [
        ("duplicate-id", "$.roles[1].id"),
        ("unknown-member", "$.policys"),
    ]
    assert stored(store) == MODEL


def test_a_model_is_read_as_it_was_when_reading_began(store):
    """In pieces, while it changes. A reader that stops early leaves nothing open."""
    put(store, {"roles": [{"id": f"r{number}"} for number in range(1_000)]})
    reading = store.model(ENV)
    first = next(reading)
    put(store, MODEL)
    document = json.loads(first + b"".join(reading))
    assert len(document["roles"]) == 1_000
    assert reading.revision == 1
    abandoned = store.model(ENV)
    next(abandoned)
    abandoned.close()
    with pytest.raises(NotFound):
        store.model("nowhere")


def test_the_log_has_who_did_what_when(store):
    put(store, MODEL)
    store.write(ENV, ACTOR, [Patch("roles", ("r",), {"name": "R"}), Delete("roles", ("s",))], now=1_700_000_000.1234)
    (newest,), cursor = store.revisions(ENV, limit=1)
    assert (newest.revision, newest.by, newest.time) == (2, ACTOR.name, "2023-11-14T22:13:20.123Z")
    assert newest.changes == {"roles": {"added": 0, "changed": 1, "removed": 1}}
    (first,), end = store.revisions(ENV, limit=1, cursor=cursor)
    assert (first.revision, end) == (1, None)
    found, entries = store.revision(ENV, 2)
    assert found == newest
    assert [(entry.kind, entry.key, entry.before, entry.after) for entry in entries] == [
        ("roles", ("r",), {"id": "r"}, {"id": "r", "name": "R"}),
        ("roles", ("s",), {"id": "s", "name": "S"}, None),
    ]
    for number in (0, 3, 10**30, -1):
        with pytest.raises(NotFound):
            store.revision(ENV, number)


def test_a_large_revision_is_logged_in_pieces(store):
    roles = [{"id": f"r{number}"} for number in range(2_500)]
    put(store, {"roles": roles})
    _, entries = store.revision(ENV, 1)
    assert [entry.after for entry in entries] == roles


def test_the_compiler_s_model_is_that_of_the_documents(store):
    put(store, MODEL)
    env, model = store.read_model(ENV)
    assert env == store.environment(ENV)
    assert [role.id for role in model.roles] == ["r", "s"]
    assert decode(b'{"type":"user","id":"alice","external_id":"1"}', type=type(model.subjects[0])) == model.subjects[0]


def test_a_known_model_is_taken_only_while_it_is_the_environment_s(store):
    env, model = store.read_model(ENV)
    known = KnownModel(env.etag, model)
    with store.streamed_model(ENV, known) as (_, taken, grants):
        assert (taken is model, grants is model.grants) == (True, True)
    write(store, Create("roles", {"id": "r"}))
    with store.streamed_model(ENV, known) as (_, taken, _):
        assert [role.id for role in taken.roles] == ["r"]


def test_the_grants_of_a_streamed_model_are_those_of_the_model(store):
    types = [{"id": "doc", "actions": ["read"]}]
    grants = [{"subject": ALICE, "resource": {"type": "doc", "id": id}, "actions": ["read"]} for id in ("1", "2")]
    put(store, MODEL | {"resource_types": types, "grants": grants})
    env, model = store.read_model(ENV)
    with store.streamed_model(ENV) as (same, streamed, found):
        assert (same, streamed) == (env, replace(model, grants=()))
        assert ((*found,), len(model.grants)) == (model.grants, 2)


def test_nobody_waits_while_the_difference_is_found_and_what_they_write_is_replaced_too(engine, store):
    put(store, MODEL)
    other = engine.open(store.directory)
    meanwhile = [Create("roles", {"id": "meanwhile"}), Patch("roles", ("s",), {"name": "other"})]

    class Overtaken(SubmittedModel):
        def elements(self, name):
            if meanwhile:
                write(other, meanwhile.pop())
            return SubmittedModel.elements(self, name)

    for changes in ({"added": 0, "changed": 1, "removed": 0}, {"added": 0, "changed": 0, "removed": 1}):
        left = meanwhile[:-1]
        asked = SubmittedModel.read([source(MODEL)])
        submitted = Overtaken(asked.model, asked.lists, asked.documents)
        meanwhile[:-1] = []
        assert store.put_submitted(ENV, ACTOR, submitted).changes == {"roles": changes}
        assert stored(store) == MODEL
        meanwhile[:] = left
    assert store.revision_of(ENV) == 5
    other.close()


def test_a_difference_that_is_always_overtaken_is_found_inside_the_write_lock(engine, store, monkeypatch):
    """Nobody can write then. Until then, it is found a few times outside."""
    put(store, MODEL)
    other, found = engine.open(store.directory, busy_seconds=0.1), []

    def overtaken(*given):
        found.append(replacement(*given))
        with suppress(StoreUnavailable):
            write(other, Create("roles", {"id": f"meanwhile {len(found)}"}))
        return found[-1]

    monkeypatch.setattr(extent, "replacement", overtaken)
    done = store.put_model(ENV, ACTOR, [source(MODEL)])
    assert done.changes == {"roles": {"added": 0, "changed": 0, "removed": extent.MOST_DIFFERENCES}}
    assert len(found) == extent.MOST_DIFFERENCES + 1
    assert stored(store) == MODEL
    other.close()


@pytest.mark.parametrize("before", [{}, MODEL])
def test_a_commit_makes_no_texts_again_unless_there_are_many(store, before, monkeypatch):
    """Other writes wait for it."""
    put(store, before)
    made = []

    class Counted(SubmittedModel):
        def texts(self, name):
            made.append(name)
            return SubmittedModel.texts(self, name)

    for most, times in ((2, 2 if before else 1), (3, 1)):
        monkeypatch.setattr(replacing, "MOST_KEPT_TEXTS", most)
        wanted = MODEL | {"roles": [{"id": "r", "name": f"{most}"}, {"id": "s", "name": f"{most}"}, {"id": f"n{most}"}]}
        asked = SubmittedModel.read([source(wanted)])
        made.clear()
        store.put_submitted(ENV, ACTOR, Counted(asked.model, asked.lists, asked.documents))
        assert made.count("roles") == times
        assert stored(store) == wanted


def test_a_difference_that_was_overtaken_is_refused_where_the_tag_says_so(store):
    put(store, MODEL)
    tag = store.environment(ENV).etag
    asked = SubmittedModel.read([source({})])

    class Overtaken(SubmittedModel):
        def texts(self, name):
            raise AssertionError("nothing is compared once the tag is wrong")

    write(store, Create("roles", {"id": "meanwhile"}))
    with pytest.raises(PreconditionFailed):
        store.put_submitted(ENV, ACTOR, Overtaken(asked.model, asked.lists, asked.documents), if_match=(tag,))
    assert store.revision_of(ENV) == 2


def test_indexes_made_anew_for_many_rows_are_those_that_were_there(store):
    before = indexes(store)
    put(store, {"resource_types": [{"id": "document", "actions": ["read"]}], "grants": many_grants(MANY + 1)})
    assert indexes(store) == before
    assert len(store.list(ENV, "grants", {"resource.id": "d7"}).items) == 1
    with pytest.raises(Conflict):
        write(store, Create("grants", many_grants(1)[0] | {"expires_at": "2035-01-01T00:00:00Z"}))


@pytest.mark.of_file
def test_indexes_outlast_a_failure_while_they_are_made_anew(store):
    before = indexes(store)
    submitted = SubmittedModel.read([source({"subjects": [{"type": "user", "id": f"u{n}"} for n in range(MANY + 1)]})])
    twice = replace(submitted.model, subjects=(submitted.model.subjects[1], *submitted.model.subjects[1:]))
    with pytest.raises(IntegrityError):
        store.put_submitted(ENV, ACTOR, dataclasses.replace(submitted, model=twice))
    assert indexes(store) == before
    assert store.revision_of(ENV) == 0


def indexes(store):
    with closing(sqlite3.connect(store.path)) as db:
        return sorted(db.execute("SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'index'"))


def many_grants(number):
    subject = {"type": "user", "id": "u"}
    return [
        {"id": f"g{n}", "subject": subject, "resource": {"type": "document", "id": f"d{n}"}, "actions": ["read"]}
        for n in range(number)
    ]


def test_only_the_model_that_was_seen_is_replaced(store):
    seen = store.environment(ENV).etag
    write(store, Create("roles", {"id": "r"}))
    with pytest.raises(PreconditionFailed):
        store.put_model(ENV, ACTOR, [source({})], if_match=[seen])
    assert stored(store)["roles"] == [{"id": "r"}]
    store.put_model(ENV, ACTOR, [source({})], if_match=[seen, store.environment(ENV).etag])
    assert "roles" not in stored(store)
