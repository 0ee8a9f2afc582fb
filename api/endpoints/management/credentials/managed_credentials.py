"""The shared parts of the endpoints for clients and API keys."""

from collections.abc import Callable
from typing import Final, TypeVar

import falcon.asgi

from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER
from ....http.queries import known_parameters, page_limit
from ....http.rejections import Forbidden
from ....identity.credential import Credential, highest
from ....settings.settings import HttpLimits
from ....store.environment_ids import Bounds

NO_STORE: Final = "no-store"
"""`Cache-Control` of an answer that shows a secret."""

_T = TypeVar("_T")


async def answer_page(
    req: falcon.asgi.Request,
    resp: falcon.asgi.Response,
    work: StoreWork,
    limits: HttpLimits,
    rows: Callable[[Bounds, int, str | None], tuple[list[_T], str | None]],
    shown: Callable[[_T], object],
) -> None:
    """Answers 200 with a page of the credentials that the caller may manage, by id."""
    asked = known_parameters(req, "limit", "cursor")
    limit = page_limit(asked, limits.page_items)
    found, cursor = await work.read(rows, req.context.credential.bounds, limit, asked.get("cursor"))
    resp.data = ENCODER.encode({"items": list(map(shown, found)), "next_cursor": cursor})


def refuse_higher_scopes(scopes: tuple[str, ...], maker: Credential) -> None:
    """Raises Forbidden if a new credential has a higher scope than its maker."""
    wanted = highest(scopes)
    if wanted > maker.scope:
        scope = wanted.name.lower()
        raise Forbidden(f"only a credential with the scope `{scope}` can give that scope", scope)
