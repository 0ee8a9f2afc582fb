"""The gateway settings of an environment: which input from a gateway Writ believes, and what Writ tells the backend."""

from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from typing import Annotated, Final, Literal, NamedTuple
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from ..conditions.addresses import parse_block
from ..prepared import prepared
from ..wording import Path, joined, quoted
from .hosts import is_header_name

MAX_CACHE_SECONDS: Final = 3_600
"""The longest time for which a gateway may keep an answer. In this time, a revocation does not count there."""

MAX_ENTRIES: Final = 100
"""The trusted proxies, the gateway's headers, the response headers and the attributes of the settings, each."""

UNIX: Final = "unix"
"""The trusted proxy that stands for any peer on a Unix socket."""

ATTRIBUTE: Final = "attribute:"
"""Before the name of a subject's attribute that goes to the backend."""

RESPONSE_VALUES: Final = (
    "access_path",
    "policy_id",
    "reason_code",
    "revision",
    "subject_id",
    "subject_type",
)
"""The facts that a response header may carry, besides an attribute of the subject."""

CONTEXT_KEYS: Final = frozenset(("host", "ip", "ip_address", "method", "path", "scheme", "time"))
"""The keys of the context that Writ sets, or that gates read. No claim of a token may set one."""

CREDENTIAL_HEADERS: Final = frozenset(("authorization", "x-writ-authorization", "proxy-authorization", "cookie"))
"""Headers with credentials. No member of the settings may name one."""

MESSAGE_HEADERS: Final = frozenset(
    (
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "host",
        "keep-alive",
        "location",
        "set-cookie",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "www-authenticate",
    )
)
"""Headers by which a message is read. No member of the settings may name one."""

Algorithm = Literal[
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"
]  # a shared secret would let each holder make tokens, and `none` everyone
Text = Annotated[str, Meta(min_length=1, max_length=512)]
HeaderName = Annotated[str, Meta(min_length=1, max_length=100)]
Key = Annotated[str, Meta(min_length=1, max_length=256)]


class _Settings(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of the settings. Unknown members are refused, and defaults are left out."""


class JwtSubject(_Settings, frozen=True):
    """The subject is the holder of a JWT, which the end user sends as `Authorization: Bearer …`.

    The token must be from `issuer`, for `audience`, and signed with one of `algorithms` by a key of the JWKS, which
    lies in a file (an absolute path on each machine) or at a URL. `id_claim` has the subject's id, and `type` is its
    type. `attribute_claims` has the claim of each attribute, and `context_claims` that of each key of the context.
    """

    issuer: Text
    audience: Text
    algorithms: Annotated[tuple[Algorithm, ...], Meta(min_length=1)]
    jwks_file: Annotated[str, Meta(min_length=1, max_length=4096)] | None = None
    jwks_url: Annotated[str, Meta(min_length=1, max_length=2048)] | None = None
    id_claim: Key = "sub"
    type: Text = "user"
    attribute_claims: dict[Key, Key] = {}
    context_claims: dict[Key, Key] = {}


class AnonymousSubject(_Settings, frozen=True):
    """The subject of requests that bring no credential, by its type and id. No model needs to have it."""

    type: Text
    id: Text


class GatewaySubject(_Settings, frozen=True):
    """The source of the subject: a `header` with its type and id, such as `user:alice`, or a `jwt`."""

    header: HeaderName | None = None
    jwt: JwtSubject | None = None


@prepared
class GatewaySettings(_Settings, frozen=True):
    """The gateway settings of an environment.

    Headers of the subject, of the original request and of forwarding are read only from a peer in `trusted_proxies`:
    addresses, CIDR blocks, and `unix`. `action_header` and `resource_header` (`document:d1`) take the place of a route
    or of a method. `gateway_headers` are those that the gateway sets itself on each request: a route may take its
    action or the id of its resource from one. `response_headers` has what each header tells the backend of an allowed
    request: one of RESPONSE_VALUES, or `attribute:NAME` of the subject. An answer may be cached for
    `max_cache_seconds`. `anonymous` is the subject for whom a route with the mark of that name is asked if the request
    brings no credential (E11).
    """

    subject: GatewaySubject
    trusted_proxies: tuple[Text, ...] = ()
    action_header: HeaderName | None = None
    resource_header: HeaderName | None = None
    gateway_headers: tuple[HeaderName, ...] = ()
    max_cache_seconds: Annotated[int, Meta(ge=0, le=MAX_CACHE_SECONDS)] = 0
    response_headers: dict[HeaderName, Text] = {}
    anonymous: AnonymousSubject | None = None


class SettingsFault(NamedTuple):
    """A fault of the settings: the path of the faulty member, and one sentence."""

    path: Path
    message: str


def settings_faults(settings: GatewaySettings) -> Iterator[SettingsFault]:
    """Yields the faults of settings that fit their class."""
    yield from _subject_faults(settings.subject)
    yield from _input_faults(settings)
    yield from _proxy_faults(settings.trusted_proxies)
    yield from _response_faults(settings.response_headers)


def _subject_faults(subject: GatewaySubject) -> Iterator[SettingsFault]:
    if (subject.header is None) == (subject.jwt is None):
        yield SettingsFault(("subject",), "the subject comes from either a `header` or a `jwt`")
    if subject.jwt is not None:
        at = ("subject", "jwt")
        if (subject.jwt.jwks_file is None) == (subject.jwt.jwks_url is None):
            yield SettingsFault(at, "the keys come from either a `jwks_file` or a `jwks_url`")
        if subject.jwt.jwks_file is not None and not _is_plain_path(subject.jwt.jwks_file):
            yield SettingsFault((*at, "jwks_file"), "the file is an absolute path without `..`")
        if subject.jwt.jwks_url is not None and not _is_safe_url(subject.jwt.jwks_url):
            message = "the URL begins with `https://`, or with `http://` and a loopback address, and has no user in it"
            yield SettingsFault((*at, "jwks_url"), message)
        if len(subject.jwt.attribute_claims) > MAX_ENTRIES:
            yield _too_many((*at, "attribute_claims"), subject.jwt.attribute_claims)
        if len(subject.jwt.context_claims) > MAX_ENTRIES:
            yield _too_many((*at, "context_claims"), subject.jwt.context_claims)
        for key in subject.jwt.context_claims:
            if key in CONTEXT_KEYS:
                message = f"{quoted(key)} is about the request itself, and comes from no token"
                yield SettingsFault((*at, "context_claims", key), message)


def _input_faults(settings: GatewaySettings) -> Iterator[SettingsFault]:
    """Yields the faults of the headers that Writ reads."""
    named: dict[Path, str | None] = {
        ("subject", "header"): settings.subject.header,
        ("action_header",): settings.action_header,
        ("resource_header",): settings.resource_header,
        **{("gateway_headers", index): name for index, name in enumerate(settings.gateway_headers)},
    }
    if len(settings.gateway_headers) > MAX_ENTRIES:
        yield _too_many(("gateway_headers",), settings.gateway_headers)
    seen: set[str] = set()
    for path, name in named.items():
        if name is not None:
            yield from _header_faults(path, name)
            if name.lower() in seen:
                yield SettingsFault(path, f"another member names the header {quoted(name)} too")
            seen.add(name.lower())


def _proxy_faults(proxies: tuple[str, ...]) -> Iterator[SettingsFault]:
    if len(proxies) > MAX_ENTRIES:
        yield _too_many(("trusted_proxies",), proxies)
    for index, text in enumerate(proxies):
        path = ("trusted_proxies", index)
        try:
            everyone = text != UNIX and parse_block(text).prefixlen == 0
        except ValueError as ex:
            yield SettingsFault(path, f"{ex}, and not {quoted(UNIX)}")
            continue
        if everyone:
            yield SettingsFault(path, f"{quoted(text)} would trust everyone; name the addresses of the gateways")


def _response_faults(headers: dict[str, str]) -> Iterator[SettingsFault]:
    if len(headers) > MAX_ENTRIES:
        yield _too_many(("response_headers",), headers)
    seen: set[str] = set()
    for name, value in headers.items():
        path = ("response_headers", name)
        yield from _header_faults(path, name)
        if name.lower() in seen:
            yield SettingsFault(path, f"the header {quoted(name)} is there twice, in another case")
        seen.add(name.lower())
        if value not in RESPONSE_VALUES and (not value.startswith(ATTRIBUTE) or value == ATTRIBUTE):
            known = joined([*map(quoted, RESPONSE_VALUES), "`attribute:NAME`"], "or")
            yield SettingsFault(path, f"a header tells {known}, not {quoted(value)}")


def _header_faults(path: Path, name: str) -> Iterator[SettingsFault]:
    if not is_header_name(name):
        yield SettingsFault(path, f"{quoted(name)} is not the name of a header")
    elif name.lower() in CREDENTIAL_HEADERS:
        yield SettingsFault(path, f"{quoted(name)} has credentials, and is not for this")
    elif name.lower() in MESSAGE_HEADERS:
        yield SettingsFault(path, f"{quoted(name)} says how a message is read, and is not for this")


def _too_many(path: Path, entries: Iterable[object]) -> SettingsFault:
    return SettingsFault(path, f"there are {len([*entries])} entries, the limit is {MAX_ENTRIES}")


def _is_plain_path(text: str) -> bool:
    return text.startswith("/") and text.isprintable() and ".." not in text.split("/")


def _is_safe_url(text: str) -> bool:
    """Returns whether keys that come from a URL can't be changed on their way: by TLS, or on this machine."""
    try:
        url = urlsplit(text)
        host, _ = url.hostname, url.port
    except ValueError:
        return False
    if not text.isascii() or not text.isprintable() or " " in text or not host or "@" in url.netloc or url.fragment:
        return False
    return url.scheme == "https" or (url.scheme == "http" and _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
