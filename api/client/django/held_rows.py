"""The condition that a row has a direct grant in force, for each database (F8, P4, P7)."""

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_
from typing import Any, Final

from django.db import models
from django.db.models.functions import Cast
from django.db.models.lookups import Exact, In, IsNull

from ..queries.refusal import QueryRefused
from ..runtime.translate import DirectGrants
from .model_fields import key_of


def held(node: DirectGrants, mirror: Any, model: Any, now: float, vendor: str) -> Any:
    """Returns the condition that a row of a model has a grant in force. It is never NULL.

    Raises QueryRefused if the key of the model is no text or integer, and no UUID of PostgreSQL.

    PERF: in PostgreSQL, and in SQLite for integers, it reads the grants of the subject once, whatever row it is asked
    about. PostgreSQL takes a subquery about each row for so expensive that it compiles the query first.
    """
    _check_key(model, vendor)
    type, id = node.subject
    holder = models.Q(_same("subject_type", type, vendor), _same("subject_id", id, vendor))
    if node.groups:
        holder |= _one_of("group_id", node.groups, vendor)
    found = mirror.objects.filter(
        holder,
        models.Q(starts_at=None) | models.Q(starts_at__lte=now),
        models.Q(expires_at=None) | models.Q(expires_at__gt=now),
        _same("resource_type", node.resource_type, vendor),
        _one_of("action", (node.action, "*"), vendor),
    )
    key = key_of(model)
    if isinstance(key, models.IntegerField) and vendor in _NUMBERS:
        present = Exact(_TypeOf("pk"), models.Value("integer")) if vendor == "sqlite" else _present()
        return models.Q(present, _among("pk", found, _NUMBERS[vendor]("resource_id")))
    if vendor != "postgresql":
        return models.Exists(found.filter(_same("resource_id", _as_text(models.OuterRef("pk"), vendor), vendor)))
    exact = _among(_CodePoints("pk"), found, _CodePoints("resource_id"))
    if isinstance(key, models.UUIDField):
        return models.Q(_present(), exact)
    return models.Q(_present(), _among("pk", found, models.F("resource_id")), exact)


def _present() -> Any:
    return IsNull(models.F("pk"), False)


def _among(key: Any, found: Any, id: Any) -> Any:
    """Returns that a key is among the ids of grants. An id that is no key is NULL, and left out."""
    ids = found.annotate(writ_id=id).filter(writ_id__isnull=False).values("writ_id")
    return In(models.F(key) if isinstance(key, str) else key, ids.query)


def _check_key(model: Any, vendor: str) -> None:
    key = key_of(model)
    is_text = isinstance(key, models.CharField | models.TextField) and not hasattr(key, "from_db_value")
    if (
        is_text
        or isinstance(key, models.IntegerField)
        or (isinstance(key, models.UUIDField) and vendor == "postgresql")
    ):
        return
    reason = f"grants name their resources by texts, and the key of `{model.__name__}` is a {type(key).__name__}"
    raise QueryRefused(reason, "keep the key as a text or an integer, or leave `mirror` out")


class _OfPostgreSql(models.Func):  # type: ignore[misc]  # Django has no types
    """The integer that a text says, or NULL. A CASE keeps another text from the cast, which would fail.

    PERF: patterns and decimals take ten times as long. So they are for long and negative numbers alone.
    """

    template = (
        "CASE WHEN length(%(expressions)s) BETWEEN 1 AND 18 AND length(ltrim(%(expressions)s, '0123456789')) = 0"
        " AND (ascii(%(expressions)s) <> 48 OR length(%(expressions)s) = 1) THEN CAST(%(expressions)s AS bigint)"
        " WHEN %(expressions)s ~ '^-?[123456789][0123456789]{0,18}$' THEN"
        f" CASE WHEN CAST(%(expressions)s AS numeric) BETWEEN {-(2**63)} AND {2**63 - 1}"
        " THEN CAST(%(expressions)s AS bigint) END END"
    )
    output_field = models.BigIntegerField()


class _OfSqlite(models.Func):  # type: ignore[misc]  # Django has no types
    """The same for SQLite, whose cast takes what a text begins with."""

    template = (
        "CASE WHEN CAST(CAST(%(expressions)s AS INTEGER) AS TEXT) = %(expressions)s COLLATE BINARY"
        " THEN CAST(%(expressions)s AS INTEGER) END"
    )
    output_field = models.BigIntegerField()


_NUMBERS: Final[Mapping[str, Any]] = {"postgresql": _OfPostgreSql, "sqlite": _OfSqlite}


class _TypeOf(models.Func):  # type: ignore[misc]  # Django has no types
    """The type of a value in SQLite, which may be another one than its column's."""

    function = "typeof"
    output_field = models.TextField()


class _CodePoints(models.Func):  # type: ignore[misc]  # Django has no types
    """A text of PostgreSQL that is compared by its code points, whatever the collation of its column."""

    template = 'CAST(%(expressions)s AS text) COLLATE "C"'
    output_field = models.TextField()


def _as_text(key: Any, vendor: str) -> Any:
    return _Concatenated(key) if vendor in ("mysql", "mariadb") else Cast(key, models.CharField())


class _Concatenated(models.Func):  # type: ignore[misc]  # Django has no types
    """A text or a number of MySQL as text. CAST would give it the collation of the connection, which may differ."""

    template = "CONCAT(%(expressions)s, '')"
    output_field = models.TextField()


class _Bytes(models.Func):  # type: ignore[misc]  # Django has no types
    """A text of MySQL that is compared by its bytes, whatever the collation of its column."""

    template = "CAST(CONVERT(%(expressions)s USING utf8mb4) AS BINARY)"
    output_field = models.TextField()


def _same(name: str, value: Any, vendor: str) -> Any:
    """Returns that a column has this text. In MySQL, its index serves the first comparison, and the second decides."""
    equal = models.Q(**{name: value})
    if vendor not in ("mysql", "mariadb"):
        return equal
    text = models.Value(value, output_field=models.TextField()) if isinstance(value, str) else value
    return equal & models.Q(Exact(_Bytes(models.F(name)), _Bytes(text)))


def _one_of(name: str, values: Iterable[str], vendor: str) -> Any:
    if vendor not in ("mysql", "mariadb"):
        return models.Q(**{f"{name}__in": [*values]})
    return reduce(or_, (_same(name, value, vendor) for value in values))
