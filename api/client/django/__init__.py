"""Authorized queries of Django: `Document.objects.authorized(subject, "read")` has the rows that a subject may see.

Reading path: `grant_rows` (the model of a table of direct grants) → `model_fields` (the fields of a model as
attributes) → `held_rows` (the condition that a row has a grant) → `raw_pieces` (texts of SQL in a query) → `confined`
(their brackets) → `authorized_where` (Writ's condition beside them) → `model_names` (the names of a model's type) →
`named_values` (values of other rows that a queryset returns) → `loads` (the related rows that it loads) →
`written_values` (the values that it writes) → `together` (operators and unions) → `querysets`. `GrantRow` is made when
it is first read.

`has_perm` and REST framework: `project` (the settings) → `permissions` (the questions) → `backend` → `changing` (a row
as it was and as it will be) → `object_checks` (views that ask nothing) → `creating` (views that create) →
`rest_framework`.
"""

from typing import Any

from ..queries.refusal import QueryRefused
from .grant_rows import grant_row
from .querysets import AuthorizedQuerySet

__all__ = ["AuthorizedQuerySet", "GrantRow", "QueryRefused"]


def __getattr__(name: str) -> Any:
    """Returns `GrantRow` (PEP 562). Raises AttributeError for any other name."""
    if name != "GrantRow":
        raise AttributeError(f"module `writ.django` has no attribute `{name}`")
    return grant_row()
