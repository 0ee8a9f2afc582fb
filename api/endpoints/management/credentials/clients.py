"""OAuth clients: `/v1/clients[/{client_id}[/secret, /old-secrets, /revoke]]` (contract 2.8)."""

from typing import Final

import falcon
import falcon.asgi
from msgspec import UNSET
from msgspec.structs import asdict

from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER, JSON, Bodies
from ....http.entity_tags import refuse_tags
from ....http.openapi.operation import Answer, Operation, page_of
from ....http.openapi.vocabulary import CACHE_CONTROL, LOCATION, PAGE, PART
from ....http.queries import known_parameters
from ....identity.credential import Credential
from ....identity.credential_shapes import ClientAnswer, ClientPatch, ClientWithSecret, NewClient, NewSecret, in_order
from ....identity.request_actor import actor_of
from ....identity.secret_format import CLIENT_SECRET, new_secret
from ....settings.settings import HttpLimits
from ....store.credential_rows import Client
from ....store.credentials.credential_states import CredentialState
from ....store.credentials.credentials import ClientSpec
from ....store.credentials.old_secrets import Overlap
from ..body_shapes import shaped
from ..elements import MERGE_PATCH
from .managed_credentials import END_OLD, NO_STORE, answer_page, refuse_higher_scopes, shown_old, state_parameter

_TAG: Final = "Clients"

_STATES: Final = (CredentialState.UNUSED, CredentialState.ENDING)

LIST: Final = Operation(
    "listClients",
    _TAG,
    "List the clients by id",
    {200: Answer("A page.", page_of(ClientAnswer))},
    query=(*PAGE, PART, state_parameter(*_STATES)),
)
CREATE: Final = Operation(
    "createClient",
    _TAG,
    "Make a client",
    {
        201: Answer(
            "The client with its secret, which is shown only in this answer.",
            ClientWithSecret,
            (LOCATION, CACHE_CONTROL),
        )
    },
    "The new client can't have more scopes or environments than its maker: else 403.",
    bodies={JSON: NewClient},
)
GET: Final = Operation("getClient", _TAG, "Read a client", {200: Answer("The client.", ClientAnswer)})
PATCH: Final = Operation(
    "patchClient",
    _TAG,
    "Change a client. Its tokens lose the scopes and environments that it loses",
    {200: Answer("The client as it is now.", ClientAnswer)},
    bodies={MERGE_PATCH: ClientPatch, JSON: ClientPatch},
    errors=(412,),
)
DELETE: Final = Operation(
    "deleteClient",
    _TAG,
    "Delete a client. Its tokens are refused from now on",
    {204: Answer("The client is deleted.")},
    errors=(412,),
)
RENEW_SECRET: Final = Operation(
    "renewClientSecret",
    _TAG,
    "Give a client a new secret",
    {
        200: Answer(
            "The client with its new secret, which is shown only in this answer.", ClientWithSecret, (CACHE_CONTROL,)
        )
    },
    "The old secret lives on for `overlap_seconds`, and tokens that it gets meanwhile end with it. Tokens from before"
    " stay valid. A revoked client gets no secret: 409. So does one with five old secrets that still work.",
    bodies={JSON: NewSecret},
    errors=(409,),
    needs_body=False,
)
END_OLD_SECRETS: Final = Operation(
    "endOldClientSecrets", _TAG, "End the overlap of a client's secrets now", {204: END_OLD}
)
REVOKE: Final = Operation(
    "revokeClient",
    _TAG,
    "Revoke a client. Its secret and its tokens are refused from now on",
    {204: Answer("The client is revoked. This can't be undone.")},
)


class Clients:
    """The list of clients. A POST makes a new one."""

    def __init__(self, work: StoreWork, bodies: Bodies, limits: HttpLimits) -> None:
        self._work, self._bodies, self._limits = work, bodies, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with a page of the clients that the caller may manage, by id."""
        rows = self._work.store.credentials.clients
        await answer_page(req, resp, self._work, self._limits, rows, "clients", shown_client, _STATES)

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 201 with the new client and its secret, which is shown only in this answer."""
        known_parameters(req)
        asked = shaped(await self._bodies.read_element(req), NewClient, "bad-client")
        maker: Credential = req.context.credential
        scopes = in_order(asked.scopes)
        refuse_higher_scopes(scopes, maker)
        wanted = ClientSpec(asked.name, scopes, asked.token_lifetime, asked.description, asked.environments)
        secret, digest = new_secret(CLIENT_SECRET)
        made = await self._work.change(self._work.store.credentials.add_client, actor_of(req), wanted, digest)
        resp.status = falcon.HTTP_201
        resp.set_header("Location", f"/v1/clients/{made.id}")
        _show_secret(resp, made, secret)


class OneClient:
    """One client."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies = work, bodies

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, client_id: str) -> None:
        """Answer 200, without the secret."""
        known_parameters(req)
        found = await self._work.read(self._work.store.credentials.client, client_id, req.context.credential.bounds)
        resp.data = ENCODER.encode(shown_client(found))

    async def on_patch(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, client_id: str) -> None:
        """Answer 200 with the client as the merge patch left it (RFC 7396)."""
        known_parameters(req)
        refuse_tags(req)
        patch = shaped(await self._bodies.read_element(req, (MERGE_PATCH, JSON)), ClientPatch, "bad-client")
        maker: Credential = req.context.credential

        def changed(client: Client) -> ClientSpec:
            scopes = client.scopes if patch.scopes is UNSET else in_order(patch.scopes)
            refuse_higher_scopes(scopes, maker)
            return ClientSpec(
                client.name if patch.name is UNSET else patch.name,
                scopes,
                client.token_lifetime if patch.token_lifetime is UNSET else patch.token_lifetime,
                client.description if patch.description is UNSET else patch.description,
                patch.environments,
            )

        found = await self._work.change(self._work.store.credentials.change_client, actor_of(req), client_id, changed)
        resp.data = ENCODER.encode(shown_client(found))

    async def on_delete(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, client_id: str) -> None:
        """Answer 204. The client's tokens are refused from now on."""
        known_parameters(req)
        refuse_tags(req)
        await self._work.change(self._work.store.credentials.delete_client, actor_of(req), client_id)
        resp.status = falcon.HTTP_204

    async def on_post_secret(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, client_id: str) -> None:
        """Answer 200 with a new secret. The old one lives on for the overlap; the client's tokens stay valid."""
        known_parameters(req)
        wanted = shaped(await self._bodies.read_optional_element(req), NewSecret, "bad-rotation")
        secret, digest = new_secret(CLIENT_SECRET)
        overlap, renew = Overlap(wanted.overlap_seconds, self._work.now()), self._work.store.credentials.renew_secret
        client = await self._work.change(renew, actor_of(req), client_id, digest, overlap)
        _show_secret(resp, client, secret)

    async def on_delete_old(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, client_id: str) -> None:
        """Answer 204. From now on, every worker refuses the replaced secrets."""
        known_parameters(req)
        await self._work.change(self._work.store.credentials.end_old_secrets, actor_of(req), client_id)
        resp.status = falcon.HTTP_204

    async def on_post_revocation(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, client_id: str) -> None:
        """Answer 204. From now on, every worker refuses its secret and tokens. It stays on the list."""
        known_parameters(req)
        await self._work.change(self._work.store.credentials.revoke_client, actor_of(req), client_id)
        resp.status = falcon.HTTP_204


def shown_client(client: Client) -> ClientAnswer:
    """Returns a client in the shape of the answer, without its secret."""
    return ClientAnswer(
        client.id,
        client.name,
        client.description,
        client.scopes,
        client.token_lifetime,
        client.environments,
        client.created,
        client.revoked,
        client.last_used,
        client.secret_used,
        shown_old(client.old_secrets),
    )


def _show_secret(resp: falcon.asgi.Response, client: Client, secret: str) -> None:
    resp.set_header("Cache-Control", NO_STORE)
    resp.data = ENCODER.encode(ClientWithSecret(**asdict(shown_client(client)), client_secret=secret))
