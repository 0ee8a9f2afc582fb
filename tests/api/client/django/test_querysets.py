"""`Document.objects.authorized(…)` has the rows that one evaluation each allows, or refuses (F7, F8)."""

from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pymysql
import pytest
from django.db import connections, models
from django.db.models import Prefetch, Q
from django.db.models.functions import Upper
from django.db.models.lookups import GreaterThan
from django.test.utils import override_settings
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.runtime import Engine
from writ.runtime.translate import Text, Untranslatable

from tests.runtime.translate.conftest import mariadb  # noqa: F401  # a fixture
from tests.support import django_settings
from tests.support.authorized_rows import NOW, SUBJECT, model, rows, seconds
from tests.support.bundling import engine_for
from tests.support.strategies_pick import Pick

django_settings.configure()

from writ.django import AuthorizedQuerySet, GrantRow, QueryRefused  # noqa: E402  # Django is set up first

CONTEXTS = ({}, {"mfa": True})


class Grant(GrantRow):
    class Meta:
        app_label = "authorized"
        db_table = "writ_grants"


class Folder(models.Model):
    owner = models.CharField(max_length=50, null=True)
    objects = AuthorizedQuerySet.as_manager()

    class Meta:
        app_label = "authorized"
        db_table = "folders"


class Document(models.Model):
    id = models.CharField(max_length=50, primary_key=True)
    folder = models.ForeignKey(Folder, models.CASCADE, null=True, related_name="documents")
    owner = models.CharField(max_length=50, null=True, db_index=True)
    status = models.CharField(max_length=50, null=True)
    size = models.BigIntegerField(null=True)
    public = models.BooleanField(null=True)
    labels = models.JSONField(null=True)
    is_large = models.GeneratedField(
        expression=GreaterThan(models.F("size"), 10), output_field=models.BooleanField(null=True), db_persist=True
    )
    objects = AuthorizedQuerySet.as_manager()

    class Meta:
        app_label = "authorized"
        db_table = "documents"


class Keyed(models.Model):
    id = models.UUIDField(primary_key=True)
    objects = AuthorizedQuerySet.as_manager()

    class Meta:
        app_label = "authorized"
        db_table = "keyed"


TABLES = (Folder, Document, Grant)
"""A later turn of the fixture makes them again in the same database."""


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"], scope="module")
def alias(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The alias of a database with the rows."""
    if request.param == "sqlite":
        name = str(tmp_path_factory.mktemp("rows") / "rows.db")
        connection = django_settings.connect("rows_sqlite", ENGINE="django.db.backends.sqlite3", NAME=name)
    elif request.param == "mariadb":
        connection = mariadb_of(request.getfixturevalue("mariadb"))
    else:
        conninfo = psycopg.conninfo.conninfo_to_dict(request.getfixturevalue("postgresql"))
        options = {"NAME": conninfo["dbname"], "USER": conninfo["user"], "HOST": conninfo["host"]}
        connection = django_settings.connect("rows_postgresql", ENGINE="django.db.backends.postgresql", **options)
    with connection.schema_editor() as editor:
        for one in TABLES:
            editor.create_model(one)
    for number, owner in ((1, "alice"), (2, "bob"), (17, None)):
        Folder.objects.using(connection.alias).create(id=number, owner=owner)
    for row in rows():
        Document.objects.using(connection.alias).create(
            **{name: value for name, value in row.items() if name != "parent_id"}
        )
    yield connection.alias
    with connection.schema_editor() as editor:
        for one in reversed(TABLES):
            editor.delete_model(one)
    connection.close()
    del connections.databases[connection.alias]


def mariadb_of(server: pymysql.Connection) -> Any:
    """A connection of Django to the server of another connection. Its collation is not that of the tables."""
    pymysql.install_as_MySQLdb()
    with server.cursor() as cursor:
        cursor.execute("CREATE DATABASE IF NOT EXISTS of_django COLLATE utf8mb4_unicode_ci")
        cursor.execute("SELECT @@socket")
        (socket,) = cursor.fetchone()
    options = {"NAME": "of_django", "USER": "root", "HOST": socket, "OPTIONS": {"charset": "utf8mb4"}}
    return django_settings.connect("rows_mariadb", ENGINE="django.db.backends.mysql", **options)


def resource(row: models.Model, type: str) -> dict[str, Any]:
    """A row as the resource of a decision."""
    found = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    return {"type": type, "id": str(row.pk), "properties": found}


def put_grants(alias: str, grants: list[dict[str, Any]]) -> None:
    """Puts the grants of a model into the table."""
    Grant.objects.using(alias).all().delete()
    for grant in grants:
        subject = grant.get("subject") or {"type": None, "id": None}
        times = {name: seconds(grant.get(name)) for name in ("starts_at", "expires_at")}
        holder = {"subject_type": subject["type"], "subject_id": subject["id"], "group_id": grant.get("group")}
        on = {"resource_type": grant["resource"]["type"], "resource_id": grant["resource"]["id"]}
        for action in grant["actions"]:
            Grant.objects.using(alias).create(grant_id=grant["id"], action=action, **holder, **on, **times)


def test_the_rows_are_those_of_single_evaluations(alias: str, tmp_path: Path) -> None:
    tables = ((Document, "document"), (Folder, "folders"))
    held = {type: list(entity.objects.using(alias)) for entity, type in tables}
    refused: list[str] = []

    @settings(max_examples=25)
    @given(data=st.data())
    def agrees(data: st.DataObject) -> None:
        pick = Pick.drawn(data.draw)
        drawn = model(pick)
        engine, context = engine_for(drawn, tmp_path / "drawn.bundle"), pick.one(CONTEXTS)
        put_grants(alias, drawn["grants"])
        for entity, type in tables:
            asked = {"subject": SUBJECT, "action": {"name": "read"}, "context": context}
            expected = [
                row.pk
                for row in held[type]
                if engine.decide(asked | {"resource": resource(row, type)}, NOW)["decision"]
            ]
            for mirror in (None, Grant):
                options = {"engine": engine, "context": context, "mirror": mirror, "now": NOW}
                try:
                    found = entity.objects.using(alias).authorized(SUBJECT, "read", **options)
                    assert sorted(found.values_list("pk", flat=True)) == sorted(expected), str(found.query)
                except QueryRefused as ex:
                    refused.append(ex.reason)

    agrees()
    assert {reason.split(",")[0] for reason in refused} <= {"a policy compares the order or a part of the id"}


OWNERS = {
    "extensions": ["references"],
    "resource_types": [{"id": "document", "actions": ["read", "update"]}, {"id": "folders", "actions": ["read"]}],
    "policies": [
        {
            "id": "owners",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": one, "actions": ["*"]} for one in ("document", "folders")],
            "conditions": {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]},
        }
    ],
}


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(OWNERS, tmp_path / "owners.bundle")


def mine(alias: str, *conditions: Q) -> list[str]:
    found = Document.objects.using(alias).filter(*conditions)
    return sorted(one.pk for one in found if one.owner == "alice")


def test_it_composes(alias: str, pdp: Engine) -> None:
    documents = Document.objects.using(alias)
    with override_settings(WRIT_ENGINE=pdp):
        allowed = documents.authorized(SUBJECT, "read")
    assert sorted(one.pk for one in allowed) == mine(alias)
    assert allowed.count() == len(mine(alias))
    assert allowed.exists()
    assert [one.pk for one in allowed.order_by("pk")[:2]] == sorted(mine(alias))[:2]
    assert sorted(one.pk for one in allowed.filter(folder__owner="alice")) == mine(alias, Q(folder_id=1))
    folders = Folder.objects.using(alias).filter(pk__in=allowed.values("folder_id"))
    assert {one.pk for one in folders} == {one.folder_id for one in allowed if one.folder_id}
    changed = allowed.update(size=77)
    assert changed == len(mine(alias))
    assert sorted(documents.filter(size=77).values_list("pk", flat=True)) == mine(alias)
    united = documents.union(documents.filter(size=11))
    with pytest.raises(QueryRefused, match="authorize each of them before the union"):
        united.authorized(SUBJECT, "read", engine=pdp)
    with pytest.raises(QueryRefused, match="authorize first, and slice then"):
        documents.all()[:5].authorized(SUBJECT, "read", engine=pdp)


def test_related_rows_of_declared_types_are_authorized_or_refused(alias: str, pdp: Engine) -> None:
    folders, documents = Folder.objects.using(alias), Document.objects.using(alias)
    allowed = folders.authorized(SUBJECT, "read", engine=pdp)
    with pytest.raises(QueryRefused, match=r"`documents`; load it with `Prefetch\('documents'"):
        allowed.prefetch_related("documents")
    with pytest.raises(QueryRefused, match="`folder`"):
        documents.select_related("folder").authorized(SUBJECT, "read", engine=pdp)
    with pytest.raises(QueryRefused, match="`folder`"):
        documents.authorized(SUBJECT, "read", engine=pdp).select_related()
    with pytest.raises(QueryRefused, match="`folder`"):
        documents.prefetch_related("folder").authorized(SUBJECT, "read", engine=pdp)
    own = documents.authorized(SUBJECT, "read", engine=pdp)
    (folder,) = allowed.prefetch_related(Prefetch("documents", queryset=own))
    assert sorted(one.pk for one in folder.documents.all()) == mine(alias, Q(folder_id=1))


REFUSED: dict[str, Any] = {
    "values": lambda rows: rows.values("folder__owner"),
    "a list": lambda rows: rows.values_list("pk", "folder__owner"),
    "an annotation": lambda rows: rows.annotate(one=Upper("folder__owner")),
    "a choice": lambda rows: rows.annotate(one=models.Case(models.When(folder__owner="bob", then=1), default=0)),
    "a subquery": lambda rows: rows.annotate(
        one=models.Subquery(Folder.objects.filter(pk=models.OuterRef("folder_id")).values("owner"))
    ),
    "one of the same type": lambda rows: rows.annotate(
        one=models.Exists(Document.objects.filter(folder=models.OuterRef("folder")))
    ),
    "an aggregate": lambda rows: rows.aggregate(one=models.Max("folder__owner")),
    "a text": lambda rows: rows.annotate(one=models.expressions.RawSQL("SELECT max(owner) FROM folders", ())),
    "an extra column": lambda rows: rows.extra(select={"one": "folders.owner"}),
}
"""Each of them returns something of other rows that nothing authorizes."""


@pytest.mark.parametrize("name", REFUSED)
def test_values_of_other_rows_are_refused(name: str, pdp: Engine, alias: str) -> None:
    """Before `authorized`, and after it."""
    rows = Document.objects.using(alias)
    words = r"returns values of `(Folder|Document)`|returns texts"
    with pytest.raises(QueryRefused, match=words):
        REFUSED[name](rows.authorized(SUBJECT, "read", engine=pdp))
    if name != "an aggregate":
        with pytest.raises(QueryRefused, match=words):
            REFUSED[name](rows).authorized(SUBJECT, "read", engine=pdp)


def test_values_of_its_own_rows_are_not(pdp: Engine, alias: str) -> None:
    rows = Document.objects.using(alias).authorized(SUBJECT, "read", engine=pdp)
    assert sorted(rows.values_list("pk", flat=True)) == mine(alias)
    assert {one["folder"] for one in rows.values("folder", large=Upper("status"))} <= {None, 1, 2}
    assert rows.aggregate(models.Max("size"), count=models.Count("*"))["count"] == len(mine(alias))
    counted = rows.values("status").annotate(number=models.Count("pk"))
    assert sum(one["number"] for one in counted) == len(mine(alias))
    readable = Folder.objects.using(alias).authorized(SUBJECT, "read", engine=pdp)
    of_row = readable.filter(pk=models.OuterRef("folder_id")).values("owner")
    assert {one.one for one in rows.annotate(one=models.Subquery(of_row))} <= {None, "alice"}


def test_what_is_not_said_is_refused(alias: str, pdp: Engine, tmp_path: Path) -> None:
    documents = Document.objects.using(alias)
    with pytest.raises(QueryRefused, match="give `engine`, or the setting `WRIT_ENGINE`"):
        documents.authorized(SUBJECT, "read")
    condition = {"resource_attrs": [{"key": "ownr", "op": "eq", "value": "alice"}]}
    policy = OWNERS["policies"][0] | {"conditions": condition}  # type: ignore[operator]  # a policy
    engine = engine_for(OWNERS | {"extensions": [], "policies": [policy]}, tmp_path / "misspelt.bundle")
    with pytest.raises(QueryRefused, match="did you mean `owner`"):
        documents.authorized(SUBJECT, "read", engine=engine)
    found = documents.authorized(SUBJECT, "read", engine=engine, fields={"ownr": Text("owner")})
    assert sorted(one.pk for one in found) == mine(alias)
    with pytest.raises(Untranslatable, match="contradicts"):
        documents.authorized(SUBJECT, "read", engine=engine, fields={"ownr": Text("size")}).count()


def test_an_index_serves_it(alias: str, pdp: Engine) -> None:
    found = Document.objects.using(alias).authorized(SUBJECT, "read", engine=pdp)
    with connections[alias].cursor() as cursor:
        if connections[alias].vendor == "postgresql":
            cursor.execute("SET enable_seqscan = off")
    assert "documents_owner" in found.explain()


UUID_2 = {"type": "keyed", "id": "00000000-0000-0000-0000-000000000002"}


def test_a_key_whose_text_is_not_that_of_a_grant_is_refused(alias: str, tmp_path: Path) -> None:
    keyed = {"resource_types": [{"id": "keyed", "actions": ["read"]}]}
    engine = engine_for(keyed, tmp_path / "keyed.bundle")
    rows = Keyed.objects.using(alias)
    if connections[alias].vendor == "postgresql":
        with connections[alias].schema_editor() as editor:
            editor.create_model(Keyed)
        for number in (1, 2):
            rows.create(id=UUID(int=number))
        put_grants(alias, [{"id": "g", "subject": SUBJECT, "actions": ["read"], "resource": UUID_2}])
        assert [one.pk.int for one in rows.authorized(SUBJECT, "read", engine=engine, mirror=Grant)] == [2]
        return
    with pytest.raises(QueryRefused, match="the key of `Keyed` is a UUIDField; keep the key as a text"):
        rows.authorized(SUBJECT, "read", engine=engine, mirror=Grant)


def test_a_grant_is_on_the_row_with_exactly_its_id(alias: str, tmp_path: Path) -> None:
    types = [{"id": one, "actions": ["read"]} for one in ("document", "folders")]
    engine = engine_for({"resource_types": types}, tmp_path / "none.bundle")

    def shown(entity: Any, ids: tuple[str, ...], type: str) -> list[Any]:
        grant = {"id": "g", "subject": SUBJECT, "actions": ["read"]}
        put_grants(alias, [grant | {"resource": {"type": type, "id": id}} for id in ids])
        rows = entity.objects.using(alias).authorized(SUBJECT, "read", engine=engine, mirror=Grant)
        others = entity.objects.using(alias).exclude(pk__in=rows.values("pk")).count()
        assert others + rows.count() == entity.objects.using(alias).count()
        return sorted(rows.values_list("pk", flat=True))

    no_ids = ("01", "1 ", "+1", "-0", "1.0", "1e0", "", "x", "\uff11", "1\n", "-", str(2**63), "9" * 25, "-1'", "017")
    assert shown(Folder, no_ids, "folders") == []
    assert shown(Folder, ("2", "2", "x", str(2**63 - 1), str(-(2**63))), "folders") == [2]
    assert shown(Document, ("d1", "D1X", "d2 ", "01"), "document") == ["01", "d1"]
