"""The model of a table of direct grants (F8, P4, P7)."""

from functools import cache
from typing import Any, Final

from django.db import models

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
