"""Statements of Django's own constructs, with raw pieces: each has the rows that it selects and that are allowed.

A form is either exact, before and after `authorized`, or refused. Rows are asked one by one.
"""

import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import AppConfig, apps
from django.db import models, transaction
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    FilteredRelation,
    Func,
    OuterRef,
    Prefetch,
    Q,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import CombinedExpression, RawSQL
from django.db.models.functions import Lower, Upper
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from writ.runtime import Engine

from tests.api.client.django.test_querysets import OWNERS, Document, Folder, Grant, alias, put_grants, resource
from tests.runtime.translate.conftest import mariadb
from tests.support.authorized_rows import NOW, SUBJECT, model
from tests.support.bundling import engine_for
from tests.support.strategies_pick import Pick

from writ.django import AuthorizedQuerySet, QueryRefused  # isort: skip  # Django is set up first

__all__ = ["alias", "mariadb"]  # fixtures
TRUTH = models.BooleanField()
EITHER = "documents.status = 'draft' OR documents.status = 'final'"
BREAKOUTS = (
    "1=1) OR (1=1",
    "1=1 -- ",
    "1=1 /*",
    "1=1; SELECT 1",
    "(1=1",
    "'",
    "1=1) UNION SELECT * FROM documents WHERE (1=1",
)


class Small(models.Transform):
    """A transform that writes its SQL itself."""

    lookup_name = "small"
    output_field = TRUTH

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        sql, params = compiler.compile(self.lhs)
        return f"{sql} < 11 OR {sql} IS NULL", params


class Either(models.Lookup):
    """A lookup that writes its SQL itself."""

    lookup_name = "either"

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        left, params = self.process_lhs(compiler, connection)
        return f"{left} = %s OR {left} = 'final'", (*params, self.rhs)


class Bare(models.Expression):
    """An expression that writes a text."""

    def __init__(self, sql: str, output_field: Any = TRUTH):
        super().__init__(output_field=output_field)
        self.sql = sql

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return self.sql, []


class Soundness(Func):
    """A function of the database, as applications declare it."""

    function = "UPPER"


models.BigIntegerField.register_lookup(Small)
models.CharField.register_lookup(Either)


def is_either(sql: str) -> Iterator[Callable[[Any], Any]]:
    """The ways to put a text into the conditions."""
    yield lambda rows: rows.extra(where=[sql])
    yield lambda rows: rows.filter(RawSQL(sql, (), output_field=TRUTH))
    yield lambda rows: rows.exclude(RawSQL(sql, (), output_field=TRUTH))
    yield lambda rows: rows.filter(Func(template=sql, output_field=TRUTH))
    yield lambda rows: rows.filter(Bare(sql))
    yield lambda rows: rows.alias(one=Bare(sql)).filter(one=True)
    yield lambda rows: rows.alias(one=RawSQL(sql, (), output_field=TRUTH)).filter(one=True)
    yield lambda rows: rows.filter(Q(Bare(sql)) | Q(size=1))
    yield lambda rows: rows.filter(Q(size=11), Bare(sql))
    yield lambda rows: rows.filter(pk__in=Document.objects.using(rows.db).extra(where=[sql]).values("pk"))


def with_table(rows: Any) -> Any:
    return rows.extra(tables=["folders"], where=["folders.id = documents.folder_id OR folders.id = 2"])


def with_relation(rows: Any) -> Any:
    """Names the join of the folders, so that Django itself leaves out the table of `with_table`."""
    return rows.annotate(f=FilteredRelation("folder", condition=Q(folder__owner="alice"))).filter(f__isnull=True)


WHERES: list[Callable[[Any], Any]] = [
    *is_either(EITHER),
    lambda rows: rows.filter(size__small=True),
    lambda rows: rows.filter(status__either="draft"),
    lambda rows: rows.filter(Func("size", 11, arg_joiner=" = ", template="%(expressions)s OR 1=1", output_field=TRUTH)),
    lambda rows: rows.filter(Func("public", True, arg_joiner=" OR ", template="%(expressions)s", output_field=TRUTH)),
    lambda rows: rows.filter(CombinedExpression(Q(size=11), "OR", Q(size=1), output_field=TRUTH)),
    lambda rows: rows.extra(where=["documents.status = %s OR documents.size = 1"], params=["draft"]),
    with_table,
    lambda rows: rows.filter(Exists(Folder.objects.filter(pk=OuterRef("folder_id"), owner="alice"))),
    lambda rows: rows.filter(folder__owner="alice"),
    lambda rows: rows.exclude(folder__owner="alice"),
    with_relation,
    lambda rows: rows.filter(Q(owner="bob") | Q(size=11)),
    lambda rows: rows.filter(owner__in=Subquery(Folder.objects.values("owner"))),
    lambda rows: rows.filter(status=Lower("status")),
]  # fmt: skip
"""Conditions. Most have a piece that binds weaker than AND."""

OTHERS: list[Callable[[Any], Any]] = [
    lambda rows: rows,
    lambda rows: rows.order_by("folder__owner", "pk"),
    lambda rows: rows.order_by(RawSQL("documents.size", ()), "pk"),
    lambda rows: rows.order_by(Func(template="documents.size", output_field=models.BigIntegerField()).desc(), "pk"),
    lambda rows: rows.order_by(Bare("documents.size + 1", models.BigIntegerField())),
    lambda rows: rows.alias(one=Bare("documents.size", models.BigIntegerField())).order_by("-one"),
    lambda rows: rows.extra(order_by=["-documents.size"]),
    lambda rows: rows.annotate(one=Soundness("status")),
    lambda rows: rows.annotate(number=Count("pk")).filter(number__gte=1),
    lambda rows: rows.only("owner"),
    lambda rows: rows.distinct(),
]
"""What does not change the rows."""


@pytest.mark.parametrize("many", [1, 3])
def test_a_statement_has_what_it_selects_and_what_is_allowed(alias: str, tmp_path: Path, many: int) -> None:
    held = list(Document.objects.using(alias))
    rows = Document.objects.using(alias)
    refused: list[str] = []

    @settings(
        max_examples=12, phases=[Phase.generate]
    )  # to make one smaller takes minutes, and its SQL is in the message
    @given(data=st.data(), before=st.booleans())
    def agrees(data: st.DataObject, before: bool) -> None:
        pick = Pick.drawn(data.draw)
        drawn = model(pick)
        engine = engine_for(drawn, tmp_path / "drawn.bundle")
        put_grants(alias, drawn["grants"])
        asked = {"subject": SUBJECT, "action": {"name": "read"}, "context": {}}
        allowed = {
            row.pk for row in held if engine.decide(asked | {"resource": resource(row, "document")}, NOW)["decision"]
        }
        parts = [data.draw(st.sampled_from(WHERES)) for _ in range(many)] + [data.draw(st.sampled_from(OTHERS))]

        assume(not {with_table, with_relation} <= {*parts})

        def stated(rows: Any) -> Any:
            for part in parts:
                rows = part(rows)
            return rows

        def authorized(rows: Any) -> Any:
            return rows.authorized(SUBJECT, "read", engine=engine, context={}, mirror=Grant, now=NOW)

        expected = sorted({one.pk for one in stated(rows)} & allowed)
        try:
            found = authorized(stated(rows)) if before else stated(authorized(rows))
            assert sorted({one.pk for one in found}) == expected, str(found.query)
            assert found.count() >= len(expected)
            assert found.exists() is bool(expected)
            assert {*found.values_list("pk", flat=True)} == {*expected}
            check_changes(found.order_by(), {*expected}, alias)
        except QueryRefused as ex:
            refused.append(ex.reason)

    agrees()
    assert {reason.split(",")[0] for reason in refused} <= {"a policy compares the order or a part of the id"}


def check_changes(found: Any, expected: set[str], alias: str) -> None:
    """An update and a delete reach the rows, and no others."""
    if found.query.distinct or found.query.annotations or found.query.extra_tables:
        return
    with transaction.atomic(using=alias):
        found.update(size=4711)
        assert {*Document.objects.using(alias).filter(size=4711).values_list("pk", flat=True)} == expected
        transaction.set_rollback(True, using=alias)
    with transaction.atomic(using=alias):
        before = {*Document.objects.using(alias).values_list("pk", flat=True)}
        found.delete()
        assert {*Document.objects.using(alias).values_list("pk", flat=True)} == before - expected
        transaction.set_rollback(True, using=alias)


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(OWNERS, tmp_path / "owners.bundle")


def mine(alias: str) -> list[str]:
    return sorted(one.pk for one in Document.objects.using(alias) if one.owner == "alice")


@pytest.mark.parametrize("sql", BREAKOUTS)
def test_a_text_that_leaves_its_brackets_is_refused(alias: str, pdp: Engine, sql: str) -> None:
    rows = Document.objects.using(alias)
    for stated in is_either(sql):
        with pytest.raises(QueryRefused, match="SQL text"):
            list(stated(rows).authorized(SUBJECT, "read", engine=pdp))
        with pytest.raises(QueryRefused, match="SQL text"):
            list(stated(rows.authorized(SUBJECT, "read", engine=pdp)))
    for order in (RawSQL(sql, ()), Func(template=sql, output_field=TRUTH), Bare(sql)):
        with pytest.raises(QueryRefused, match="SQL text"):
            list(rows.authorized(SUBJECT, "read", engine=pdp).order_by(order))


MISPLACED: dict[str, Callable[[Any], Any]] = {
    "in quotes": lambda rows: rows.extra(where=["status <> '%s'"], params=[" OR 1=1)) OR ((1=1 OR status="]),
    "in a pattern": lambda rows: rows.filter(RawSQL("status LIKE '%%%s%%'", ["x"], output_field=TRUTH)),
    "in a template": lambda rows: rows.filter(Func("size", template="status <> '%(expressions)s'", output_field=TRUTH)),
    "in a template with a value": lambda rows: rows.filter(
        Func(Value("x"), template="status <> '%(expressions)s'", output_field=TRUTH)
    ),
    "too few": lambda rows: rows.filter(RawSQL("status = %s AND status = %s", ["draft"], output_field=TRUTH)),
    "too many": lambda rows: rows.extra(where=["status = %s"], params=["draft", "bob"]),
    "none": lambda rows: rows.order_by(RawSQL("coalesce(%s, 1)", [])),
}
"""Values that a driver puts elsewhere than where Django means them."""


@pytest.mark.parametrize("name", MISPLACED)
def test_a_misplaced_value_is_refused(alias: str, pdp: Engine, name: str) -> None:
    rows = Document.objects.using(alias)
    if name == "in a template":  # a column is no value
        assert {one.pk for one in MISPLACED[name](rows).authorized(SUBJECT, "read", engine=pdp)} <= {*mine(alias)}
        return
    for found in (
        lambda: MISPLACED[name](rows).authorized(SUBJECT, "read", engine=pdp),
        lambda: MISPLACED[name](rows.authorized(SUBJECT, "read", engine=pdp)),
    ):
        with pytest.raises(QueryRefused, match=r"inside of quotes|another number of values"):
            list(found())


@pytest.mark.parametrize("sql", ["coalesce(@a, 1)", "coalesce(:a, 1)", "$a", "#a", "1 + @a(x)"])
def test_a_variable_of_sqlite_is_refused(alias: str, pdp: Engine, sql: str) -> None:
    """It takes the value that is meant for another place."""
    if "sqlite" not in alias:
        pytest.skip("other databases have no such variables, or refuse them")
    rows = Document.objects.using(alias).authorized(SUBJECT, "read", engine=pdp)
    for found in (rows.order_by(RawSQL(sql, [])), rows.extra(where=[f"{sql} IS NULL"])):
        with pytest.raises(QueryRefused, match="a variable"):
            list(found)


def test_values_and_percent_signs_in_their_places_are_taken(alias: str, pdp: Engine) -> None:
    rows = Document.objects.using(alias)
    stated = rows.filter(RawSQL("(status = %s OR status NOT LIKE '50%%')", ["draft"], output_field=TRUTH))
    expected = {one.pk for one in stated} & {*mine(alias)}
    assert {one.pk for one in stated.authorized(SUBJECT, "read", engine=pdp)} == expected != set()


UNION = "documents.id UNION SELECT * FROM documents"
MAX = "(SELECT max(owner) FROM folders)"
REFUSED: dict[str, Callable[[Any], Any]] = {
    "a template": lambda rows: rows.annotate(one=Func(template=MAX, output_field=models.TextField())),
    "a function": lambda rows: rows.annotate(one=Func("size", function=f"{MAX}, ABS")),
    "a joiner": lambda rows: rows.annotate(one=Func("size", "size", function="ABS", arg_joiner=") + (")),
    "an expression": lambda rows: rows.annotate(one=Bare(MAX)),
    "in a function": lambda rows: rows.annotate(one=Upper(Bare(MAX))),
    "in a choice": lambda rows: rows.annotate(one=by_folder(RawSQL("(SELECT true)", (), output_field=TRUTH))),
    "a lookup": lambda rows: rows.annotate(one=by_folder(Q(status__either="draft"))),
    "a choice by a query": lambda rows: rows.annotate(one=by_folder(Q(folder__in=Folder.objects.filter(owner="bob")))),
    "an alias": lambda rows: rows.alias(one=Bare("1")).annotate(two=F("one")),
    "values": lambda rows: rows.values(one=Bare(MAX)),
    "an aggregate": lambda rows: rows.annotate(one=models.Max(RawSQL(MAX, ()))),
    "an extra": lambda rows: rows.extra(select={"one": MAX}),
    "an order": lambda rows: rows.extra(order_by=[UNION]),
    "a table": lambda rows: rows.extra(tables=['"folders" WHERE 1=1 OR "folders"']),
    "a relation": lambda rows: rows.annotate(
        f=FilteredRelation("folder", condition=Q(folder__in=RawSQL("SELECT 1", ())))
    ).filter(f__isnull=True),
    "a connector": lambda rows: rows.annotate(one=CombinedExpression(F("size"), "+ 1 FROM folders --", F("size"))),
    "the earliest": lambda rows: rows.earliest(RawSQL("documents.size", ())),
}
"""Raw pieces where no brackets confine them, or that show what they read."""


@pytest.mark.parametrize("name", REFUSED)
def test_raw_pieces_elsewhere_are_refused(alias: str, pdp: Engine, name: str) -> None:
    rows = Document.objects.using(alias)
    with pytest.raises(QueryRefused):
        list(REFUSED[name](rows.authorized(SUBJECT, "read", engine=pdp)))
    if name != "the earliest":
        with pytest.raises(QueryRefused):
            list(REFUSED[name](rows).authorized(SUBJECT, "read", engine=pdp))


def folder_owner(rows: Any) -> Any:
    """The owner of some folder, which nothing authorizes."""
    return Subquery(Folder.objects.using(rows.db).values("owner")[:1])


def of_bob(rows: Any) -> Any:
    return Document.objects.using(rows.db).filter(owner="bob").values("status")[:1]


def by_folder(condition: Any) -> Any:
    return Case(When(condition, then=Value("b")), default=Value("a"))


def plain(rows: Any) -> Any:
    """All rows, by a queryset of Django itself."""
    return models.QuerySet(Document, using=rows.db)


TOGETHER: dict[str, Callable[[Any, Any], Any]] = {
    "or": lambda allowed, rest: allowed | rest,
    "or after": lambda allowed, rest: rest | allowed,
    "xor": lambda allowed, rest: allowed ^ rest,
    "xor after": lambda allowed, rest: rest ^ allowed,
    "and after": lambda allowed, rest: rest & allowed,
    "union": lambda allowed, rest: allowed.union(rest),
    "union after": lambda allowed, rest: rest.union(allowed),
    "union of three": lambda allowed, rest: allowed.union(allowed, rest),
    "intersection": lambda allowed, rest: allowed.intersection(rest),
    "difference": lambda allowed, rest: rest.difference(allowed),
    "difference before": lambda allowed, rest: allowed.values("owner").difference(rest.values("owner")),
    "raw": lambda allowed, rest: allowed.raw("SELECT * FROM documents"),
    "slices": lambda allowed, rest: allowed[:2] | allowed,
    "prefetch": lambda allowed, rest: Folder.objects.using(rest.db).prefetch_related(
        Prefetch("documents", queryset=allowed | rest)
    ),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_what_is_not_authorized_is_not_put_together_with_what_is(alias: str, pdp: Engine, name: str) -> None:
    rows = Document.objects.using(alias)
    allowed = rows.authorized(SUBJECT, "read", engine=pdp)
    with pytest.raises(QueryRefused):
        TOGETHER[name](allowed, rows.all())
    if "after" in name and "union" not in name:
        with pytest.raises(QueryRefused):
            TOGETHER[name](allowed, plain(rows))


def test_what_is_authorized_is_put_together(alias: str, pdp: Engine) -> None:
    rows = Document.objects.using(alias)
    allowed = rows.authorized(SUBJECT, "read", engine=pdp)
    raw = allowed.extra(where=[EITHER])
    expected = sorted({one.pk for one in rows.extra(where=[EITHER])} & {*mine(alias)})
    for found in (raw | raw, raw & rows.all(), raw & allowed, allowed & raw, raw.union(raw), raw.intersection(allowed)):
        assert isinstance(found, AuthorizedQuerySet)
        assert sorted(one.pk for one in found) == expected
    assert sorted(one.pk for one in (raw | allowed).filter(Bare("1=0 OR 1=1"))) == mine(alias)
    assert sorted(one.pk for one in allowed ^ raw) == sorted({*mine(alias)} - {*expected})
    assert sorted(one.pk for one in allowed.difference(raw)) == sorted({*mine(alias)} - {*expected})
    assert sorted(one.pk for one in rows.none() | allowed) == mine(alias)
    assert sorted(one.pk for one in allowed | rows.none()) == mine(alias)
    either = allowed | rows.filter(size=11).authorized({"type": "user", "id": "bob"}, "read", engine=pdp)
    assert {one.pk for one in either} == {
        *mine(alias),
        *(one.pk for one in rows.filter(size=11) if one.owner == "bob"),
    }
    with pytest.raises(QueryRefused):
        (allowed | raw).values("folder__owner")
    (folder,) = Folder.objects.using(alias).filter(pk=1).prefetch_related(Prefetch("documents", queryset=allowed & raw))
    assert {one.pk for one in folder.documents.all()} <= {*expected}


WRITTEN: dict[str, Callable[[Any], Any]] = {
    "a subquery": lambda rows: rows.update(status=Subquery(of_bob(rows))),
    "a queryset": lambda rows: rows.update(status=of_bob(rows)),
    "a related column": lambda rows: rows.update(status=F("folder__owner")),
    "a choice": lambda rows: rows.update(status=by_folder(Q(folder__owner="bob"))),
    "a choice by a query": lambda rows: rows.update(
        status=by_folder(Q(folder__in=Folder.objects.using(rows.db).filter(owner="bob")))
    ),
    "an alias": lambda rows: rows.alias(one=folder_owner(rows)).update(status=F("one")),
    "a text": lambda rows: rows.update(status=RawSQL(MAX, ())),
    "a template": lambda rows: rows.update(status=Func(template=MAX)),
    "many": lambda rows: rows.bulk_update([Document(pk="d1", status=folder_owner(rows))], ["status"]),
    "or created": lambda rows: rows.update_or_create({"status": folder_owner(rows)}, pk="d1"),
    "or got": lambda rows: rows.get_or_create({"status": folder_owner(rows)}, pk="new"),
    "created": lambda rows: rows.create(pk="new", status=folder_owner(rows)),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_values_of_other_rows_are_not_written(alias: str, pdp: Engine, name: str) -> None:
    """A hidden value would come into a row that the subject may read."""
    allowed = Document.objects.using(alias).authorized(SUBJECT, "read", engine=pdp)
    with pytest.raises(QueryRefused), transaction.atomic(using=alias):
        WRITTEN[name](allowed)


def test_own_values_and_authorized_ones_are_written(alias: str, pdp: Engine) -> None:
    rows = Document.objects.using(alias)
    allowed = rows.authorized(SUBJECT, "read", engine=pdp)
    readable = Folder.objects.using(alias).authorized(SUBJECT, "read", engine=pdp)
    with transaction.atomic(using=alias):
        allowed.update(size=F("size") + 1, status=Case(When(owner="alice", then=Value("mine")), default=Value("")))
        assert sorted(rows.filter(status="mine").values_list("pk", flat=True)) == mine(alias)
        allowed.filter(folder=1).update(status=Subquery(readable.filter(pk=1).values("owner")))
        assert {one.status for one in rows.filter(folder=1, pk__in=mine(alias))} <= {"alice"}
        first = allowed.order_by("pk").first()
        assert first is not None
        first.status = "second"
        assert allowed.bulk_update([first], ["status"]) == 1
        transaction.set_rollback(True, using=alias)


def test_a_pickled_queryset_keeps_its_rows_and_refuses_what_is_not_known(
    alias: str, pdp: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = AppConfig("authorized", sys.modules[__name__])
    config.apps, config.models = apps, apps.all_models["authorized"]
    monkeypatch.setitem(apps.app_configs, "authorized", config)  # an installed application, whose models pickle finds
    allowed = Document.objects.using(alias).authorized(SUBJECT, "read", engine=pdp, mirror=Grant)
    restored = pickle.loads(pickle.dumps(allowed))
    assert sorted(one.pk for one in restored) == mine(alias)
    assert sorted(one.pk for one in restored.filter(Bare("1=1 OR 1=1"))) == mine(alias)
    with pytest.raises(QueryRefused):
        restored.values("folder__owner")
    with pytest.raises(QueryRefused):
        restored | Document.objects.using(alias).all()
    query = Document.objects.using(alias).all()
    query.query = pickle.loads(pickle.dumps(allowed.query))
    assert sorted(one.pk for one in query) == mine(alias)
