"""The two kinds of keys that `writ keys` knows: those of tokens and those of bundles."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ....bundles.signing.jws import ALGORITHM
from ...identity.keys.bundle_keys import BUNDLE_KEY_VARIABLE, BUNDLE_KEYS_GIVEN, bundle_keys_at, refuse_other_kinds
from ...identity.keys.folder import BUNDLE_FOLDER, FOLDER
from ...identity.keys.signing_keys import Key
from ...identity.keys.sources import SIGNING_KEY_VARIABLE, SIGNING_KEYS_GIVEN, KeySource, signing_keys_at
from ...settings.settings import Settings
from ...store.audit.events import Event
from ..output import CommandFailed


@dataclass(frozen=True, slots=True)
class KeyKind:
    """A kind of keys: what they sign, where they are, and which event of the audit log records a rotation.

    `refuse` raises UnusableSigningKey for a key that can't be of this kind. `distrusted` is what is said when all old
    keys were removed.
    """

    signs: str
    folder: str
    variable: str
    given_file: str
    event: Event
    source: Callable[[Path, str | None], KeySource]
    setting: Callable[[Settings], str | None]
    algorithm: Callable[[Settings], str]
    refuse: Callable[[Key], None]
    distrusted: str

    def given(self, directory: Path, settings: Settings) -> str | None:
        """Returns the keys that the settings give, or None for those of the data directory.

        Raises CommandFailed if the service gets its keys from the variable, and the command does not.
        """
        found = self.setting(settings)
        if found is None and (directory / self.given_file).exists():
            raise CommandFailed(f"the service gets its keys from {self.variable}; set the variable here too")
        return found


KINDS: Final = {
    "token": KeyKind(
        "tokens",
        FOLDER,
        SIGNING_KEY_VARIABLE,
        SIGNING_KEYS_GIVEN,
        Event.SIGNING_KEY_ROTATED,
        signing_keys_at,
        lambda settings: settings.signing_key,
        lambda settings: settings.signing_algorithm,
        lambda _: None,
        "the tokens of all other keys are refused",
    ),
    "bundle": KeyKind(
        "bundles",
        BUNDLE_FOLDER,
        BUNDLE_KEY_VARIABLE,
        BUNDLE_KEYS_GIVEN,
        Event.BUNDLE_KEY_ROTATED,
        bundle_keys_at,
        lambda settings: settings.bundle_key,
        lambda _: ALGORITHM,
        refuse_other_kinds,
        "take the old public keys from every program that verifies bundles",
    ),
}
