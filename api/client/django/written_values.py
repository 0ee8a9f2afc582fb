"""The values that a queryset writes: none comes from other rows that nothing authorizes."""

from collections.abc import Iterable, Mapping
from inspect import signature
from typing import Any

from django.db import models
from django.db.models.utils import resolve_callables

from ..queries.questions import Question
from ..queries.refusal import QueryRefused
from .named_values import check_values


class WritingQuerySet(models.QuerySet):  # type: ignore[misc]  # Django has no types
    """A queryset that, once it is authorized, writes only values of its rows and of authorized subqueries.

    A hidden value would else come into a row that the subject may read. `bulk_update` calls `update`.
    """

    _writ_question: Question | None = None

    def update(self, **kwargs: Any) -> Any:
        """See Django. After `authorized`, it raises QueryRefused for values of other rows of a declared type."""
        self._check_given(kwargs.values())
        return super().update(**kwargs)

    update.alters_data = True  # type: ignore[attr-defined]  # templates of Django never call it

    def create(self, **kwargs: Any) -> Any:
        """See Django. The values are checked as those of `update`."""
        self._check_given(kwargs.values())
        return super().create(**kwargs)

    create.alters_data = True  # type: ignore[attr-defined]  # see `update`

    def bulk_create(self, objs: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        """See Django. The values are checked as those of `update`, and `update_conflicts` is refused."""
        if self._writ_question is not None:
            objs = [*objs]
            given = signature(super().bulk_create).bind(objs, *args, **kwargs).arguments
            if given.get("update_conflicts"):
                reason = "`update_conflicts` changes rows that nothing authorizes"
                raise QueryRefused(reason, "create the new rows, and call `update` for the rows that are there")
            self._check_given(value for one in objs for value in vars(one).values())
        return super().bulk_create(objs, *args, **kwargs)

    bulk_create.alters_data = True  # type: ignore[attr-defined]  # see `update`

    def get_or_create(self, defaults: Mapping[str, Any] | None = None, **kwargs: Any) -> Any:
        """See Django. The values are checked as those of `update`."""
        self._check_given((defaults or {}).values())
        return super().get_or_create(defaults, **kwargs)

    get_or_create.alters_data = True  # type: ignore[attr-defined]  # see `update`

    def update_or_create(
        self,
        defaults: Mapping[str, Any] | None = None,
        create_defaults: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """See Django. The values are checked as those of `update`, and callables are called once, before."""
        if self._writ_question is not None:
            defaults = dict(resolve_callables(defaults or {}))
            create_defaults = None if create_defaults is None else dict(resolve_callables(create_defaults))
            self._check_given((*defaults.values(), *(create_defaults or {}).values()))
        return super().update_or_create(defaults, create_defaults, **kwargs)

    update_or_create.alters_data = True  # type: ignore[attr-defined]  # see `update`

    def _check_given(self, values: Iterable[Any], *, summarize: bool = False) -> None:
        """Raises QueryRefused if the queryset is authorized, and an expression has values of other rows."""
        if self._writ_question is not None:
            query = self.query.chain()
            given = [one for one in values if hasattr(one, "resolve_expression")]
            resolved = [one.resolve_expression(query, summarize=summarize) for one in given]
            check_values(query, self._writ_question, resolved)
