"""Checks of the sign-in of people: its settings, the rules, the secret of the client, and the provider."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ...identity.issuers.key_sets import UnusableKeySet, read_key_set, text_at
from ...identity.sign_in.options import SignInOptions, sign_in_options
from ...identity.sign_in.provider import CodeRefused, Provider, ProviderMetadata, read_secret
from ...identity.sign_in.provider_calls import ProviderUnavailable
from ...settings.settings import BadSetting, Settings
from ...settings.sign_in_settings import ISSUER, ROLES, SECRET_FILE
from ...store.database.sqlite.opening import FILE
from ...store.examination import stored_environments
from ...store.leases.reaching import reached_to_look
from .finding import DoctorFinding, failure, ok, warning

_OTHERS: Final = 0o077
_LOCAL: Final = "http://127.0.0.1"


def check_sign_in(settings: Settings, directory: Path | None) -> Iterator[DoctorFinding]:
    """Yields whether people can sign in. The environments of the rules are looked up if there is a data directory.

    The provider has FETCH_SECONDS for its metadata, and as many for its keys.
    """
    try:
        options = sign_in_options(settings.sign_in, settings.public_url or _LOCAL)
    except BadSetting as ex:
        yield failure(str(ex), "correct the variable or the file that it names; `writ serve` fails until then")
        return
    if options is not None:
        yield from (_rules(options, settings, directory), _secret(options), *_provider(options))


def _rules(options: SignInOptions, settings: Settings, directory: Path | None) -> DoctorFinding:
    rules = options.rules.rules
    named = {id for rule in rules for id in rule.environments or ()}
    stored = None if directory is None or not named else _environments(directory, settings)
    if stored is None:
        return ok(f"`{ROLES}` has rules for {len(rules)} groups")
    unknown = sorted(named - stored)
    if unknown:
        listed = ", ".join(f"`{id}`" for id in unknown)
        return warning(
            f"`{ROLES}` names environments that do not exist: {listed}",
            "correct the file, or create them; until then, these ids give nothing",
        )
    return ok(f"`{ROLES}` has rules for {len(rules)} groups, and each environment in them exists")


def _environments(directory: Path, settings: Settings) -> frozenset[str] | None:
    """Returns the ids of the environments in the store, or None if there is no store yet."""
    if settings.store.url is not None:
        return stored_environments(directory, reached_to_look(settings.store.url))
    return stored_environments(directory, None) if (directory / FILE).exists() else None


def _secret(options: SignInOptions) -> DoctorFinding:
    file = options.secret_file
    if file is None:
        return ok("the client has no secret: it is a public one")
    try:
        read_secret(file)
    except CodeRefused as ex:
        return failure(f"`{file}`: {ex}", f"put the secret of the client into the file of `{SECRET_FILE}`")
    if stat.S_IMODE(file.stat().st_mode) & _OTHERS:
        return warning(f"other users can use `{file}`, which has the secret of the client", f"run `chmod 600 {file}`")
    return ok("the secret of the client can be read by its owner alone")


def _provider(options: SignInOptions) -> Iterator[DoctorFinding]:
    provider = Provider(options.issuer, options.client_id, options.secret_file)
    try:
        metadata = provider.metadata()
    except ProviderUnavailable as ex:
        message = f"the provider `{options.issuer}` can't be used: {ex}"
        yield failure(message, f"let this machine reach it, and set `{ISSUER}` exactly as the provider writes it")
        return
    yield ok(f"the provider `{options.issuer}` names itself so, and has what a sign-in needs")
    yield _keys(metadata)
    if metadata.end_session_endpoint is None:
        yield ok("the provider has no sign-out: `Sign out` ends the session of Writ alone")


def _keys(metadata: ProviderMetadata) -> DoctorFinding:
    try:
        count = len(read_key_set(text_at(metadata.jwks_uri)))
    except UnusableKeySet as ex:
        return failure(f"the keys of the provider can't be read: {ex}", "let this machine reach the keys' URL")
    if count == 0:
        return failure("the provider has no public key that signs ID tokens", "let it publish one in its key set")
    return ok(f"the keys of the provider can be read: {count}")
