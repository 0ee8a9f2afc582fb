"""`/.well-known/authzen-configuration`: what is served where, for AuthZEN clients (authzen.md 82-90; W7).

The documents are public, and made of the public URL alone: neither the `Host` header nor the store has a part in
them. So that of a named environment is the same whether there is such an environment or not: which there are is told
to nobody without a credential, here as in every other call.
"""

import hashlib
from dataclasses import replace
from typing import Final

import falcon.asgi
import msgspec

from ...bundles.wording import quoted
from ..http.bodies import ENCODER
from ..http.entity_tags import is_known
from ..http.public_url import below
from ..http.raw_paths import segment
from ..openapi.operation import Answer, Operation
from ..openapi.vocabulary import CACHE_CONTROL, ETAG, IF_NONE_MATCH, UNCHANGED
from ..store.environments import is_environment_id
from ..store.errors import NotFound

CACHE_SECONDS: Final = 3_600
"""How long a client may keep a document before it asks again."""

_CACHE_CONTROL: Final = f"public, max-age={CACHE_SECONDS}"


class PolicyDecisionPoint(msgspec.Struct, frozen=True):
    """The document: URLs, each of a call that is served; clients take what is left out for what is not (85, 86)."""

    policy_decision_point: str
    access_evaluation_endpoint: str
    access_evaluations_endpoint: str
    search_subject_endpoint: str
    search_resource_endpoint: str
    search_action_endpoint: str


DISCOVER: Final = Operation(
    "discover",
    "Service",
    "Find out what is served where, as AuthZEN clients do",
    {
        200: Answer("The metadata.", PolicyDecisionPoint, (ETAG, CACHE_CONTROL)),
        304: replace(UNCHANGED, headers=(ETAG, CACHE_CONTROL)),
    },
    headers=(IF_NONE_MATCH,),
    errors=(400,),
)
DISCOVER_IN: Final = replace(
    DISCOVER.in_environment(), description="It is the same whether there is such an environment or not."
)


class Discovery:
    """The document of the default environment, or of the one that the path names."""

    def __init__(self, public_url: str) -> None:
        """`public_url` is that of the default environment, byte for byte as clients are given it (85)."""
        self._public_url = public_url

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str | None = None) -> None:
        """Answer 200, or 304 where the client has it already.

        Raises:
            NotFound: no environment can have the id `env`.
            BadQuery: `If-None-Match` can't be read.
        """
        text = ENCODER.encode(metadata(self._identifier(env)))
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


def metadata(identifier: str) -> PolicyDecisionPoint:
    """The document of the decision point that clients know as `identifier`, a URL."""
    calls = ("evaluation", "evaluations", "search/subject", "search/resource", "search/action")
    return PolicyDecisionPoint(identifier, *(below(identifier, f"/access/v1/{call}") for call in calls))
