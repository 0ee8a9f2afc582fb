"""Rows that nothing authorizes are not taken over, by a new object, another key, an operator or a union."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import models, transaction
from django.db.models import ExpressionWrapper, F, Value, Window
from django.db.models.functions import Cast, Coalesce, Lower, RowNumber
from django.db.models.signals import pre_save
from writ.runtime import Engine

from tests.support.shelved_rows import ALICE, Box, Paper, Report, owned, pdp, shelved, text_of_box

from writ.django import QueryRefused  # isort: skip  # Django is set up first
from writ.django.changing import changing  # isort: skip  # the same

__all__ = ["pdp", "shelved"]  # fixtures

CREATED: dict[str, Callable[[Any], Any]] = {
    "rows that are there": lambda rows: rows.bulk_create(
        [Box(id=2, owner="alice", text="", shelf_id=1)],
        update_conflicts=True,
        update_fields=["owner"],
        unique_fields=["id"],
    ),
    "by position": lambda rows: rows.bulk_create(
        [Box(id=2, owner="alice", text="", shelf_id=1)], None, False, True, ["owner"], ["id"]
    ),
    "values of others": lambda rows: rows.bulk_create([Box(owner="alice", shelf_id=1, text=text_of_box())]),
    "of an iterator": lambda rows: rows.bulk_create(iter([Box(owner="alice", shelf_id=1, text=text_of_box())])),
}


@pytest.mark.parametrize("name", CREATED)
def test_many_rows_are_created_without_others(pdp: Engine, name: str) -> None:
    allowed = Box.objects.authorized(ALICE, "read", engine=pdp)
    with pytest.raises(QueryRefused), transaction.atomic():
        CREATED[name](allowed)


def test_many_rows_are_created(pdp: Engine) -> None:
    allowed = Box.objects.authorized(ALICE, "read", engine=pdp)
    with transaction.atomic():
        new = (Box(owner="alice", text=f"new {number}", shelf_id=1) for number in (1, 2))
        assert len(allowed.bulk_create(new, ignore_conflicts=True)) == 2
        assert sorted(allowed.values_list("text", flat=True))[2:] == ["new 1", "new 2"]
        transaction.set_rollback(True)


RIGHT: dict[str, Callable[[Any, Any], Any]] = {
    "or": lambda other, allowed: other | allowed,
    "or with a condition": lambda other, allowed: other.filter(size=0) | allowed.filter(size=0),
    "or of several": lambda other, allowed: (other.filter(size=0) | other.filter(size=1)) | allowed,
    "and": lambda other, allowed: other & allowed,
    "xor": lambda other, allowed: other ^ allowed,
    "union": lambda other, allowed: other.union(allowed),
    "union of three": lambda other, allowed: other.union(other, allowed, all=True),
    "intersection": lambda other, allowed: other.intersection(allowed),
    "difference": lambda other, allowed: other.difference(allowed),
    "a union in it": lambda other, allowed: other.union(allowed.union(allowed)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_queryset_that_knows_nothing_of_writ_takes_in_no_authorized_one(pdp: Engine, name: str) -> None:
    allowed = Paper.objects.authorized(ALICE, "read", engine=pdp)
    for ask in (list, len, lambda rows: rows.count(), lambda rows: rows.exists(), lambda rows: list(rows.values())):
        with pytest.raises(QueryRefused, match="takes in an authorized one"):
            ask(RIGHT[name](Paper.other.all(), allowed))


def test_authorized_rows_are_put_together(pdp: Engine) -> None:
    allowed = Paper.objects.authorized(ALICE, "read", engine=pdp)
    of_bob = Paper.objects.authorized({"type": "user", "id": "bob"}, "read", engine=pdp)
    keys = [*range(1, 13)]
    for found in (allowed | of_bob, allowed ^ of_bob, allowed.union(of_bob), allowed.union(allowed, of_bob)):
        assert sorted(one.pk for one in found) == keys
        assert found.count() == len(keys)
    nested = allowed.filter(pk__lte=6).union(allowed.union(of_bob))
    assert sorted(one.pk for one in nested.order_by("pk")) == keys
    assert Paper.other.filter(pk__in=allowed.values("pk")).count() == 8
    assert Paper.other.filter(pk__in=allowed.union(of_bob).values("pk")).count() == 12
    assert sorted(one.pk for one in Paper.other.none() | allowed) == owned(allowed)
    assert (allowed | allowed).filter(size=0).update(size=1) == 8
    assert allowed.filter(size=1).exclude(below__size=5).update(size=0) == 8


def taken(box: Box) -> None:
    box.pk = 2
    box.save()


def taken_without_insert(box: Box) -> None:
    box.pk = 2
    box.save(update_fields=["owner", "text"])


def deleted(box: Box) -> None:
    box.pk = 2
    box.delete()


@pytest.mark.parametrize("change", [taken, taken_without_insert, deleted])
@pytest.mark.parametrize("key", [1, None, 99])
def test_a_row_whose_key_an_object_takes_is_asked_about(pdp: Engine, change: Callable[[Box], None], key: Any) -> None:
    """A new object, and one that has a row."""
    before = Box.objects.filter(pk=2).values().get()
    box = Box(pk=key, owner="alice", text="mine", shelf_id=1)
    with (
        pytest.raises(PermissionDenied),
        changing(
            box,
            ALICE,
            "read",
            pdp=pdp,
        ),
    ):
        change(box)
    assert Box.objects.filter(pk=2).values().get() == before


def save_as(row: Any, **values: Any) -> None:
    for name, value in values.items():
        setattr(row, name, value)
    row.save()


NEW = {"owner": "alice", "text": "mine", "title": "", "box_id": 1, "shelf_id": 1}


@pytest.mark.parametrize("given", [{"id": 3}, {"paper_ptr_id": 3}, {"pk": 3}, {}])
def test_the_row_of_a_parent_is_asked_about(pdp: Engine, given: Any) -> None:
    report = Report(**NEW, **given) if given else Report.objects.get(pk=7)
    with pytest.raises(PermissionDenied), changing(report, ALICE, "read", pdp=pdp):
        save_as(report, id=3)
    assert Paper.objects.get(pk=3).owner == "bob"


def for_a_while(box: Box) -> None:
    save_as(box, pk=3, owner="bob")
    box.pk, box.owner = 1, "alice"


def test_a_row_whose_key_was_taken_for_a_while_is_asked_about_after_it(pdp: Engine) -> None:
    box = Box.objects.get(pk=1)
    with pytest.raises(PermissionDenied), changing(box, ALICE, "read", pdp=pdp):
        for_a_while(box)
    assert Box.objects.get(pk=3).owner == "alice"


def test_a_new_child_is_asked_about(pdp: Engine) -> None:
    with transaction.atomic():
        report = Report(**NEW)
        with changing(report, ALICE, "read", pdp=pdp):
            report.save()
        assert Report.objects.get(pk=report.pk).owner == "alice"
        transaction.set_rollback(True)


def test_an_object_may_take_the_key_of_an_allowed_row(pdp: Engine) -> None:
    box = Box.objects.get(pk=1)
    with transaction.atomic():
        for key in (3, 98):
            with changing(box, ALICE, "read", pdp=pdp):
                box.pk = key
                box.save()
        assert set(Box.objects.filter(text="alice box 1").values_list("pk", flat=True)) == {1, 3, 98}
        transaction.set_rollback(True)
    assert not pre_save.has_listeners(Box)


def numbered() -> Window:
    return Window(RowNumber(), order_by="-pk")


def test_a_filter_by_a_window_stands_after_authorized(pdp: Engine) -> None:
    """Before it, the window would have other rows with Writ's condition than without it."""
    rows = Paper.objects.annotate(number=numbered())
    for filtered in (rows.filter(number__lte=4), rows.exclude(number__gt=4)):
        with pytest.raises(QueryRefused, match=r"filter\(pk__in=…\)"):
            filtered.authorized(ALICE, "read", engine=pdp)
    allowed = Paper.objects.authorized(ALICE, "read", engine=pdp)
    last = owned(Paper.objects.all())[-4:]
    assert sorted(one.pk for one in allowed.annotate(number=numbered()).filter(number__lte=4)) == last
    of_all = allowed.filter(pk__in=rows.filter(number__lte=4).values("pk"))
    assert sorted(one.pk for one in of_all) == owned(Paper.objects.filter(pk__gt=8))


class Formatted(models.CharField):  # type: ignore[type-arg]  # of texts
    """A field that writes SQL itself."""

    def select_format(self, compiler: Any, sql: str, params: Any) -> Any:
        """Another value."""
        return "(SELECT max(text) FROM shelved_box)", ()


class Typed(models.CharField):  # type: ignore[type-arg]  # of texts
    """A field whose type is a text of SQL."""

    def db_type(self, connection: Any) -> str:
        """More than a type."""
        return "text) || (SELECT max(text) FROM shelved_box"

    cast_db_type = db_type


class Placed(models.CharField):  # type: ignore[type-arg]  # of texts
    """A field that writes its placeholder itself."""

    def get_placeholder(self, value: Any, compiler: Any, connection: Any) -> str:
        """More than a placeholder."""
        return "%s || (SELECT max(text) FROM shelved_box)"


TYPED: dict[str, Callable[[], Any]] = {
    "a wrapper": lambda: ExpressionWrapper(F("text"), output_field=Formatted()),
    "a function": lambda: Coalesce("text", Value(""), output_field=Formatted()),
    "a cast": lambda: Cast("text", Typed()),
    "a cast in a function": lambda: Lower(Cast("text", Typed())),
    "a value": lambda: Value("", output_field=Placed()),
}


@pytest.mark.parametrize("name", TYPED)
def test_a_field_that_writes_sql_gives_no_type_to_a_value(pdp: Engine, name: str) -> None:
    allowed = Paper.objects.authorized(ALICE, "read", engine=pdp)
    for ask in (lambda one: allowed.annotate(one=one), lambda one: allowed.update(text=one)):
        with pytest.raises(QueryRefused, match="returns texts"), transaction.atomic():
            ask(TYPED[name]())
    assert len(allowed.annotate(one=Cast("size", models.CharField()))) == 8
