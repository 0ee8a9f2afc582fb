"""What the calls on clients and on API keys have in common."""

from collections.abc import Callable
from typing import Final, TypeVar

import falcon.asgi

from ..credentials.credential import Credential
from ..credentials.known_credentials import highest
from ..http.bodies import ENCODER
from ..http.queries import known_parameters, page_limit
from ..http.rejections import Forbidden
from ..store.credential_rows import Bounds
from .elements import ManagementServices

NO_STORE: Final = "no-store"
"""`Cache-Control` of an answer that shows a secret."""

_T = TypeVar("_T")


async def answer_page(
    req: falcon.asgi.Request,
    resp: falcon.asgi.Response,
    services: ManagementServices,
    rows: Callable[[Bounds, int, str | None], tuple[list[_T], str | None]],
    shown: Callable[[_T], object],
) -> None:
    """Answer 200 with a page of those that the caller may manage, by id."""
    asked = known_parameters(req, "limit", "cursor")
    limit = page_limit(asked, services.limits.page_items)
    found, cursor = await services.work.read(rows, req.context.credential.bounds, limit, asked.get("cursor"))
    resp.data = ENCODER.encode({"items": list(map(shown, found)), "next_cursor": cursor})


def refuse_higher_scopes(scopes: tuple[str, ...], maker: Credential) -> None:
    """Pass where a new credential gets no more than its maker has. Raises Forbidden."""
    wanted = highest(scopes)
    if wanted > maker.scope:
        scope = wanted.name.lower()
        raise Forbidden(f"only a credential of the scope `{scope}` can give that scope", scope)
