"""Querysets put together, by operators and unions: authorized ones only with authorized ones."""

from collections.abc import Iterable
from typing import Any, NoReturn

from django.db import models

from ..queries.questions import Question
from ..queries.refusal import QueryRefused
from .authorized_where import is_authorized, joined
from .loads import check_loads
from .model_names import all_names_of
from .named_values import check_values


class TogetherQuerySet(models.QuerySet):  # type: ignore[misc]  # Django has no types
    """A queryset that Django puts together with others only if the rows of the result are authorized.

    Python asks the reflected operators first, if the other queryset has another class.
    """

    _writ_question: Question | None = None

    def __and__(self, other: Any) -> Any:
        """See Django. What both have is authorized, if the first one is."""
        if self._writ_question is None and is_query(other) and is_authorized(other.query):
            raise QueryRefused("`&` begins with a queryset that is not authorized", "write the authorized one first")
        found = super().__and__(other)
        return found._checked() if isinstance(found, TogetherQuerySet) else found

    def __rand__(self, other: Any) -> Any:
        """See `__and__`."""
        self._check_together("&", [other])
        return models.QuerySet.__and__(other, self)

    def __or__(self, other: Any) -> Any:
        """See Django. Raises QueryRefused if one of both is authorized, and the other is not."""
        self._check_together("|", [other])
        return super().__or__(other)

    def __ror__(self, other: Any) -> Any:
        """See `__or__`."""
        self._check_together("|", [other])
        return models.QuerySet.__or__(other, self)

    def __xor__(self, other: Any) -> Any:
        """See Django. Raises QueryRefused if one of both is authorized, and the other is not."""
        self._check_together("^", [other])
        return super().__xor__(other)

    def __rxor__(self, other: Any) -> Any:
        """See `__xor__`."""
        self._check_together("^", [other])
        return models.QuerySet.__xor__(other, self)

    def union(self, *other_qs: Any, **options: Any) -> Any:
        """See Django. Raises QueryRefused if some are authorized, and others of a declared type are not."""
        question = self._check_together("union", other_qs)
        return _asked(super().union(*other_qs, **options), question)

    def intersection(self, *other_qs: Any) -> Any:
        """See Django. Raises QueryRefused if some are authorized, and others of a declared type are not."""
        question = self._check_together("intersection", other_qs)
        return _asked(super().intersection(*other_qs), question)

    def difference(self, *other_qs: Any) -> Any:
        """See Django. Raises QueryRefused if some are authorized, and others of a declared type are not."""
        question = self._check_together("difference", other_qs)
        return _asked(super().difference(*other_qs), question)

    def raw(self, *args: Any, **kwargs: Any) -> Any:
        """See Django. Raises QueryRefused after `authorized`, since it would have the rows of a text."""
        if self._writ_question is not None:
            raise QueryRefused("`raw` has the rows of its own text", "write the text in `filter`, or leave `raw` out")
        return super().raw(*args, **kwargs)

    def _checked(self) -> Any:
        """Returns the queryset. Raises QueryRefused if it is authorized, and has more than its rows."""
        return self

    def _check_together(self, name: str, others: Iterable[Any]) -> Question | None:
        whole = [one for one in (self, *others) if is_query(one)]
        question: Question | None = next(
            (one._writ_question for one in whole if getattr(one, "_writ_question", None)), None
        )
        if question is None:
            return None
        of_allowed = {one.model for one in whole if is_authorized(one.query)}
        for one in whole:
            if name in ("|", "^") and one.query.is_sliced:
                raise QueryRefused(f"`{name}` takes no slice", "filter by `pk__in` with each of the querysets")
            if is_authorized(one.query):
                continue
            if one.model in of_allowed or question.declared(tuple(all_names_of(one.model))):
                _refuse(name, one.model)
            check_values(one.query, question)
            check_loads(one, question)
        return question


def is_query(one: Any) -> bool:
    """Returns whether a value is a queryset."""
    return isinstance(one, models.QuerySet)


def _asked(united: Any, question: Question | None) -> Any:
    """Returns a union that knows its question, so that what it returns later is checked, too."""
    if united.query.combinator and question is not None:
        united._writ_question = question
        united.query.combined_queries = tuple(map(joined, united.query.combined_queries))
    return united


def _refuse(name: str, model: Any) -> NoReturn:
    reason = f"`{name}` puts rows of `{model.__name__}` that are not authorized together with authorized ones"
    raise QueryRefused(reason, "authorize each of the querysets")
