"""The tasks of the upkeep: how often each of them is due, and what it does."""

from collections.abc import Iterator
from typing import Final

from ...identity.keys.agreement import RENEW_SECONDS
from ...store.upgrades.contraction import LOOK_SECONDS as LOOK_SECONDS_OF_FORMAT
from .admin_key_upkeep import ADMIN_KEY_TROUBLE, AdminKeyUpkeep
from .audit_upkeep import MAINTAIN_SECONDS, TROUBLE, AuditUpkeep
from .expiry_sweep import LOOK_SECONDS, ExpirySweep
from .format_upkeep import FORMAT_TROUBLE, FormatUpkeep
from .key_upkeep import KEY_TROUBLE, KeyUpkeep
from .upkeep import UpkeepTask
from .use_upkeep import WRITE_SECONDS, UseUpkeep

EVERY_BEAT: Final = 0.0


def audit_tasks(audit: AuditUpkeep) -> Iterator[UpkeepTask]:
    """Yields the tasks of the audit log."""
    yield UpkeepTask(trouble=TROUBLE, seconds=EVERY_BEAT, run=audit.store_counts, end_worker=audit.end_worker)
    yield UpkeepTask(trouble=TROUBLE, seconds=MAINTAIN_SECONDS, run=audit.maintain, end_service=audit.end_service)


def use_tasks(uses: UseUpkeep) -> Iterator[UpkeepTask]:
    """Yields the tasks of last uses."""
    trouble = "the last uses of credentials can't be stored"
    yield UpkeepTask(trouble=trouble, seconds=EVERY_BEAT, run=uses.hand_on)
    yield UpkeepTask(
        trouble=trouble,
        seconds=WRITE_SECONDS,
        run=uses.write,
        end_worker=uses.end_worker,
        end_service=uses.end_service,
    )


def sweep_tasks(sweep: ExpirySweep) -> Iterator[UpkeepTask]:
    """Yields the task of the sweep, if it removes anything."""
    trouble = "expired assignments and grants can't be removed"
    if sweep.keep_days:
        yield UpkeepTask(trouble=trouble, seconds=LOOK_SECONDS, run=sweep.sweep, end_worker=sweep.end_worker)


def key_tasks(keys: KeyUpkeep) -> Iterator[UpkeepTask]:
    """Yields the task of the keys that servers share."""
    yield UpkeepTask(trouble=KEY_TROUBLE, seconds=RENEW_SECONDS, run=keys.renew, end_service=keys.end_service)


def format_tasks(formats: FormatUpkeep | None) -> Iterator[UpkeepTask]:
    """Yields the task of a store that servers of two formats share."""
    if formats is not None:
        yield UpkeepTask(
            trouble=FORMAT_TROUBLE, seconds=LOOK_SECONDS_OF_FORMAT, run=formats.look, end_service=formats.end_service
        )


def admin_key_tasks(keys: AdminKeyUpkeep) -> Iterator[UpkeepTask]:
    """Yields the task of the administrator's keys."""
    yield UpkeepTask(trouble=ADMIN_KEY_TROUBLE, seconds=EVERY_BEAT, run=keys.renew, end_service=keys.end_service)
