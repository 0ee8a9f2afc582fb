"""A small project of Django: papers and boxes of declared types, with shelves and tags of undeclared ones."""

import sys
from pathlib import Path
from typing import Any

import pytest
from django.apps import AppConfig, apps
from django.db import models
from django.db.models import Subquery
from writ.runtime import Engine

from tests.support import django_settings
from tests.support.bundling import engine_for

django_settings.configure()

from django.db import connection  # noqa: E402  # Django is set up first
from writ.django import AuthorizedQuerySet  # noqa: E402

ALICE = {"type": "user", "id": "alice"}
TYPES = ("shelved_paper", "shelved_box")
OWNERS = {
    "extensions": ["references"],
    "resource_types": [{"id": one, "actions": ["read"]} for one in TYPES],
    "policies": [
        {
            "id": "owners",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": one, "actions": ["*"]} for one in TYPES],
            "conditions": {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]},
        }
    ],
}


class Shelf(models.Model):
    """A row of an undeclared type."""

    name = models.CharField(max_length=50)
    objects = AuthorizedQuerySet.as_manager()

    class Meta:
        app_label = "shelved"


class Loading(models.Manager):  # type: ignore[type-arg]  # of any model
    """A manager whose rows bring a declared one."""

    def get_queryset(self) -> Any:
        """The rows with their box."""
        return super().get_queryset().select_related("box")


class Tag(models.Model):
    """A row of an undeclared type."""

    name = models.CharField(max_length=50)
    box = models.ForeignKey("Box", models.CASCADE)
    objects = Loading()

    class Meta:
        app_label = "shelved"


class Box(models.Model):
    """A row of a declared type."""

    writ_type = "shelved_box"
    owner = models.CharField(max_length=50)
    text = models.CharField(max_length=50)
    shelf = models.ForeignKey(Shelf, models.CASCADE, related_name="boxes")
    objects = AuthorizedQuerySet.as_manager()

    class Meta:
        app_label = "shelved"


class OtherQuerySet(models.QuerySet):  # type: ignore[type-arg]  # of any model
    """A queryset that knows nothing of Writ."""


class Paper(models.Model):
    """A row of a declared type."""

    writ_type = "shelved_paper"
    owner = models.CharField(max_length=50)
    text = models.CharField(max_length=50)
    size = models.IntegerField(default=0)
    box = models.ForeignKey(Box, models.CASCADE, related_name="papers")
    shelf = models.ForeignKey(Shelf, models.CASCADE, related_name="papers")
    above = models.ForeignKey("self", models.CASCADE, null=True, related_name="below")
    tags = models.ManyToManyField(Tag, related_name="papers")
    objects = AuthorizedQuerySet.as_manager()
    other = OtherQuerySet.as_manager()

    class Meta:
        app_label = "shelved"


class Report(Paper):
    """A child of a declared type."""

    writ_type = "shelved_paper"
    title = models.CharField(max_length=50)
    objects = AuthorizedQuerySet.as_manager()

    class Meta:
        app_label = "shelved"


class Cover(Box):
    """A proxy of a declared type."""

    class Meta:
        app_label = "shelved"
        proxy = True


class Label(models.Model):
    """A row that is authorized as another type."""

    owner = models.CharField(max_length=50)
    tag = models.ForeignKey(Tag, models.CASCADE)
    objects = AuthorizedQuerySet.as_manager()

    class Meta:
        app_label = "shelved"


TABLES = (Shelf, Box, Tag, Paper, Report, Label)


@pytest.fixture(scope="module", autouse=True)
def shelved() -> Any:
    """Papers of alice and of bob, in an installed application, whose relations lead in both directions."""
    config = AppConfig("shelved", sys.modules[__name__])
    config.apps, config.models = apps, apps.all_models["shelved"]
    apps.app_configs["shelved"] = config
    apps.clear_cache()
    with connection.schema_editor() as editor:
        for one in TABLES:
            editor.create_model(one)
    shelf = Shelf.objects.create(name="shelf")
    for number in range(1, 5):
        owner = "alice" if number % 2 else "bob"
        Box.objects.create(id=number, owner=owner, text=f"{owner} box {number}", shelf=shelf)
    tag = Tag.objects.create(name="tag", box_id=2)
    Label.objects.create(owner="alice", tag=tag)
    for number in range(1, 13):
        owner = "alice" if number % 3 else "bob"
        given = {"id": number, "owner": owner, "text": f"{owner} paper {number}", "box_id": 1 + number % 4}
        given |= {"shelf": shelf, "above_id": number - 1 or None}
        made = Report if number >= 7 else Paper
        title = {"title": f"{owner} report {number}"} if made is Report else {}
        made.objects.create(**given, **title).tags.add(tag)
    yield
    with connection.schema_editor() as editor:
        for one in reversed(TABLES):
            editor.delete_model(one)
    del apps.app_configs["shelved"]
    apps.clear_cache()


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(OWNERS, tmp_path / "owners.bundle")


def owned(rows: Any) -> list[int]:
    """The keys of the rows of alice."""
    return sorted(one.pk for one in rows if one.owner == "alice")


def text_of_box(rows: Any = None, path: str = "boxes__text") -> Any:
    """A subquery over shelves that has the text of a box."""
    return Subquery((Shelf.objects if rows is None else rows).order_by(f"-{path}").values(path)[:1])
