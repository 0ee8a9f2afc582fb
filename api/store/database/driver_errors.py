"""The errors of the drivers of databases, for the few places that expect one."""

import sqlite3
from typing import Final


class QueryFailed(Exception):
    """A statement failed on PostgreSQL. Its cause is the error of the driver, which only its own folder knows."""


DRIVER_ERRORS: Final[tuple[type[Exception], ...]] = (sqlite3.Error, QueryFailed)
"""Any error of a driver. Those about its database are StoreUnavailable already (see `StoreConnections.translated`)."""
