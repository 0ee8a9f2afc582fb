"""`changing`: a block that changes a row, asked about as it was and as it will be, in one transaction."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import connections, router, transaction

from ..web import asking
from ..web.answers import NoDecision
from .permissions import about
from .project import engine


@contextmanager
def changing(obj: Any, subject: Mapping[str, Any], action: str, *, pdp: Any = None) -> Iterator[Any]:
    """Asks about the stored row of an object before the block, and again with its new values after it.

    So a subject can't give a row values by which it may not act on it, such as another tenant. A row that the block
    creates is asked about after it, and one that it deletes before. The row is locked where the database can.

    `pdp` is the decision point, or else that of the setting `WRIT_ENGINE`. Raises PermissionDenied if an answer is no,
    and NoDecision if there is none. Then the transaction takes the changes back.
    """
    found = engine() if pdp is None else pdp
    using = router.db_for_write(type(obj), instance=obj)
    with transaction.atomic(using=using):
        _ask(found, subject, action, _stored(obj, using))
        yield obj
        _ask(found, subject, action, _stored(obj, using))


def save_checked(save: Callable[[], None], obj: Any, check: Callable[[Any], None]) -> None:
    """Saves an object, and calls `check` with its stored values. If that raises, the transaction takes it back."""
    with transaction.atomic(using=router.db_for_write(type(obj), instance=obj)):
        save()
        obj.refresh_from_db()  # the columns that the database computes
        check(obj)


def _stored(obj: Any, using: str) -> Any:
    rows = type(obj)._base_manager.using(using).filter(pk=obj.pk)
    return (rows.select_for_update() if connections[using].features.has_select_for_update else rows).first()


def _ask(pdp: Any, subject: Mapping[str, Any], action: str, row: Any) -> None:
    if row is None:
        return
    refused = asking.refusal(pdp, about(subject, action, row))
    if refused is None:
        return
    if refused.status != HTTPStatus.FORBIDDEN:
        raise NoDecision(refused.reason)
    raise PermissionDenied(refused.reason)
