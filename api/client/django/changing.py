"""`changing`: a block that changes a row, asked about as it was and as it will be, in one transaction."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import connections, router, transaction
from django.db.models.signals import pre_delete, pre_save

from ..web import asking
from ..web.answers import NoDecision
from .permissions import about
from .project import engine


@contextmanager
def changing(obj: Any, subject: Mapping[str, Any], action: str, *, pdp: Any = None) -> Iterator[Any]:
    """Asks about the stored row of an object before the block, and again with its new values after it.

    So a subject can't give a row values by which it may not act on it, such as another tenant. A row that the block
    creates is asked about after it, and one that it deletes before. The row is locked where the database can. If the
    block gives the object another key, the row that has this key is asked about, too, before the object replaces it.

    `pdp` is the decision point, or else that of the setting `WRIT_ENGINE`. Raises PermissionDenied if an answer is no,
    and NoDecision if there is none. Then the transaction takes the changes back.
    """
    found = engine() if pdp is None else pdp
    using = router.db_for_write(type(obj), instance=obj)
    ask = partial(_ask, found, subject, action)
    with transaction.atomic(using=using):
        row = _stored(type(obj), obj.pk, using)
        ask(row)
        asked = {(type(obj), obj.pk)} if row is None else _keys(row)
        with _before_writes(obj, asked, ask):
            yield obj
        for key in {obj.pk, *(key for model, key in asked if model is type(obj))}:
            ask(_stored(type(obj), key, using))


def save_checked(save: Callable[[], None], obj: Any, check: Callable[[Any], None]) -> None:
    """Saves an object, and calls `check` with its stored values. If that raises, the transaction takes it back."""
    with transaction.atomic(using=router.db_for_write(type(obj), instance=obj)):
        save()
        obj.refresh_from_db()  # the columns that the database computes
        check(obj)


@contextmanager
def _before_writes(obj: Any, asked: set[tuple[Any, Any]], ask: Callable[[Any], None]) -> Iterator[None]:
    """Asks about the stored row before the object is saved or deleted with a key that was not asked about."""

    def receive(instance: Any, using: str, **_: Any) -> None:
        for model, key in _keys(obj) - asked if instance is obj else ():
            ask(_stored(model, key, using))
            asked.add((model, key))

    for signal in (pre_save, pre_delete):
        signal.connect(receive, weak=False)
    try:
        yield
    finally:
        for signal in (pre_save, pre_delete):
            signal.disconnect(receive)


def _keys(obj: Any) -> set[tuple[Any, Any]]:
    """Returns the models whose rows an object has, which are its own and its parents, each with a key."""
    kind, keys = type(obj), {(type(obj), obj.pk)}
    for parent in obj._meta.get_parent_list():
        names = (parent._meta.pk.attname, kind._meta.get_ancestor_link(parent).attname)
        keys.update((parent, getattr(obj, name, None)) for name in names)
    return {(model, key) for model, key in keys if key is not None}


def _stored(model: Any, key: Any, using: str) -> Any:
    rows = model._base_manager.using(using).filter(pk=key)
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
