"""The parameters and the first statements of each connection, whatever the URL, the environment and the role say.

Names in statements mean PostgreSQL's own first, and then those of the store's schema: it is the one that `search_path`
in the URL names, or `public`. No schema with the name of the user comes before it, and no temporary table.
"""

import re
from itertools import zip_longest
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ....errors import StoreUnavailable
from .session import SERVER_PROBES

_OWN: Final = {"client_encoding": "UTF8"}
"""Parameters that a URL, a service file and `PGCLIENTENCODING` can't change."""

_PATH: Final = re.compile(r"search[_-]path", re.IGNORECASE)
_SCHEMA: Final = re.compile(r"(?:^|\s)(?:-c\s*|--)search[_-]path=(?!pg_)([a-z_][a-z0-9_]*)(?!\S)", re.IGNORECASE)

_SETTINGS: Final = {
    "jit": "off",
    "default_transaction_read_only": "off",
    "default_transaction_isolation": "read committed",
    **SERVER_PROBES,
}
_DURABLE: Final = """SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
    WHEN 'off' THEN 'on' WHEN 'local' THEN 'on' ELSE current_setting('synchronous_commit') END, false)"""
"""With `off` or `local`, a crash or a promotion would lose leases, and changes that were acknowledged."""


def conninfo_of(url: str, defaults: dict[str, Any], **own: Any) -> str:
    """Returns the parameters of a connection: those of the URL come before `defaults`, and `own` before both.

    Raises StoreUnavailable.
    """
    given = parameters_of(url)
    options = given.get("options") or ""  # also an empty one replaces PGOPTIONS, and that of a service file
    return make_conninfo("", **{**defaults, **given, "options": options, **own, **_OWN})


def beginning_of(url: str) -> str:
    """Returns the statements with which each connection begins. Raises StoreUnavailable.

    The first one lets the functions of the others be PostgreSQL's own.
    """
    settings = "; ".join(f"SET {name} = '{value}'" for name, value in _SETTINGS.items())
    return (
        f'SET search_path = pg_catalog, pg_temp; {_DURABLE}; {settings}; SET search_path = "{schema_of(url)}", pg_temp'
    )


def schema_of(url: str) -> str:
    """Returns the schema of the store of a URL. Raises StoreUnavailable if the URL does not name it plainly.

    >>> schema_of("postgresql://db/writ"), schema_of("postgresql://db/writ?options=-c%20search_path%3DMine")
    ('public', 'mine')
    """
    options = parameters_of(url).get("options") or ""
    named = _SCHEMA.findall(options)
    if len(named) != len(_PATH.findall(options)):
        raise StoreUnavailable(
            "the URL of the store must name one schema like `options=-c%20search_path%3DNAME`, with a name of letters,"
            " digits and `_`"
        )
    return str(named[-1]).lower() if named else "public"


def parameters_of(url: str) -> dict[str, Any]:
    """Returns the parameters of a URL, or of the names and values that stand for one.

    Raises StoreUnavailable if the driver can't read it. Its own message would quote it.
    """
    try:
        return conninfo_to_dict(url)
    except psycopg.Error:
        said = "the URL of the store has a parameter that PostgreSQL's driver does not know, or one without a value"
        raise StoreUnavailable(said) from None


def place_of(url: str) -> str:
    """Returns a URL, or the names and values that stand for one, without password and parameters.

    >>> place_of("postgresql://writ:secret@db.example:5432/writ?sslmode=require")
    'postgresql://writ@db.example:5432/writ'
    >>> place_of("dbname=writ password=secret")
    'postgresql:///writ'
    >>> place_of("postgresql://10.0.0.2,10.0.0.3:5433/writ")
    'postgresql://10.0.0.2,10.0.0.3:5433/writ'
    """
    given = parameters_of(url)
    user = f"{given['user']}@" if "user" in given else ""
    hosts, ports = (str(given.get(name) or "").split(",") for name in ("host", "port"))
    if len(ports) == 1:  # one port is that of each host
        ports *= len(hosts)
    places = ",".join(f"{host}:{port}" if port else host for host, port in zip_longest(hosts, ports, fillvalue=""))
    return f"postgresql://{user}{places}/{given.get('dbname') or ''}"
