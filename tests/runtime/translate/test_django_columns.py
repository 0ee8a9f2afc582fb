"""Fields of every type of Django: the fixed rows on SQLite and PostgreSQL, annotations, contradictions."""

import pytest
from django.db import connection, models
from django.db.models import BooleanField, Exists, ExpressionWrapper, F, OuterRef, Q, TextField, Value
from django.db.models.functions import Cast, Concat
from django.db.models.lookups import GreaterThan
from writ.runtime.translate import (
    Attributes,
    Boolean,
    Date,
    DateTime,
    Decimal,
    Enum,
    Integer,
    Json,
    Real,
    Text,
    Untranslatable,
    Uuid,
)
from writ.runtime.translate.django import q

from tests.support import django_settings
from tests.support.fixed_rows import STORED, assert_exact, native, rows
from tests.support.oracle_conditions import compare
from tests.support.translated import field

django_settings.configure()


class Shouted(models.TextField):
    def from_db_value(self, value, expression, connection):
        return value and value.upper()


class Sheet(models.Model):
    key = models.CharField(max_length=50)
    text = models.TextField(null=True)
    whole = models.BigIntegerField(null=True)
    real = models.FloatField(null=True)
    money = models.DecimalField(max_digits=12, decimal_places=4, null=True)
    flag = models.BooleanField(null=True)
    uid = models.UUIDField(null=True)
    day = models.DateField(null=True)
    moment = models.DateTimeField(null=True)
    state = models.CharField(max_length=20, null=True)
    doc = models.JSONField(null=True)
    shouted = Shouted(null=True)
    huge = models.DecimalField(max_digits=20, decimal_places=4, null=True)
    address = models.GenericIPAddressField(null=True)
    time = models.TimeField(null=True)
    parent = models.ForeignKey("self", models.CASCADE, null=True)

    class Meta:
        app_label = "sheets"


FIELDS = {
    "text": Text("text"),
    "whole": Integer("whole"),
    "real": Real("real"),
    "money": Decimal("money", digits=12),
    "flag": Boolean("flag"),
    "uid": Uuid("uid"),
    "day": Date("day"),
    "moment": DateTime("moment"),
    "state": Enum("state", STORED),
}
ROWS = rows()
REFUSED = ("regular expressions are not RE2", "not the text in which", "holds U+0000")


@pytest.fixture(params=["sqlite", "postgresql"], scope="module")
def database(request):
    if request.param == "sqlite":
        made = connection
    else:
        place = dict(part.split("=") for part in request.getfixturevalue("postgresql").split())
        names = {"NAME": place["dbname"], "USER": place["user"], "HOST": place["host"], "TIME_ZONE": "America/New_York"}
        made = django_settings.connect("postgresql", ENGINE="django.db.backends.postgresql", **names)
    with made.schema_editor() as editor:
        editor.create_model(Sheet)
    for row in stored(request.param):
        values = native(row)
        Sheet.objects.using(made.alias).create(key=values.pop("id"), **values)
    yield made
    with made.schema_editor() as editor:
        editor.delete_model(Sheet)
    made.close()


def stored(dialect):
    return [
        row | {"text": row["text"] and row["text"].replace("\0", "" if dialect != "sqlite" else "\0")} for row in ROWS
    ]


def test_every_field(database):
    sheets, dialect = Sheet.objects.using(database.alias), database.vendor
    fields = FIELDS | ({"money": Real("money")} if dialect == "sqlite" else {})

    def select(tree):
        return list(sheets.filter(q(tree, fields, dialect)).values_list("key", flat=True))

    assert_exact(select, stored(dialect), tuple(fields), REFUSED)


ANNOTATIONS = {
    "or": (ExpressionWrapper(Q(flag=True) | Q(whole=1), BooleanField()), Boolean),
    "not": (~Q(flag=True), Boolean),
    "greater": (GreaterThan(F("whole"), 1), Boolean),
    "exists": (~Exists(Sheet.objects.filter(flag=True, pk=OuterRef("pk"))), Boolean),
    "sum": (F("whole") % 7 + 1, Integer),
    "joined": (Concat("text", Value("b"), output_field=TextField()), Text),
    "cast": (Cast("shouted", TextField()), Text),
}


@pytest.mark.parametrize(("made", "kind"), ANNOTATIONS.values(), ids=ANNOTATIONS)
def test_an_annotation_is_one_operand(database, made, kind):
    """Without parentheses, `NOT a = false` is `NOT (a = false)`."""
    sheets = Sheet.objects.using(database.alias).annotate(k=made)
    values = {
        key: bool(value) if kind is Boolean and value is not None else value
        for key, value in sheets.values_list("key", "k")
    }
    for op, constant in (("eq", True), ("eq", False), ("ne", True), ("in", [2, "ab"]), ("gt", 1), ("ne", "z")):
        for is_negated in (False, True):
            tree = field("k", op, constant)
            asked = {"type": "logical", "operator": "not", "conditions": [tree]} if is_negated else tree
            found = set(sheets.filter(q(asked, {"k": kind("k")}, database.vendor)).values_list("key", flat=True))
            assert found == {key for key, value in values.items() if compare(op, value, constant) is not is_negated}


WRONG = [
    ("uid", Text, {"map it to Uuid"}),
    ("moment", Text, {"map it to DateTime"}),
    ("moment", Date, {"map it to DateTime"}),
    ("day", Text, {"map it to Date"}),
    ("day", DateTime, {"map it to Date"}),
    ("money", Text, {"map it to Decimal", "map it to Real"}),
    ("money", Integer, {"map it to Decimal", "map it to Real"}),
    ("huge", Real, {"keep the attribute in a field of another type"}),
    ("real", Integer, {"map it to Real"}),
    ("whole", Text, {"map it to Integer"}),
    ("whole", Boolean, {"map it to Integer"}),
    ("parent", Text, {"map it to Integer"}),
    ("flag", Integer, {"map it to Boolean"}),
    ("text", Integer, {"map it to Text"}),
    ("doc", Text, {"map it to Json"}),
    ("doc__a", Text, {"map it to Json"}),
    ("time", Text, {"keep the attribute in a field of another type"}),
    ("shouted", Text, {"annotate the query with a Cast of the field and map the annotation"}),
]


@pytest.mark.parametrize(
    ("name", "kind", "remedies"), WRONG, ids=[f"{name}-{kind.__name__}" for name, kind, _ in WRONG]
)
def test_a_mapping_that_contradicts_the_model_is_refused(database, name, kind, remedies):
    chosen = q(field("k", "ne", 1), {"k": kind(name)}, database.vendor)
    with pytest.raises(Untranslatable) as caught:
        Sheet.objects.using(database.alias).filter(chosen).count()
    assert caught.value.remedy in remedies


def test_fewer_digits_than_the_field_has_are_refused(database):
    chosen = q(field("k", "ne", 1), {"k": Decimal("money", 11)}, "postgresql")
    if database.vendor == "postgresql":
        with pytest.raises(Untranslatable, match="map it to Decimal with 12"):
            Sheet.objects.using("postgresql").filter(chosen).count()


def test_an_address_is_text_except_on_postgresql(database):
    """The text of PostgreSQL's type has the length of a network in it."""
    chosen = q(field("k", "eq", "::1"), {"k": Text("address")}, database.vendor)
    asked = Sheet.objects.using(database.alias).filter(chosen)
    if database.vendor == "sqlite":
        assert asked.count() == 0
    else:
        with pytest.raises(Untranslatable, match="contradicts the GenericIPAddressField"):
            asked.count()


def test_a_part_of_a_json_field_is_refused_on_sqlite():
    """Django reads the string "5" there as SQLite's text 5, which is JSON for a number."""
    for kind in (Json, Attributes):
        with pytest.raises(Untranslatable, match="map the whole field to Json with a path"):
            Sheet.objects.filter(q(field("k", "eq", 5), {"k": kind("doc__a")}, "sqlite")).count()


def test_instants_in_another_zone_are_refused_on_sqlite():
    other = django_settings.connect(
        "elsewhere", ENGINE="django.db.backends.sqlite3", NAME=":memory:", TIME_ZONE="Asia/Tokyo"
    )
    chosen = q(field("k", "gt", "2024"), {"k": DateTime("moment")}, "sqlite")
    with pytest.raises(Untranslatable, match="Django stores instants in Asia/Tokyo"):
        Sheet.objects.using(other.alias).filter(chosen).count()
    other.close()
