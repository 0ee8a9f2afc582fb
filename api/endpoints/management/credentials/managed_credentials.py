"""The shared parts of the endpoints for clients and API keys."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol, TypeAlias, TypeVar

import falcon.asgi

from .....bundles.conditions.instants import show_seconds
from .....bundles.wording import alternatives
from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER
from ....http.openapi.operation import Answer, Parameter
from ....http.queries import known_parameters, page_limit
from ....http.rejections import Forbidden
from ....identity.credential import Credential, highest
from ....identity.credential_shapes import OldSecretAnswer
from ....settings.settings import HttpLimits
from ....store.credential_rows import OldSecret
from ....store.credentials.credential_states import ENDING_DAYS, UNUSED_DAYS, CredentialState, InState
from ....store.environment_ids import Bounds
from ....store.errors import BadQuery
from ....store.finding.finding import read_part
from ....store.finding.folding import fold
from ....store.pages import MAX_PAGE, cursor_after

NO_STORE: Final = "no-store"
"""`Cache-Control` of an answer that shows a secret."""

END_OLD: Final = Answer("Only the present secret works.")
"""The answer when an overlap is ended."""


class _Named(Protocol):
    """A credential."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


_T = TypeVar("_T", bound=_Named)
_Rows: TypeAlias = Callable[[Bounds, int, str | None, InState | None], tuple[list[_T], str | None]]


def state_parameter(*states: CredentialState) -> Parameter:
    """Returns the parameter of a list that chooses a state."""
    return Parameter(
        "state",
        f"Only those that were not used for {UNUSED_DAYS} days, that end within {ENDING_DAYS} days or have an old"
        " secret that does, or that have expired.",
        {"type": "string", "enum": [state.value for state in states]},
    )


async def answer_page(
    req: falcon.asgi.Request,
    resp: falcon.asgi.Response,
    work: StoreWork,
    limits: HttpLimits,
    rows: _Rows[_T],
    listed: str,
    shown: Callable[[_T], object],
    states: Sequence[CredentialState],
) -> None:
    """Answers 200 with a page of a list, by id: the credentials that the caller may manage. `listed` names the list.

    Raises BadQuery, also for a state that is not among the `states` of the list.
    """
    asked = known_parameters(req, "limit", "cursor", "q", "state")
    limit, folded = page_limit(asked, limits.page_items), read_part(asked.get("q", ""))
    if asked.get("state", states[0]) not in states:
        raise BadQuery(f"`state` is {alternatives(states)}")
    of = InState(CredentialState(asked["state"]), work.now()) if "state" in asked else None
    page = partial(_fitting, rows, listed, folded) if folded else rows
    found, cursor = await work.read(page, req.context.credential.bounds, limit, asked.get("cursor"), of)
    resp.data = ENCODER.encode({"items": list(map(shown, found)), "next_cursor": cursor})


def _fitting(
    rows: _Rows[_T], listed: str, folded: str, within: Bounds, limit: int, cursor: str | None, of: InState | None
) -> tuple[list[_T], str | None]:
    """Returns a page of the credentials whose id or name has a folded text. They are few, so all are read."""
    found: list[_T] = []
    while len(found) <= limit:
        some, cursor = rows(within, MAX_PAGE, cursor, of)
        found += (one for one in some if any(folded in fold(text) for text in (one.id, one.name)))
        if cursor is None:
            break
    return found[:limit], cursor_after(listed, (found[limit - 1].id,)) if len(found) > limit else None


def shown_old(secrets: tuple[OldSecret, ...]) -> tuple[OldSecretAnswer, ...]:
    """Returns the old secrets of a credential in the shape of the answer."""
    return tuple(OldSecretAnswer(show_seconds(one.ends), one.last_used) for one in secrets)


def refuse_higher_scopes(scopes: tuple[str, ...], maker: Credential) -> None:
    """Raises Forbidden if a new credential has a higher scope than its maker."""
    wanted = highest(scopes)
    if wanted > maker.scope:
        scope = wanted.name.lower()
        raise Forbidden(f"only a credential with the scope `{scope}` can give that scope", scope)
