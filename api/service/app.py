"""The service's application: the handlers of all routes, made from the parts of the service."""

from typing import Any

import falcon.asgi

from ..http.handlers import made_handler
from ..http.public_url import Locations
from .parts import ServiceParts
from .refused_changes import RefusedChanges
from .routes.all_routes import ROUTES
from .server_parts import Application
from .session_answers import SessionAnswers
from .write_revisions import WriteRevisions


def create_app(parts: ServiceParts) -> falcon.asgi.App[Any, Any]:
    """Returns the ASGI application with every route of the table, each behind the guard."""
    return create_application(parts).falcon


def create_application(parts: ServiceParts) -> Application:
    """Returns the application with its decision lane; both share the guard, the engines and the handlers."""
    handlers = {route.path: _answering_head(made_handler(route.handler, parts), route.suffix) for route in ROUTES}
    suffixes = {route.path: route.suffix for route in ROUTES if route.suffix}
    after: list[object] = [RefusedChanges(parts.work), WriteRevisions(parts.work)]
    if parts.sign_in is not None:
        after.append(SessionAnswers())
    return parts.application(handlers, [Locations(parts.public_url)], after, suffixes=suffixes)


def _answering_head(handler: Any, suffix: str) -> object:
    """Returns the handler, which now answers HEAD as it answers GET. The server leaves the body out."""
    get, head = (f"on_{method}_{suffix}".rstrip("_") for method in ("get", "head"))
    if hasattr(handler, get):
        setattr(handler, head, getattr(handler, get))
    return handler
