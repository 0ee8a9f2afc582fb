"""Django's Q on SQLite, held against the predicate; negation, joins, and the vendor it was made for."""

import pytest
from django.db import connection, models
from writ.runtime.translate import Attributes, Boolean, Integer, Json, Real, Text, Untranslatable
from writ.runtime.translate.django import q

from tests.support import django_settings
from tests.support.translated import INSIDE, TYPED, assert_agrees, field, rows

django_settings.configure()


class Folder(models.Model):
    text = models.TextField(null=True)

    class Meta:
        app_label = "papers"


class Paper(models.Model):
    key = models.TextField()
    text = models.TextField(null=True)
    whole = models.BigIntegerField(null=True)
    real = models.FloatField(null=True)
    flag = models.BooleanField(null=True)
    any = models.JSONField(null=True)
    doc = models.JSONField(null=True)
    folder = models.ForeignKey(Folder, models.CASCADE, null=True)

    class Meta:
        app_label = "papers"


FIELDS = {
    "id": Text("key"),
    "text": Text("text"),
    "whole": Integer("whole"),
    "real": Real("real"),
    "flag": Boolean("flag"),
    "any": Json("any"),
    "deep": Json("doc", ("a", "b")),
    **dict.fromkeys(INSIDE, Attributes("doc")),
}
ROWS = rows(seed=6, size=70)


@pytest.fixture(scope="module")
def papers():
    with connection.schema_editor() as editor:
        editor.create_model(Folder)
        editor.create_model(Paper)
    for row in ROWS:
        written = {name: row[name] for name in ("text", "whole", "real", "flag", "any", "doc")}
        folder = Folder.objects.create(text=row["text"]) if row["text"] else None
        Paper.objects.create(key=row["id"], folder=folder, **written)
    yield Paper.objects
    connection.close()


@pytest.mark.parametrize(
    "keys",
    [["id", *(name for name in TYPED if name != "money")], ["any", "deep", *INSIDE]],
    ids=["plain", "json"],
)
def test_it_says_what_the_predicate_says(papers, keys):
    def select(tree):
        return list(papers.filter(q(tree, FIELDS, dialect="sqlite")).values_list("key", flat=True))

    assert_agrees(select, ROWS, keys, examples=80, least=0.4)


def test_it_is_two_valued_in_django_s_own_logic(papers):
    chosen = q(field("text", "gt", "b"), FIELDS, dialect="sqlite")
    taken, left = papers.filter(chosen).count(), papers.exclude(chosen).count()
    assert taken
    assert taken + left == papers.count() == papers.filter(chosen | ~chosen).count()
    assert papers.filter(chosen & ~chosen).count() == 0


def test_a_foreign_key_that_leads_nowhere_is_absent(papers):
    chosen = q(field("text", "ne", "a"), {"text": Text("folder__text")}, dialect="sqlite")
    assert papers.filter(chosen).count() == sum(bool(row["text"]) and row["text"] != "a" for row in ROWS)
    assert papers.filter(~chosen).count() == papers.count() - papers.filter(chosen).count()


def test_a_filter_for_another_database_is_refused(papers):
    with pytest.raises(Untranslatable, match="make it for sqlite"):
        papers.filter(q(field("text", "eq", "a"), FIELDS, dialect="postgresql")).count()
