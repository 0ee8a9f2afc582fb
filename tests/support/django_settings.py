"""Django without a project: SQLite in memory, and a PostgreSQL server once there is one."""

from typing import Any

import django
from django.conf import settings
from django.db import connections


def configure() -> None:
    """Set Django up once, before the first model."""
    if not settings.configured:
        settings.configure(
            DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
            INSTALLED_APPS=[],
            USE_TZ=True,
            DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        )
        django.setup()


def connect(alias: str, **database: Any) -> Any:
    """A connection to one more database."""
    written = {"default": settings.DATABASES["default"], alias: database}
    connections.databases[alias] = connections.configure_settings(written)[alias]
    return connections[alias]
