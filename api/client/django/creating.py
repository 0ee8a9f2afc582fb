"""`WritCreate`: a view of REST framework that asks about the object which it creates."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import router, transaction

from .object_checks import is_checked


class WritCreate:
    """Asks about each object of `create` once it is saved, and takes it back if the answer is no.

    So the decision has the object's own id, and the values that the model and the database give it. Put the class
    before the others: `class DocumentViews(WritCreate, ModelViewSet)`. Signals of the model run before the question.
    """

    def create(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """See REST framework. Raises ImproperlyConfigured, and saves nothing, if no object was asked about."""
        view: Any = self
        with transaction.atomic(using=router.db_for_write(view.get_queryset().model)):
            response = super().create(request, *args, **kwargs)  # type: ignore[misc]  # REST framework has it
            if not is_checked(view):
                name = f"{type(self).__name__}.perform_create"
                raise ImproperlyConfigured(
                    f"`{name}` asks about no object: call `check_object_permissions` after saving"
                )
            return response

    def perform_create(self, serializer: Any) -> None:
        """See REST framework. Raises the 403 or 503 of a refusal."""
        view: Any = self
        super().perform_create(serializer)  # type: ignore[misc]  # REST framework has it
        made = serializer.instance
        for one in made if isinstance(made, list) else [made]:
            one.refresh_from_db()  # the columns that the database computes
            view.check_object_permissions(view.request, one)
