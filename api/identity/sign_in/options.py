"""The options of the sign-in, checked together at the start."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ....bundles.wording import quoted
from ...http.public_url import below
from ...settings.setting_readers import is_loopback
from ...settings.settings import BadSetting
from ...settings.sign_in_settings import CLIENT_ID, ISSUER, ROLES, SCOPES, SECRET_FILE, SignInSettings
from .cookies import Cookies
from .role_rules import RoleRules, read_role_rules


@dataclass(frozen=True, slots=True)
class SignInOptions:
    """The provider, Writ as its client, and the rights of its groups. `public_url` is the base of Writ's own URLs."""

    issuer: str
    client_id: str
    secret_file: Path | None
    scopes: str
    rules: RoleRules
    public_url: str

    @property
    def cookies(self) -> Cookies:
        """The cookies below the public URL."""
        return Cookies(self.public_url.startswith("https:"))

    @property
    def origin(self) -> str:
        """The origin of the public URL, as browsers write it in `Origin` (RFC 6454, 6.2)."""
        return origin_of(self.public_url)

    @property
    def redirect_uri(self) -> str:
        """The URL to which the provider sends people back."""
        return below(self.public_url, "/console/callback")

    @property
    def signed_out_uri(self) -> str:
        """The URL to which the provider sends people back who signed out there. It is of the settings alone."""
        return below(self.public_url, "/console/")

    @property
    def provider(self) -> str:
        """The provider's name to show: its host."""
        return urlsplit(self.issuer).hostname or self.issuer


def sign_in_options(settings: SignInSettings, public_url: str) -> SignInOptions | None:
    """Returns the options, or None if no issuer is set. Raises BadSetting, also for settings without an issuer."""
    if settings.issuer is None:
        for name, value in (
            (CLIENT_ID, settings.client_id),
            (SECRET_FILE, settings.secret_file),
            (ROLES, settings.roles),
        ):
            if value is not None:
                raise BadSetting(f"`{name}` has no effect without `{ISSUER}`")
        return None
    if settings.client_id is None or settings.roles is None:
        missing = CLIENT_ID if settings.client_id is None else ROLES
        raise BadSetting(f"`{ISSUER}` needs `{missing}`")
    if "openid" not in settings.scopes.split(" "):
        raise BadSetting(f"`{SCOPES}` must have the scope `openid`")
    parts = urlsplit(public_url)
    if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
        raise BadSetting(f"`{ISSUER}` needs `WRIT_PUBLIC_URL`, the URL that browsers reach, not {quoted(public_url)}")
    secret_file = None if settings.secret_file is None else Path(settings.secret_file)
    if secret_file is not None and not secret_file.is_file():
        raise BadSetting(f"`{SECRET_FILE}` names no file: {quoted(str(secret_file))}")
    rules = read_role_rules(Path(settings.roles))
    return SignInOptions(settings.issuer, settings.client_id, secret_file, settings.scopes, rules, public_url)


def origin_of(url: str) -> str:
    """Returns the origin of a URL: scheme and host in small letters, and the port unless it is the scheme's.

    >>> origin_of("https://PDP.example.com:443/authz"), origin_of("http://[::1]:8080")
    ('https://pdp.example.com', 'http://[::1]:8080')
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    port = parts.port if parts.port != {"https": 443, "http": 80}.get(parts.scheme) else None
    return f"{parts.scheme}://{shown}" + (f":{port}" if port is not None else "")
