"""`/.well-known/authzen-configuration`: the URLs of all calls, for AuthZEN clients (authzen.md 82-90; W7).

The documents are public. They follow from the public URL alone, not from the `Host` header or the store. So the
document of a named environment does not show whether the environment exists: only a caller with a credential may know.
"""

import hashlib
from collections.abc import Collection
from dataclasses import replace
from typing import Final

import falcon.asgi
import msgspec

from ....bundles.wording import quoted
from ...http.bodies import ENCODER
from ...http.entity_tags import is_known
from ...http.openapi.operation import Answer, Operation
from ...http.openapi.vocabulary import CACHE_CONTROL, ETAG, IF_NONE_MATCH, UNCHANGED
from ...http.public_url import below
from ...http.raw_paths import segment
from ...store.environment_ids import is_environment_id
from ...store.errors import NotFound

CACHE_SECONDS: Final = 3_600
"""The seconds for which a client may cache a document."""

_CACHE_CONTROL: Final = f"public, max-age={CACHE_SECONDS}"


class PolicyDecisionPoint(msgspec.Struct, frozen=True, omit_defaults=True):
    """The URLs of the calls. Clients treat a call without a URL as not supported (85, 86)."""

    policy_decision_point: str
    access_evaluation_endpoint: str
    access_evaluations_endpoint: str
    search_subject_endpoint: str | None = None
    search_resource_endpoint: str | None = None
    search_action_endpoint: str | None = None
    writ_filter_endpoint: str | None = None


CALLS: Final = {
    "access_evaluation_endpoint": "evaluation",
    "access_evaluations_endpoint": "evaluations",
    "search_subject_endpoint": "search/subject",
    "search_resource_endpoint": "search/resource",
    "search_action_endpoint": "search/action",
    "writ_filter_endpoint": "search/resource",
}
"""The calls below `/access/v1/`, by the member with their URL.

A filter is a resource search with `options.return: "filter"`. It has a member of Writ's own, because agents answer it
and not the standard's search.
"""


DISCOVER: Final = Operation(
    "discover",
    "Service",
    "Read the URLs of the decision calls (AuthZEN metadata)",
    {
        200: Answer("The metadata.", PolicyDecisionPoint, (ETAG, CACHE_CONTROL)),
        304: replace(UNCHANGED, headers=(ETAG, CACHE_CONTROL)),
    },
    headers=(IF_NONE_MATCH,),
    errors=(400,),
)
DISCOVER_IN: Final = replace(
    DISCOVER.in_environment(), description="The answer is the same whether the environment exists or not."
)


class Discovery:
    """The document of the default environment, or of the one that the path names."""

    def __init__(self, public_url: str, calls: Collection[str]) -> None:
        """`public_url` is the URL of the default environment, byte for byte as clients get it (85)."""
        self._public_url, self._calls = public_url, calls

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str | None = None) -> None:
        """Answer 200, or 304 if the client has the document already.

        Raises:
            NotFound: no environment can have the id `env`.
            BadQuery: `If-None-Match` can't be read.
        """
        text = ENCODER.encode(metadata(self._identifier(env), self._calls))
        tag = hashlib.sha256(text).hexdigest()[:32]
        known = is_known(req, tag)
        resp.set_header("Cache-Control", _CACHE_CONTROL)
        resp.etag = tag
        if known:
            resp.status = falcon.HTTP_304
        else:
            resp.data = text

    def _identifier(self, env: str | None) -> str:
        if env is None:
            return self._public_url
        if not is_environment_id(env):
            raise NotFound(f"there can be no environment {quoted(env)}")
        return below(self._public_url, f"/environments/{segment(env)}")


def metadata(identifier: str, calls: Collection[str]) -> PolicyDecisionPoint:
    """Returns the document of the decision point with the URL `identifier`, with these members of `CALLS`."""
    urls = {name: below(identifier, f"/access/v1/{call}") for name, call in CALLS.items() if name in calls}
    return PolicyDecisionPoint(identifier, **urls)
