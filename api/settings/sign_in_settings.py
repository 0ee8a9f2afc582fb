"""The settings of the sign-in of people with an OpenID provider."""

from dataclasses import dataclass
from typing import Final

from .setting_readers import PUBLIC_URL, TEXT
from .setting_rows import setting

ISSUER: Final = "WRIT_OIDC_ISSUER"
CLIENT_ID: Final = "WRIT_OIDC_CLIENT_ID"
SECRET_FILE: Final = "WRIT_OIDC_CLIENT_SECRET_FILE"  # noqa: S105 - the name of a variable
ROLES: Final = "WRIT_OIDC_ROLES"
SCOPES: Final = "WRIT_OIDC_SCOPES"
"""The variables of the sign-in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInSettings:
    """The provider that people sign in with, and their rights. `issuer` None: people have no sign-in."""

    issuer: str | None = setting(
        ISSUER,
        PUBLIC_URL,
        None,
        "The issuer of the OpenID provider where people sign in to the console, exactly as the provider writes it.",
    )
    client_id: str | None = setting(CLIENT_ID, TEXT, None, "The id of Writ as a client of the provider.")
    secret_file: str | None = setting(
        SECRET_FILE,
        TEXT,
        None,
        "The file with the secret of this client. It is read at each sign-in. Without it, the client is a public one.",
    )
    roles: str | None = setting(
        ROLES, TEXT, None, "The JSON file that gives scopes and environments to the groups of the provider."
    )
    scopes: str = setting(
        SCOPES, TEXT, "openid profile email", "The scopes that Writ asks the provider for, separated by spaces."
    )
