"""Getting ready to serve: the settings and the administrator's key."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..bundles.wording import alternatives, quoted
from ..compiler.diagnostics.diagnostic import did_you_mean
from .credentials.admin_key import forget_key, new_key, preset_digest, store_digest, stored_digest
from .credentials.keys import ALGORITHMS, AUDIT_KEY_VARIABLE, SIGNING_KEY_VARIABLE
from .http.public_url import PUBLIC_URL_VARIABLE, checked_public_url
from .settings import BadSetting, HttpLimits, count_in, limits_from, seconds_in
from .store.database.connections import SYNCHRONOUS

KEY_VARIABLE: Final = "WRIT_ADMIN_KEY"
STALE_VARIABLE: Final = "WRIT_STALE_SECONDS"
SYNCHRONOUS_VARIABLE: Final = "WRIT_SYNCHRONOUS"
ALGORITHM_VARIABLE: Final = "WRIT_SIGNING_ALGORITHM"
AUDIT_DAYS_VARIABLE: Final = "WRIT_AUDIT_DAYS"
STALE_SECONDS: Final = 5.0
AUDIT_DAYS: Final = 400
"""Entries of the audit log are kept so long: a year, and a month to look back at it."""

_MOST_AUDIT_DAYS: Final = 100_000
_PREFIX: Final = "WRIT_"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says. `preset_key` is the administrator's key where the operator chose it.

    `stale_seconds` is how long decisions go on while the store can't be read; `synchronous` is SQLite's: `NORMAL`
    writes faster, and may lose the last writes when the power fails. `public_url` is the base of the URLs that are
    handed out; None stands for the address that is listened on. `signing_key` is where the keys that sign tokens are
    given (see `GivenKeys`), None where Writ makes its own, of `signing_algorithm`; `audit_key` is the same for the key
    that signs the audit log, of which entries are kept for `audit_days`. `warnings` name what looks like a setting and
    is none.
    """

    limits: HttpLimits
    preset_key: str | None
    stale_seconds: float = STALE_SECONDS
    synchronous: str = "FULL"
    public_url: str | None = None
    signing_key: str | None = None
    signing_algorithm: str = ALGORITHMS[0]
    audit_key: str | None = None
    audit_days: int = AUDIT_DAYS
    warnings: tuple[str, ...] = ()


class _Asked(Mapping[str, str]):
    """The environment, and the names of all variables that somebody asked for: these are the settings."""

    def __init__(self, environment: Mapping[str, str]):
        self._environment = environment
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        return self._environment[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._environment)

    def __len__(self) -> int:
        return len(self._environment)


@dataclass(frozen=True, slots=True)
class AdminAccess:
    """The SHA-256 of the administrator's key, and the key itself when it was made just now.

    `adopted` says that it is a preset key that was not valid before, `replaces` that another one was.
    """

    digest: bytes
    fresh_key: str | None = None
    adopted: bool = False
    replaces: bool = False

    @property
    def is_new(self) -> bool:
        """Whether this key was not valid before."""
        return self.adopted or self.fresh_key is not None


def settings_from(environment: Mapping[str, str]) -> Settings:
    """The one place that reads the environment.

    Raises:
        BadSetting: a value that can't be used.
    """
    asked = _Asked(environment)
    synchronous = asked.get(SYNCHRONOUS_VARIABLE, "FULL")
    if synchronous not in SYNCHRONOUS:
        raise BadSetting(f"`{SYNCHRONOUS_VARIABLE}` must be {' or '.join(SYNCHRONOUS)}, not `{synchronous}`")
    stale, public_url = asked.get(STALE_VARIABLE), asked.get(PUBLIC_URL_VARIABLE)
    days = asked.get(AUDIT_DAYS_VARIABLE)
    algorithm = asked.get(ALGORITHM_VARIABLE, ALGORITHMS[0])
    if algorithm not in ALGORITHMS:
        raise BadSetting(f"`{ALGORITHM_VARIABLE}` must be {alternatives(ALGORITHMS)}, not {quoted(algorithm)}")
    return Settings(
        limits=limits_from(asked),
        preset_key=asked.get(KEY_VARIABLE) or None,
        stale_seconds=STALE_SECONDS if stale is None else seconds_in(STALE_VARIABLE, stale),
        synchronous=synchronous,
        public_url=checked_public_url(public_url) if public_url else None,
        signing_key=asked.get(SIGNING_KEY_VARIABLE) or None,
        signing_algorithm=algorithm,
        audit_key=asked.get(AUDIT_KEY_VARIABLE) or None,
        audit_days=AUDIT_DAYS if days is None else count_in(AUDIT_DAYS_VARIABLE, days, _MOST_AUDIT_DAYS),
        warnings=tuple(_warning(name, asked.names) for name in environment if _is_unknown(name, asked.names)),
    )


def _is_unknown(name: str, known: Collection[str]) -> bool:
    return name.startswith(_PREFIX) and name not in known


def _warning(name: str, known: Collection[str]) -> str:
    near = did_you_mean(name, known)
    return f"the variable {quoted(name)} is no setting and counts for nothing{near and f'; {near}'}"


def admin_access(directory: Path, preset: str | None) -> AdminAccess:
    """The preset key; else the one that an earlier start left in `directory`; else a new one.

    Nothing is kept of it yet: the audit log is told of a new key first. Then a preset one is (`keep_adopted`), so that
    a later start without it goes on with it; one that was made, as soon as somebody has it (see `store_digest`).

    Raises:
        UnusableKey: the preset key or the file can't be used.
        OSError: `directory` can't be read.
    """
    stored = stored_digest(directory)
    if preset is not None:
        digest = preset_digest(preset)
        if digest == stored:
            return AdminAccess(digest)
        return AdminAccess(digest, adopted=True, replaces=stored is not None)
    if stored is not None:
        return AdminAccess(stored)
    key, digest = new_key()
    return AdminAccess(digest, key)


def keep_adopted(directory: Path, access: AdminAccess) -> None:
    """Remember a preset key, and no other from now on. Raises OSError where `directory` can't be written."""
    if access.adopted:
        store_digest(directory, access.digest)
        forget_key(directory)
