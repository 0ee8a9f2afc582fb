"""The clients and API keys that need attention: those that were not used for long, end soon, or have expired."""

from enum import StrEnum
from typing import Final, NamedTuple

from ....bundles.conditions.instants import show_seconds
from ....bundles.signing.sign import DAY
from ..actor import API_KEY_PREFIX, CLIENT_PREFIX
from ..credential_rows import EVERY_ROW, RowChoice, number_within
from ..database.connection import Connection
from ..environment_ids import Bounds

UNUSED_DAYS: Final = 30
"""The days without a use after which a credential counts as unused. One that was made since does not."""

ENDING_DAYS: Final = 14
"""The days before its end in which a credential counts as ending."""


class CredentialState(StrEnum):
    """A state of a client or an API key that needs attention.

    An `ending` credential expires soon, or has an old secret that ends soon. No client is `expired`.
    """

    UNUSED = "unused"
    ENDING = "ending"
    EXPIRED = "expired"


class InState(NamedTuple):
    """A state at an instant in epoch seconds."""

    state: CredentialState
    now: float


# Instants of RFC 3339 in UTC without their `Z` have the order of their texts, with fractions of a second and without.
_NOT_USED: Final = (
    "rtrim(t.created, 'Z') <= :unused_text AND NOT EXISTS"
    " (SELECT 1 FROM credential_uses u WHERE u.credential = '{}' || t.id AND u.used > :unused)"
)
_OLD_ENDS: Final = (
    "EXISTS (SELECT 1 FROM old_secrets o WHERE o.credential = '{}' || t.id AND o.ends > :now AND o.ends <= :soon)"
)
_EXPIRED: Final = "coalesce(rtrim(t.expires_at, 'Z') <= :now_text, FALSE)"
_EXPIRES: Final = "coalesce(rtrim(t.expires_at, 'Z') <= :soon_text, FALSE)"
_CONDITIONS: Final = {
    ("clients", CredentialState.UNUSED): f"t.revoked IS NULL AND {_NOT_USED.format(CLIENT_PREFIX)}",
    ("clients", CredentialState.ENDING): f"t.revoked IS NULL AND {_OLD_ENDS.format(CLIENT_PREFIX)}",
    ("api_keys", CredentialState.UNUSED): f"NOT {_EXPIRED} AND {_NOT_USED.format(API_KEY_PREFIX)}",
    ("api_keys", CredentialState.ENDING): f"NOT {_EXPIRED} AND ({_EXPIRES} OR {_OLD_ENDS.format(API_KEY_PREFIX)})",
    ("api_keys", CredentialState.EXPIRED): _EXPIRED,
}


def chosen_rows(table: str, of: InState | None) -> RowChoice:
    """Returns the choice of the rows of `clients` or `api_keys` in a state, or of all rows."""
    if of is None:
        return EVERY_ROW
    instants = {"now": of.now, "soon": of.now + ENDING_DAYS * DAY, "unused": of.now - UNUSED_DAYS * DAY}
    texts = {f"{name}_text": show_seconds(at).rstrip("Z") for name, at in instants.items()}
    return RowChoice(_CONDITIONS[table, of.state], {**instants, **texts})


def numbers_by_state(db: Connection, table: str, within: Bounds, now: float, most: int) -> dict[str, int]:
    """Returns how many credentials within the bounds are in each state, up to `most`."""
    states = [state for of, state in _CONDITIONS if of == table]
    return {
        state.value: number_within(db, table, within, chosen_rows(table, InState(state, now)), most) for state in states
    }
