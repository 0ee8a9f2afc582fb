"""The extent of a replacement: the whole model, all but the facts that the documents lack, or the policies only."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from enum import StrEnum
from typing import Final

from ....compiler.model.elements import ElementKind
from ..actor import Actor
from ..credentials.credential_recheck import recheck_credential
from ..database.connection import Connection
from ..database.connections import StoreConnections
from ..elements.kinds import KINDS
from ..environments import Environment, environment_within
from ..errors import PreconditionFailed
from ..history.origin import POLICY_KINDS
from .reading import put_lists
from .remaining_uses import refuse_uses
from .replacing import Replacement, ReplacementResult
from .submitted_model import SubmittedModel

FACTS: Final = (ElementKind.ASSIGNMENTS, ElementKind.GRANTS)
"""The lists that applications write one by one."""

MOST_DIFFERENCES: Final = 4
"""The times that a difference is found outside the write lock."""

_REMEDY: Final = "remove what uses it first, or keep it in the documents"


class Extent(StrEnum):
    """The part of a stored model that documents replace."""

    MODEL = "model"
    """All of it."""
    KEEP_FACTS = "keep_facts"
    """All of it, but assignments and grants that the documents lack stay."""
    POLICIES = "policies"
    """The lists that a promotion covers."""


def replacement(db: Connection, environment: Environment, submitted: SubmittedModel, extent: Extent) -> Replacement:
    """Returns the difference that documents make to the stored model.

    Raises Conflict if a fact that stays refers to what goes.
    """
    if extent == Extent.MODEL:
        return Replacement(db, environment, submitted)
    if extent == Extent.KEEP_FACTS:
        found = Replacement(db, environment, submitted, keeps=FACTS)
    else:
        policies = replace(submitted, lists=tuple(_lists(db, environment, submitted)))
        found = Replacement(db, environment, policies, tuple(KINDS[kind] for kind in POLICY_KINDS))
    refuse_uses(found.uses(), "the documents remove", _REMEDY)
    return found


def put_documents(
    connections: StoreConnections,
    env: str,
    actor: Actor,
    submitted: SubmittedModel,
    extent: Extent,
    if_match: Collection[str] | None,
    time: Callable[[], str],
) -> ReplacementResult:
    """Replaces the model, or what `extent` says, by documents that were checked already. `time` is RFC 3339.

    The difference is found before the write lock is taken, and found again if another write of the environment came
    first. If that happens too often, it is found inside the lock.
    """
    for is_last in (False,) * (MOST_DIFFERENCES - 1) + (True,):
        with connections.reading() as db:
            environment = _unchanged(db, env, actor, if_match)
            found = replacement(db, environment, submitted, extent)
        with connections.writing(environments=(env,)) as db:
            recheck_credential(db, actor)
            environment = _unchanged(db, env, actor, if_match)
            if found.is_current(db, environment):
                return found.commit(actor, time())
            if is_last:
                return replacement(db, environment, submitted, extent).commit(actor, time())
    raise AssertionError("the last difference is committed")


def _unchanged(db: Connection, env: str, actor: Actor, if_match: Collection[str] | None) -> Environment:
    environment = environment_within(db, env, actor.bounds)
    if if_match is not None and environment.etag not in if_match:
        raise PreconditionFailed("the model was changed since it was read; read it again")
    return environment


def _lists(db: Connection, environment: Environment, submitted: SubmittedModel) -> Iterator[str]:
    """Yields the lists that the stored document shows afterwards."""
    put = put_lists(db, environment)
    yield from put
    yield from (name for name in submitted.lists if name in POLICY_KINDS and name not in put)
