"""The actor of a request, as change log and audit log name it."""

import falcon.asgi
from msgspec.structs import replace

from ..http.request_id import id_of
from ..http.source_address import source_address
from ..store.actor import API_KEY_PREFIX, CLIENT_PREFIX, Actor
from ..store.audit.entries import MOST_REQUEST_ID
from ..store.credential_rows import Client
from .credential import Credential, Scope


def actor_of(req: falcon.asgi.Request) -> Actor:
    """Returns the owner of the credential of a request that the guard has admitted."""
    credential: Credential = req.context.credential
    name, needed = credential.actor, req.context.asked[0]
    who = Actor(name, credential.bounds, _id_after(CLIENT_PREFIX, name), _id_after(API_KEY_PREFIX, name))
    scopes = tuple(scope.name.lower() for scope in Scope if scope >= needed)
    who = replace(who, token=credential.token, scopes=scopes, session=credential.session, shown=credential.shown)
    who = replace(who, secret=credential.secret)
    return _actor(req, who)


def unnamed_actor(req: falcon.asgi.Request) -> Actor:
    """Returns the actor of a request without a credential: it has the address and the id of the request alone."""
    return _actor(req, Actor(""))


def client_actor(req: falcon.asgi.Request, client: Client) -> Actor:
    """Returns a client as the actor of a request to the token endpoints, where it sends its id and secret."""
    return _actor(req, Actor(f"{CLIENT_PREFIX}{client.id}", client.bounds, client.id))


def _id_after(prefix: str, name: str) -> str | None:
    return name.removeprefix(prefix) if name.startswith(prefix) else None


def _actor(req: falcon.asgi.Request, who: Actor) -> Actor:
    request_id = id_of(req).decode("latin-1")[:MOST_REQUEST_ID]
    return replace(who, address=source_address(req) or None, request_id=request_id)
