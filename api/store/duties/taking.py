"""Takes a duty on a database by its URL. The driver is imported here: a store in a file needs none."""

import os
import secrets
import signal
from pathlib import Path

from ..errors import driver_needed
from .duty import Duty, process_name


def duty_on(url: str, task: str, directory: Path, lease_seconds: float) -> Duty:
    """Returns a duty on a database, which this process takes once it is free. `directory` is its data directory.

    Call it in the main thread. Raises StoreUnavailable if there is no driver.
    """
    with driver_needed():
        from ..leases.lease_connection import connecting
        from .candidate import Candidate
        from .duty_thread import DutyThread
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the parent of this process may have let it be ignored
    candidate = Candidate(task, secrets.token_hex(8), f"{process_name(directory)}:{os.getpid()}", lease_seconds)
    return DutyThread(candidate, connecting(url, lease_seconds), lease_seconds)
