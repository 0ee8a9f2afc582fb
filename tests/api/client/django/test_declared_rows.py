"""Values of declared rows stay hidden behind undeclared models, subqueries, unions, parents and managers."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Prefetch, Subquery
from writ.runtime import Engine

from tests.support.shelved_rows import (
    ALICE,
    Box,
    Cover,
    Label,
    Paper,
    Report,
    Shelf,
    Tag,
    owned,
    pdp,
    shelved,
    text_of_box,
)

from writ.django import QueryRefused  # isort: skip  # Django is set up first

__all__ = ["pdp", "shelved"]  # fixtures
SHELF = Shelf.objects.filter(pk=OuterRef("shelf_id"))
INSIDE: dict[str, Any] = {
    "a path": lambda: text_of_box(),
    "an annotation": lambda: Subquery(SHELF.annotate(one=Max("boxes__text")).values("one")),
    "a subquery in it": lambda: Subquery(SHELF.annotate(one=Subquery(Box.objects.values("text")[:1])).values("one")),
    "an order": lambda: Subquery(Shelf.objects.order_by("-boxes__text").values("name")[:1]),
    "an order by an expression": lambda: Subquery(Shelf.objects.order_by(F("boxes__text").desc()).values("name")[:1]),
    "a condition": lambda: Subquery(SHELF.filter(boxes__owner="bob").values("name")[:1]),
    "a condition by a query": lambda: Exists(SHELF.filter(pk__in=Box.objects.filter(owner="bob").values("shelf"))),
    "a condition by a list": lambda: Exists(SHELF.filter(name__in=[Subquery(Box.objects.values("text")[:1])])),
    "exists": lambda: Exists(SHELF.filter(boxes__owner="bob")),
    "a child": lambda: Subquery(Report.objects.values("title")[:1]),
    "a proxy": lambda: Subquery(Cover.objects.values("text")[:1]),
    "an outer column": lambda: Subquery(SHELF.annotate(one=OuterRef("above__text")).values("one")),
    "a union": lambda: Subquery(Shelf.objects.values("name").union(Shelf.objects.values("boxes__text"))[:1]),
    "a table": lambda: Subquery(SHELF.extra(tables=["shelved_box"]).values("name")),
}
"""Each of them has something of rows that nothing authorizes."""

RETURNING: dict[str, Callable[[Any, Any], Any]] = {
    "annotate": lambda rows, one: rows.annotate(one=one),
    "values": lambda rows, one: rows.values(one=one),
    "aggregate": lambda rows, one: rows.aggregate(one=Max(one)),
    "update": lambda rows, one: rows.update(text=one),
    "bulk_update": lambda rows, one: rows.bulk_update([Paper(pk=1, text=one)], ["text"]),
    "get_or_create": lambda rows, one: rows.get_or_create({"text": one}, pk=77),
    "a callable": lambda rows, one: rows.update_or_create({"text": lambda: one}, pk=1),
}


@pytest.mark.parametrize("how", RETURNING)
@pytest.mark.parametrize("name", INSIDE)
def test_a_subquery_is_judged_by_all_that_it_reads(pdp: Engine, name: str, how: str) -> None:
    allowed = Paper.objects.authorized(ALICE, "read", engine=pdp)
    with pytest.raises(QueryRefused), transaction.atomic():
        RETURNING[how](allowed, INSIDE[name]())


def test_a_subquery_of_undeclared_rows_is_not_refused(pdp: Engine) -> None:
    allowed = Paper.objects.authorized(ALICE, "read", engine=pdp)
    boxes = Box.objects.authorized(ALICE, "read", engine=pdp)
    named = allowed.annotate(one=Subquery(SHELF.order_by("-name").values("name")[:1]), two=Exists(SHELF))
    assert {(one.one, one.two) for one in named} == {("shelf", True)}
    own = allowed.annotate(one=Subquery(SHELF.annotate(two=OuterRef("text")).values("two")))
    assert {one.one for one in own} == {one.text for one in allowed}
    inner = boxes.filter(shelf=OuterRef("pk")).order_by("-text").values("text")[:1]
    nested = allowed.annotate(one=Subquery(SHELF.annotate(two=Subquery(inner)).values("two")))
    assert {one.one for one in nested} == {"alice box 3"}
    assert sorted(one.pk for one in allowed.filter(Exists(SHELF.filter(boxes__owner="bob")))) == owned(allowed)


UNITED: dict[str, Callable[[Any], Any]] = {
    "a path": lambda rows: rows.union(Shelf.objects.values_list("boxes__text")),
    "an annotation": lambda rows: rows.union(Shelf.objects.annotate(one=Max("boxes__text")).values_list("one")),
    "a text": lambda rows: rows.union(Shelf.objects.extra(select={"one": "SELECT 1"}).values_list("one")),
    "a path before": lambda rows: Shelf.objects.values_list("boxes__text").union(rows),
    "columns after": lambda rows: Shelf.objects.all().union(rows).values_list("boxes__text"),
    "a child": lambda rows: rows.union(Report.objects.values_list("title")),
    "a subquery": lambda rows: rows.union(Shelf.objects.values_list(text_of_box())),
    "an intersection": lambda rows: rows.intersection(Shelf.objects.values_list("boxes__text")),
    "a difference": lambda rows: Shelf.objects.values_list("boxes__text").difference(rows),
}


@pytest.mark.parametrize("name", UNITED)
def test_a_part_of_a_union_is_judged_by_what_it_selects(pdp: Engine, name: str) -> None:
    with pytest.raises(QueryRefused):
        UNITED[name](Box.objects.authorized(ALICE, "read", engine=pdp).values_list("text"))


def test_undeclared_rows_are_united_with_authorized_ones(pdp: Engine) -> None:
    allowed = Box.objects.authorized(ALICE, "read", engine=pdp).values_list("text", flat=True)
    names = Shelf.objects.filter(boxes__owner="bob").values_list("name", flat=True)
    for found in (allowed.union(names), names.union(allowed)):
        assert sorted(found) == ["alice box 1", "alice box 3", "shelf"]


def test_a_row_has_the_values_of_its_parents_and_children(pdp: Engine) -> None:
    reports = Report.objects.authorized(ALICE, "read", engine=pdp, resource_type="shelved_paper")
    assert sorted(reports.values_list("text", flat=True)) == sorted(one.text for one in reports)
    assert reports.annotate(one=Max("size")).count() == len(owned(Report.objects.all()))
    papers = Paper.objects.authorized(ALICE, "read", engine=pdp)
    assert {one for (one,) in papers.values_list("report__title") if one} == {one.title for one in reports}


HIDDEN: dict[str, Callable[[Any], Any]] = {
    "a child above": lambda rows: rows.values("above__report__title"),
    "a child below": lambda rows: rows.annotate(one=F("below__report__title")),
    "a parent above": lambda rows: rows.values("above__text"),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_a_row_has_no_values_of_a_child_or_parent_of_another(pdp: Engine, name: str) -> None:
    for rows in (
        Report.objects.authorized(ALICE, "read", engine=pdp, resource_type="shelved_paper"),
        Paper.objects.authorized(ALICE, "read", engine=pdp),
    ):
        with pytest.raises(QueryRefused, match=r"returns values of `(Report|Paper)`"):
            HIDDEN[name](rows)


LOADED: dict[str, Callable[[Any], Any]] = {
    "its own lookups": lambda rows: Prefetch("shelf", queryset=Shelf.objects.prefetch_related("boxes")),
    "its own select_related": lambda rows: Prefetch("tags", queryset=Tag._base_manager.select_related("box")),
    "its annotations": lambda rows: Prefetch("shelf", queryset=Shelf.objects.annotate(one=Max("boxes__text"))),
    "its subqueries": lambda rows: Prefetch("shelf", queryset=Shelf.objects.annotate(one=text_of_box())),
    "its texts": lambda rows: Prefetch("shelf", queryset=Shelf.objects.extra(select={"one": "SELECT 1"})),
    "its manager": lambda rows: Prefetch("tags", queryset=Tag.objects.all()),
    "a nested queryset": lambda rows: Prefetch(
        "shelf", queryset=Shelf.objects.prefetch_related(Prefetch("boxes", queryset=Box.objects.all()))
    ),
    "a proxy": lambda rows: Prefetch("box", queryset=Cover.objects.all()),
    "the manager of a relation": lambda rows: "tags",
    "the manager of a relation, under a name": lambda rows: Prefetch("tags", to_attr="kept"),
    "below an authorized one": lambda rows: Prefetch("below", queryset=rows, to_attr="kept"),
    "the rows before an authorized one": lambda rows: "below__shelf",
    "a child": lambda rows: "below__report",
}


@pytest.mark.parametrize("name", LOADED)
def test_a_loaded_queryset_brings_no_declared_rows(pdp: Engine, name: str) -> None:
    rows = Paper.objects.authorized(ALICE, "read", engine=pdp)
    further = ["kept__shelf"] if name == "below an authorized one" else []
    with pytest.raises(QueryRefused):
        rows.prefetch_related(LOADED[name](rows), *further)
    with pytest.raises(QueryRefused):
        Paper.objects.prefetch_related(LOADED[name](rows), *further).authorized(ALICE, "read", engine=pdp)


def test_select_related_of_all_follows_undeclared_rows(pdp: Engine) -> None:
    labels = Label.objects.authorized(ALICE, "read", engine=pdp, resource_type="shelved_paper")
    with pytest.raises(QueryRefused, match="`tag__box`"):
        labels.select_related()
    assert [one.tag.name for one in labels.select_related("tag")] == ["tag"]


def test_authorized_and_undeclared_rows_are_loaded(pdp: Engine) -> None:
    papers = Paper.objects.authorized(ALICE, "read", engine=pdp)
    boxes = Box.objects.authorized(ALICE, "read", engine=pdp)
    found = boxes.prefetch_related(Prefetch("papers", queryset=papers), "papers__shelf")
    assert sorted(one.pk for box in found for one in box.papers.all()) == owned(
        one for one in Paper.objects.all() if one.box_id in (1, 3)
    )
    shelves = Shelf.objects.prefetch_related(Prefetch("boxes", queryset=boxes))
    (shelf,) = {one.shelf for one in papers.prefetch_related(Prefetch("shelf", queryset=shelves))}
    assert {one.owner for one in shelf.boxes.all()} == {"alice"}
    assert len(papers.prefetch_related(Prefetch("tags", queryset=Tag._base_manager.all()))) == 8
    reports = {one.report.title for one in papers.filter(pk__gte=7).select_related("report")}
    assert reports == {f"alice report {number}" for number in (7, 8, 10, 11)}
