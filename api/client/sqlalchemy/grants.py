"""The table of direct grants in the application's own database (F8, P4, P7)."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

ID_LENGTH = 512
"""The longest id, in characters (E1)."""

_PREFIXES = {
    "resource_type": 96,
    "resource_id": 191,
    "action": 64,
    "subject_type": 64,
    "subject_id": 191,
    "group_id": 96,
}
"""The characters of each column that an index of MySQL holds: a key has at most 3,072 bytes."""


def grants_table(metadata: sa.MetaData, name: str = "writ_grants", schema: str | None = None) -> sa.Table:
    """Returns a table for the direct grants: a row for each action of each grant, to a subject or to a group.

    `resource_type` is the type's id. `starts_at` and `expires_at` are epoch seconds, or NULL. `revision` is the token
    of the revision that the row came with.
    """

    def text(column: str, *, null: bool = False) -> sa.Column[str]:
        bytewise = mysql.VARCHAR(ID_LENGTH, collation="utf8mb4_bin")
        return sa.Column(column, sa.String(ID_LENGTH).with_variant(bytewise, "mysql", "mariadb"), nullable=null)

    columns = [text("id"), *(text(one, null=True) for one in ("subject_type", "subject_id", "group_id"))]
    columns += [text(one) for one in ("resource_type", "resource_id", "action")]
    times: list[sa.Column[Any]] = [sa.Column(one, sa.Double(), nullable=True) for one in ("starts_at", "expires_at")]
    table = sa.Table(name, metadata, *columns, *times, text("revision", null=True), schema=schema)
    of_resource = ("resource_type", "resource_id", "action", "subject_id")
    of_subject = ("subject_id", "resource_type", "action", "resource_id")
    of_group = ("group_id", "resource_type", "action", "resource_id")
    for kind, indexed in (("resource", of_resource), ("subject", of_subject), ("group", of_group)):
        lengths = {one: _PREFIXES[one] for one in indexed}
        of_column = [table.c[one] for one in indexed]
        sa.Index(f"{name}_{kind}", *of_column, mysql_length=lengths, mariadb_length=lengths)
    return table
