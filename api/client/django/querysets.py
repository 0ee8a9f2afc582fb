"""`AuthorizedQuerySet`: a queryset over the rows that a subject may act on, exactly, or a refusal."""

import time
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import connections
from django.utils.module_loading import import_string

from ..queries.questions import AnswersFilters, Question
from ..queries.refusal import QueryRefused
from ..runtime.translate.django import q
from ..runtime.translate.django_types import vendor_of
from .authorized_where import authorize
from .confined import confine
from .held_rows import held
from .loads import check_loads
from .model_fields import fields_of, for_rows_of
from .model_names import names_of
from .named_values import check_values
from .together import TogetherQuerySet
from .written_values import WritingQuerySet


class AuthorizedQuerySet(TogetherQuerySet, WritingQuerySet):
    """A queryset with `authorized`. Use it as `objects = AuthorizedQuerySet.as_manager()`."""

    def authorized(
        self,
        subject: Mapping[str, Any],
        action: str | Mapping[str, Any],
        *,
        engine: AnswersFilters | None = None,
        resource_type: str | None = None,
        context: Mapping[str, Any] | None = None,
        actor: Mapping[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
        mirror: Any = None,
        now: float | None = None,
    ) -> Any:
        """Returns the rows on which the subject may do the action.

        Args:
            subject: The subject as in a request, such as `{"type": "user", "id": "alice"}`.
            action: The name of the action, or the action as in a request.
            engine: An engine, the engine of a follower, or a client. Without it, the setting `WRIT_ENGINE` has it, or a
                function that returns it, or the dotted path of either.
            resource_type: The name of the resource type. Without it, it is the name of the table, or else of the model
                in lower case, whichever the policies declare.
            context: The context of the request, by which gates are decided (F7).
            actor: The actor that acts for the subject (A1).
            fields: Fields of `writ.runtime.translate` by attribute, over names of fields as `F` takes them.
            mirror: A model that extends `GrantRow`. Without it, the query has the ids of granted resources.
            now: The instant in epoch seconds. Without it, the engine's own clock counts.

        Raises QueryRefused and Untranslatable if there is no exact condition, and BadRequest for a malformed subject,
        action or context.
        """
        if self.query.combinator:
            raise QueryRefused("a union has the rows of several queries", "authorize each of them before the union")
        if self.query.is_sliced:
            raise QueryRefused("a slice was taken before", "authorize first, and slice then")
        if self.query.where.contains_over_clause:
            reason = "a filter by a window function was given before, and the window has other rows now"
            raise QueryRefused(reason, "write it after `authorized`, or filter by it in a subquery: `filter(pk__in=…)`")
        question = Question(engine or _engine(), subject, action, context, actor, now)
        vendor, given = vendor_of(connections[self.db]), fields or {}
        name = resource_type or question.type_of(names_of(self.model))
        tree = for_rows_of(self.model, question.answer(name, node=mirror is not None)["filter"], given, name)
        instant = time.time() if now is None else now
        direct = None if mirror is None else lambda node: held(node, mirror, self.model, instant, vendor)
        found = self._chain()
        authorize(found.query, q(tree, fields_of(self.model, tree, given, vendor), vendor, direct=direct))
        found._writ_question = question
        return found._checked()

    def select_related(self, *fields: Any) -> Any:
        """See Django. After `authorized`, it raises QueryRefused for rows of a declared type."""
        return super().select_related(*fields)._checked()

    def prefetch_related(self, *lookups: Any) -> Any:
        """See Django. After `authorized`, it raises QueryRefused for rows of a declared type."""
        return super().prefetch_related(*lookups)._checked()

    def order_by(self, *field_names: Any) -> Any:
        """See Django. After `authorized`, texts of SQL stand in separate brackets."""
        return super().order_by(*field_names)._checked()

    def extra(self, *args: Any, **kwargs: Any) -> Any:
        """See Django. After `authorized`, it raises QueryRefused for columns that are texts."""
        return super().extra(*args, **kwargs)._checked()

    def aggregate(self, *args: Any, **kwargs: Any) -> Any:
        """See Django. After `authorized`, it raises QueryRefused for values of other rows of a declared type."""
        self._check_given((*args, *kwargs.values()), summarize=True)
        return super().aggregate(*args, **kwargs)

    def _values(self, *fields: Any, **expressions: Any) -> Any:
        """Returns what `values` and `values_list` of Django are made of."""
        return super()._values(*fields, **expressions)._checked()

    def _annotate(self, *args: Any, **kwargs: Any) -> Any:
        """Returns what `annotate` and `alias` of Django are made of."""
        return super()._annotate(*args, **kwargs)._checked()

    def _clone(self) -> Any:
        found = super()._clone()
        found._writ_question = self._writ_question
        return found

    def _checked(self) -> Any:
        """Returns the queryset. Raises QueryRefused if it is authorized, and has more than its rows."""
        if self._writ_question is not None:
            confine(self.query)
            check_loads(self, self._writ_question)
            check_values(self.query, self._writ_question)
        return self


def _engine() -> AnswersFilters:
    """Returns the engine of the setting `WRIT_ENGINE`. Raises QueryRefused if there is none."""
    found = getattr(settings, "WRIT_ENGINE", None)
    found = import_string(found) if isinstance(found, str) else found
    if found is None:
        raise QueryRefused("no engine answers", "give `engine`, or the setting `WRIT_ENGINE`")
    made: AnswersFilters = found() if callable(found) else found
    return made
