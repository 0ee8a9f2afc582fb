"""The model of a table of direct grants, and the condition that a row has one (F8, P4, P7)."""

from collections.abc import Iterable
from functools import cache, reduce
from operator import or_
from typing import Any, Final

from django.db import models
from django.db.models.functions import Cast
from django.db.models.lookups import Exact

from ..queries.refusal import QueryRefused
from ..runtime.translate import DirectGrants
from .model_fields import key_of

_LENGTH: Final = 512
_PREFIX: Final = 191
"""The characters of a column that an index of MySQL holds: a key has at most 3,072 bytes."""


def _text(**more: Any) -> Any:
    return models.CharField(max_length=_LENGTH, **more)


class GrantIndex(models.Index):  # type: ignore[misc]  # Django has no types
    """An index over texts, which holds their beginnings in MySQL."""

    def create_sql(self, model: Any, schema_editor: Any, using: str = "", **kwargs: Any) -> Any:
        """Returns the statement that makes the index."""
        if schema_editor.connection.vendor != "mysql":
            return super().create_sql(model, schema_editor, using, **kwargs)
        fields = [model._meta.get_field(name) for name, _ in self.fields_orders]
        lengths = [f"({_PREFIX})"] * len(fields)
        return schema_editor._create_index_sql(
            model, fields=fields, name=self.name, using=using, col_suffixes=lengths, **kwargs
        )


@cache
def grant_row() -> Any:
    """Returns the abstract model `GrantRow`. Django makes models only after it was set up."""

    class GrantRow(models.Model):  # type: ignore[misc]  # Django has no types
        """A row for each action of each grant, with the columns of `writ.sqlalchemy.grants_table`. Extend it.

        `starts_at` and `expires_at` are epoch seconds.
        """

        number = models.BigAutoField(primary_key=True)
        grant_id = _text(db_column="id")
        subject_type = _text(null=True)
        subject_id = _text(null=True)
        group_id = _text(null=True)
        resource_type = _text()
        resource_id = _text()
        action = _text()
        starts_at = models.FloatField(null=True)
        expires_at = models.FloatField(null=True)
        revision = _text(null=True)

        class Meta:
            """Its indexes serve queries from a row, and from a holder."""

            abstract = True
            indexes = (
                GrantIndex(fields=["resource_type", "resource_id", "action"]),
                GrantIndex(fields=["subject_id", "resource_type", "action"]),
                GrantIndex(fields=["group_id", "resource_type", "action"]),
            )

    return GrantRow


def held(node: DirectGrants, mirror: Any, model: Any, now: float, vendor: str) -> Any:
    """Returns the condition that a row of a model has a grant in force.

    Raises QueryRefused if the key of the model is no text or integer, and no UUID of PostgreSQL.
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
        _same("resource_id", _as_text(models.OuterRef("pk"), vendor), vendor),
        _same("resource_type", node.resource_type, vendor),
        _one_of("action", (node.action, "*"), vendor),
    )
    return models.Exists(found)


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
