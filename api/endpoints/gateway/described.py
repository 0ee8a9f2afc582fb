"""The OpenAPI description of what gateways ask, beside the routes: any method, at any path below that of Envoy."""

from collections.abc import Iterator, Mapping
from typing import Final

from ...http.openapi.operation import Answer, Call, Operation, Parameter
from ...http.openapi.vocabulary import CACHE_CONTROL, WWW_AUTHENTICATE
from ...http.rejections import ErrorAnswer
from ...http.revision_tokens import DECISION_ID_TOLD, REVISION_TOLD
from .contracts.all_contracts import CONTRACTS
from .original import FORWARDED, PROTO
from .outcome import REASON

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
"""The methods that OpenAPI can name, beside HEAD. Writ answers every other one in the same way."""

TOLD_BY_HEADERS: Final = tuple(sorted(name for name, one in CONTRACTS.items() if one.told_by_headers))
"""The gateways that tell the request by headers."""

GATEWAY_PARAMETERS: Final[Mapping[str, Parameter]] = {
    "gateway": Parameter("gateway", "The gateway that asks.", {"type": "string", "enum": list(TOLD_BY_HEADERS)}),
    "original": Parameter(
        "original", "The rest of the original request's path, with all its slashes, exactly as the backend gets it."
    ),
}
"""The parameters of the paths."""

_ROOTS: Final = {"": "", "/environments/{env}": "In"}
"""Before `/gateway/`: nothing for the default environment. With it, the end of the names of operations."""

_TOLD: Final = tuple(
    Parameter(name, f"The original request's {told}. Believed from trusted proxies only.", optional=True)
    for name, told in (
        ("X-Original-Method", "method, as nginx tells it"),
        ("X-Original-Host", "host, as nginx tells it"),
        ("X-Original-URI", "path and query, as nginx tells them"),
        ("X-Forwarded-Method", "method, as other gateways tell it"),
        ("X-Forwarded-Host", "host, as other gateways tell it"),
        ("X-Forwarded-Uri", "path and query, as other gateways tell them"),
    )
)
_FORWARDED: Final = (
    Parameter(PROTO, "The original request's scheme. Believed from trusted proxies only.", optional=True),
    Parameter(FORWARDED, "Addresses, the last of which is the client's. Believed from trusted proxies only."),
)
_USER: Final = Parameter("Authorization", "The user's own token, if the gateway settings say so.", optional=True)
_REASON: Final = Parameter(REASON, "Why the request is refused, if Writ read it.", optional=True)
_UNTIL: Final = Parameter("Writ-Valid-Until", "When the clock changes the decision, if it does.", optional=True)
_VARY: Final = Parameter(
    "Vary",
    "The headers of credentials, if the answer may be cached, and a route is marked.",
    optional=True,
)
_CHALLENGE: Final = Parameter(WWW_AUTHENTICATE.name, WWW_AUTHENTICATE.description, optional=True)

_ANSWERS: Final = {
    200: Answer(
        "The request may go on. The answer also has the `response_headers` of the gateway settings.",
        headers=(CACHE_CONTROL, REVISION_TOLD, DECISION_ID_TOLD, _UNTIL, _VARY),
    ),
    401: Answer(
        "There is no usable subject, or the gateway's own credential is missing or unknown.",
        ErrorAnswer,
        (CACHE_CONTROL, WWW_AUTHENTICATE),
    ),
    403: Answer(
        "The request is denied, matches no route, or can't be decided; or the gateway's credential may not ask here.",
        ErrorAnswer,
        (CACHE_CONTROL, _REASON, _CHALLENGE),
    ),
}
_HOW: Final = (
    "Gateways pass a request on only if the answer is 200. The gateway's credential is in `X-Writ-Authorization`. The"
    " environment's gateway settings name the header of the subject, and may name those of action and resource."
)


def gateway_calls() -> dict[str, dict[str, Call]]:
    """Returns the calls of each path by method."""
    return {path: dict(_calls(id, headers)) for path, id, headers in _paths()}


def _paths() -> Iterator[tuple[str, str, tuple[Parameter, ...]]]:
    for root, end in _ROOTS.items():
        yield f"{root}/gateway/{{gateway}}", f"check{end}", (*_TOLD, *_FORWARDED, _USER)
        for name, contract in CONTRACTS.items():
            if contract.prefix:
                yield f"{root}/gateway/{name}/{{original}}", f"check{name.title()}{end}", (*_FORWARDED, _USER)


def _calls(id: str, headers: tuple[Parameter, ...]) -> Iterator[tuple[str, Call]]:
    for method in METHODS:
        operation = Operation(
            f"{id}By{method.title()}",
            "Gateways",
            f"Ask whether a request may go on, by {method}",
            _ANSWERS,
            _HOW,
            headers=headers,
            any_method=True,
        )
        yield method, Call("decide", operation, "gateway")
