"""Accepts a bundle file only with a right signature. Each refusal is an exception, so a caller can't overlook one."""

import mmap
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias
from uuid import UUID

from ..errors import ExpiredBundle, OlderBundle, WrongEnvironment
from ..file.header import decode_header
from ..file.reader import Bundle, mapped
from ..manifest import Environment
from ..wording import quoted
from .claims import BUNDLE, Claims
from .pem_keys import Pems, read_public_keys
from .section import Signature, check_content, token_of

SKEW_SECONDS: Final = 300
"""The seconds by which the clock of the signer may be ahead of the clock of the one who verifies."""


class AnyEnvironment(Enum):
    """The type of `ANY_ENVIRONMENT`."""

    ANY = "any"


ANY_ENVIRONMENT: Final = AnyEnvironment.ANY
"""Accepts the bundle of any environment, to show whose it is. Do not decide by such a bundle."""

Wanted: TypeAlias = str | AnyEnvironment | None
"""The wanted environment: its UUID or else its id, or None for a bundle that was compiled from files."""


def open_verified_bundle(
    path: str | Path, keys: Pems, environment: Wanted, now: float | None, min_epoch: int = 0, min_revision: int = 0
) -> tuple[Bundle, Signature]:
    """Returns the bundle in a file, and its signature. The bytes that were verified are those that the bundle reads.

    The parameters are those of `verify`. Raises what `verify` raises, and OSError if the file can't be read.
    """
    # The file is opened once: between two openings, somebody could put another file in its place.
    with open(path, "rb") as file:
        data = mapped(file)
    signature = verify(data, keys, environment, now, min_epoch, min_revision)
    if hasattr(data, "madvise"):
        data.madvise(mmap.MADV_DONTNEED)  # all pages were read once: most are not needed again, and the system has them
    return Bundle(data), signature


def verify(
    data: mmap.mmap, keys: Pems, environment: Wanted, now: float | None, min_epoch: int = 0, min_revision: int = 0
) -> Signature:
    """Returns the signature of a mapped bundle, if it is accepted. It reads the whole file.

    `keys` are the texts of one or more PEMs of public keys. One of them must have signed the bundle. `now` is in epoch
    seconds, or None for a bundle that was accepted before. A bundle with a lower epoch than `min_epoch`, or with the
    same and a revision below `min_revision`, is refused.

    Raises:
        UnusableBundleKey: there is no key, or one is not an Ed25519 public key.
        UntrustedBundle: the signature is not accepted. Its subclasses tell the reason.
        BundleError: the file is not a bundle, or is damaged or newer than this reader.
    """
    known = read_public_keys(keys)
    with memoryview(data) as view:
        table = decode_header(view, len(data))
        found = Signature(*BUNDLE.verify(token_of(view, table), known))
        check_times("the bundle", found.claims.issued, found.claims.expires, now)
        _check_environment(found.claims.environment, environment)
        _check_age(found.claims, min_epoch, min_revision)
        check_content(found.claims, view, table)
    return found


def names(wanted: str, environment: Environment) -> bool:
    """Returns whether text names an environment.

    A UUID is not compared with ids: anyone may choose an id that looks so.
    """
    try:
        return str(UUID(wanted)) == environment.uuid
    except ValueError:
        return wanted == environment.id


def instant_text(seconds: float) -> str:
    """Returns an instant in epoch seconds as RFC 3339 text, or as a number if no calendar has it.

    >>> instant_text(0)
    '1970-01-01T00:00:00Z'
    """
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return f"{seconds:g}"


def check_times(signed: str, issued: int, expires: int, now: float | None) -> None:
    """Raises ExpiredBundle if a signature is not accepted at `now`. All times are in epoch seconds.

    `signed` is what was signed, for the message. `now` is None for what was accepted before.
    """
    if now is None:
        return
    if not issued <= now + SKEW_SECONDS:  # so that NaN is refused
        raise ExpiredBundle(f"{signed} was signed in the future, at {instant_text(issued)}")
    if not now < expires:
        raise ExpiredBundle(f"the signature of {signed} expired at {instant_text(expires)}")


def _check_environment(found: Environment | None, wanted: Wanted) -> None:
    """Raises WrongEnvironment for another environment than the wanted one."""
    if isinstance(wanted, AnyEnvironment):
        return
    if found is None and wanted is not None:
        raise WrongEnvironment(f"the bundle belongs to no environment, and not to {quoted(wanted)}")
    if found is not None and (wanted is None or not names(wanted, found)):
        instead = "and not to none" if wanted is None else f"and not to {quoted(wanted)}"
        raise WrongEnvironment(f"the bundle belongs to the environment {quoted(found.id)} ({found.uuid}), {instead}")


def _check_age(claims: Claims, min_epoch: int, min_revision: int) -> None:
    if (claims.epoch, claims.revision) < (min_epoch, min_revision):
        found = f"epoch {claims.epoch} and revision {claims.revision}"
        raise OlderBundle(f"the bundle is too old: it has {found}, less than {min_epoch} and {min_revision}")
