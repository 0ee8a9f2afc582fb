"""The OpenAPI 3.1 document: the table of routes joined with what is said of each operation."""

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any, Final

from ..credentials.guard import ROUTES, Scope
from ..credentials.tokens.endpoints import WHY_HEADER
from ..credentials.tokens.forms import FORM
from ..http.bodies import JSON
from ..http.request_id import HEADER
from ..management.kinds import KINDS
from .credentials import CREDENTIAL_OPERATIONS
from .elements import operations_on
from .operation import Operation, Schema, named
from .operations import OPERATIONS
from .schemas import schemas

_TEXT: Final[Schema] = {"type": "string"}
_PATH_PARAMETERS: Final[Mapping[str, tuple[str, Schema]]] = {
    "env": ("The id of an environment.", _TEXT),
    "id": ("The id; a `/` in it is written `%2F`.", _TEXT | {"minLength": 1}),
    "client_id": ("The id of a client.", _TEXT | {"minLength": 1}),
    "type": ("The type; a `/` in it is written `%2F`.", _TEXT | {"minLength": 1}),
    "revision": ("The number of a revision.", {"type": "integer", "minimum": 1}),
}
_REQUEST_HEADERS: Final = {
    "If-Match": "The tag that must still be that of what is changed; else 412.",
    "If-None-Match": "The tags of what the client has; where one is still right a read is 304, and a change 412.",
    HEADER: "Comes back unchanged.",
}
_RESPONSE_HEADERS: Final[Mapping[str, tuple[str, Schema]]] = {
    "ETag": ("The entity tag, for `If-Match` and `If-None-Match`.", _TEXT),
    "Cache-Control": ("Who may keep the answer, and how long.", _TEXT),
    "Location": ("The path of what was made.", _TEXT),
    "Retry-After": ("Seconds until it may be tried again.", {"type": "integer"}),
    "WWW-Authenticate": ("The challenge.", _TEXT),
    WHY_HEADER: ("What is wrong, in words.", _TEXT),
    "Accept": ("The content types that are taken.", _TEXT),
    "Allow": ("The methods that are served.", _TEXT),
    HEADER: ("What the request had as this header, if anything.", _TEXT),
}
_ERRORS: Final[Mapping[int, tuple[str, tuple[str, ...]]]] = {
    400: ("The request can't be read, or what it says is wrong; `details` tell where.", ()),
    401: ("The credential is missing, or not known.", ("WWW-Authenticate",)),
    403: ("The credential's scope or environments do not cover this.", ("WWW-Authenticate",)),
    404: ("There is no such thing.", ()),
    405: ("The method is not served here.", ("Allow",)),
    408: ("The request was not complete in time.", ()),
    409: ("It exists already, or something else is in the way; `details` tell what.", ()),
    412: ("It is no longer what the client saw.", ()),
    413: ("The body is larger than the limit.", ()),
    414: ("The request's first line, its path with the query, is longer than the limit.", ()),
    415: ("The body is of a content type that is not taken.", ("Accept",)),
    429: ("The credential is not known, and too many others of this address were not.", ("Retry-After",)),
    431: ("There are more header fields than the limit, or longer ones.", ()),
    500: ("The service failed; take this as a denial.", ()),
    503: ("There are more connections than the limit, or the store can't be read or written now.", ("Retry-After",)),
}
_HEAD: Final = "Head"
"""Ends the name of an error's response to HEAD: it has no body."""

_ALWAYS: Final = (405, 408, 414, 431, 500, 503)
"""What any request can meet: another method of the path, the limits of connections and heads, a failure of ours."""

_PARAMETER = re.compile(r"\{(\w+)\}")


def document() -> dict[str, Any]:
    """The document, with every route, method, parameter, status and header."""
    said = {**OPERATIONS, **CREDENTIAL_OPERATIONS}
    for kind in KINDS:
        said |= operations_on(kind)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Writ",
            "version": version("writ-pdp"),
            "description": "Authorization decisions (AuthZEN 1.0), and the management of the models that they follow.",
        },
        "servers": [{"url": "/"}],
        "paths": {path: _path(path, methods, said) for path, methods in ROUTES.items()},
        "components": {
            "schemas": schemas(),
            "headers": {name: _header(name) for name in _RESPONSE_HEADERS},
            "parameters": {name: _header_parameter(name) for name in _REQUEST_HEADERS},
            "responses": {
                f"{status}{suffix}": _response(description, schema, headers)
                for status, (description, headers) in _ERRORS.items()
                for suffix, schema in (("", named("ErrorAnswer")), (_HEAD, None))
            },
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "An API key, or an access token."}
            },
        },
    }


def _path(path: str, methods: Mapping[str, Scope], said: Mapping[tuple[str, str], Operation]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        method.lower(): _operation(path, method, scope, said[path, "GET" if method == "HEAD" else method])
        for method, scope in methods.items()
    }
    parameters = [
        {"name": name, "in": "path", "required": True, "description": text, "schema": schema}
        for name in _PARAMETER.findall(path)
        for text, schema in (_PATH_PARAMETERS[name],)
    ]
    return shown | ({"parameters": parameters} if parameters else {})


def _operation(path: str, method: str, scope: Scope, said: Operation) -> dict[str, Any]:
    head = method == "HEAD"
    needed = f"Needs the scope `{scope.name.lower()}`." if scope else "Needs no credential."
    shown: dict[str, Any] = {
        "operationId": f"{said.id}Head" if head else said.id,
        "tags": [said.tag],
        "summary": said.summary + (" (the head of the answer only)" if head else ""),
        "description": " ".join(filter(None, (said.description, needed))),
        "security": [{"key": []}] if scope else [],
        "parameters": list(_parameters(said)),
        "responses": {str(status): shown for status, shown in sorted(_responses(path, scope, said, head))},
    }
    if said.bodies:
        content = {media: {"schema": schema} for media, schema in said.bodies.items()}
        shown["requestBody"] = {"required": True, "content": content}
    return shown


def _parameters(said: Operation) -> Iterator[dict[str, Any]]:
    for one in said.query:
        yield {"name": one.name, "in": "query", "description": one.description, "schema": one.schema}
    yield from ({"$ref": f"#/components/parameters/{name}"} for name in (*said.headers, HEADER))


def _header_parameter(name: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "description": _REQUEST_HEADERS[name], "schema": _TEXT}


def _header(name: str) -> dict[str, Any]:
    description, schema = _RESPONSE_HEADERS[name]
    return {"description": description, "schema": schema, "required": name != HEADER}


def _responses(path: str, scope: Scope, said: Operation, head: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    for status, answer in said.answers.items():
        yield status, _response(answer.description, None if head else answer.schema, answer.headers)
    for status in _errors(path, scope, said):
        if status not in said.answers:
            yield status, {"$ref": f"#/components/responses/{status}{_HEAD if head else ''}"}


def _errors(path: str, scope: Scope, said: Operation) -> Iterator[int]:
    """The statuses of all that can go wrong there."""
    yield from _ALWAYS
    yield from said.errors
    if scope:
        yield from (400, 401, 403, 429)
    if "{" in path:
        yield 404
    if said.bodies and FORM not in said.bodies:
        yield 413
        if path.startswith("/v1/"):
            yield 415


def _response(description: str, schema: Schema | None, headers: tuple[str, ...]) -> dict[str, Any]:
    named_headers = {name: {"$ref": f"#/components/headers/{name}"} for name in (*headers, HEADER)}
    shown: dict[str, Any] = {"description": description, "headers": named_headers}
    if schema is not None:
        shown["content"] = {JSON: {"schema": schema}}
    return shown
