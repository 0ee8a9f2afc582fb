"""The OpenAPI 3.1 document, made from the calls of every path."""

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Final

from ..bodies import FORM
from ..rejections import ErrorAnswer
from .operation import Answer, Call, Operation, Parameter
from .schemas import referring, schemas
from .vocabulary import ACCEPT, ALLOW, REQUEST_ID, REQUEST_ID_SENT, RETRY_AFTER, WWW_AUTHENTICATE

_ERRORS: Final[Mapping[int, Answer]] = {
    status: Answer(description, ErrorAnswer, headers)
    for status, description, headers in (
        (400, "The request can't be read, or its content is wrong. `details` say where.", ()),
        (401, "The credential is missing or unknown.", (WWW_AUTHENTICATE,)),
        (403, "The scope or the environments of the credential do not allow this.", (WWW_AUTHENTICATE,)),
        (404, "There is no such thing.", ()),
        (405, "The path does not support the method.", (ALLOW,)),
        (408, "The request was not complete in time.", ()),
        (
            409,
            "It exists already, other elements prevent it, or a revision is of another epoch. `details` say which.",
            (),
        ),
        (412, "The entity tag does not match: it changed since the client read it.", ()),
        (413, "The body is longer than the limit.", ()),
        (414, "The request's first line, with its path and query, is longer than the limit.", ()),
        (415, "The operation does not take the content type of the body.", (ACCEPT,)),
        (416, "The file has none of the bytes that the range asks for.", ()),
        (429, "The credential is unknown, and so were too many others from this address.", (RETRY_AFTER,)),
        (431, "There are too many header fields, or one is too long.", ()),
        (500, "The service failed. Treat this as a denial.", ()),
        (
            503,
            "There are too many connections, the store is not available, or a revision is not here yet.",
            (RETRY_AFTER,),
        ),
    )
}
_HEAD: Final = "Head"
"""The ending of the names of responses to HEAD, which have no body."""

_ALWAYS: Final = (405, 408, 414, 431, 500, 503)
"""The errors of any request: a wrong method, the limits of connections and heads, a failure of the service."""

_PARAMETER = re.compile(r"\{(\w+)\}")


def document(paths: Mapping[str, Mapping[str, Call]], parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Returns the document, with every path, method, parameter, status and header.

    Args:
        paths: the calls of each path by method. HEAD follows from GET.
        parameters: the parameters of paths by name.
    """
    types: set[type] = set()
    operations = [call.operation for calls in paths.values() for call in calls.values()]
    shown = {path: _path(path, calls, parameters) for path, calls in paths.items()}
    responses = {
        f"{status}{suffix}": _response(answer, head)
        for status, answer in _ERRORS.items()
        for suffix, head in (("", False), (_HEAD, True))
    }
    described = referring({"paths": shown, "responses": responses}, types)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Writ",
            "version": version("writ-pdp"),
            "description": "Authorization decisions (AuthZEN 1.0), and the management of their models.",
        },
        "servers": [{"url": "/"}],
        "paths": described["paths"],
        "components": {
            "schemas": schemas(types),
            "headers": {one.name: _header(one) for one in _response_headers(operations)},
            "parameters": {one.name: _parameter("header", one) for one in _request_headers(operations)},
            "responses": described["responses"],
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "An API key, or an access token."},
                "gateway": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-Writ-Authorization",
                    "description": "`Bearer`, and the gateway's own API key or access token.",
                },
            },
        },
    }


def _response_headers(operations: list[Operation]) -> Iterator[Parameter]:
    yield REQUEST_ID
    for answers in (_ERRORS, *(operation.answers for operation in operations)):
        for answer in answers.values():
            yield from answer.headers


def _request_headers(operations: list[Operation]) -> Iterator[Parameter]:
    yield REQUEST_ID_SENT
    for operation in operations:
        yield from operation.headers


def _path(path: str, calls: Mapping[str, Call], parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    shown: dict[str, Any] = {method.lower(): _operation(path, call) for method, call in calls.items()}
    if "GET" in calls:
        shown["head"] = _operation(path, calls["GET"], head=True)
    in_path = [_parameter("path", parameters[name]) | {"required": True} for name in _PARAMETER.findall(path)]
    return shown | ({"parameters": in_path} if in_path else {})


def _operation(path: str, call: Call, head: bool = False) -> dict[str, Any]:
    operation, scope = call.operation, call.scope
    needed = f"Needs the scope `{scope}`." if scope else "Needs no credential."
    shown: dict[str, Any] = {
        "operationId": f"{operation.id}Head" if head else operation.id,
        "tags": [operation.tag],
        "summary": operation.summary + (" (the head of the answer only)" if head else ""),
        "description": " ".join(filter(None, (operation.description, needed))),
        "security": [{call.credential: []}] if scope else [],
        "parameters": list(_parameters(operation)),
        "responses": {str(status): shown for status, shown in sorted(_responses(path, call, head))},
    }
    if operation.bodies:
        content = {media: {"schema": schema} for media, schema in operation.bodies.items()}
        shown["requestBody"] = {"required": operation.needs_body, "content": content}
    return shown


def _parameters(operation: Operation) -> Iterator[dict[str, Any]]:
    for one in operation.query:
        yield _parameter("query", one)
    for one in (*operation.headers, REQUEST_ID_SENT):
        yield {"$ref": f"#/components/parameters/{one.name}"}


def _parameter(place: str, one: Parameter) -> dict[str, Any]:
    return {"name": one.name, "in": place, "description": one.description, "schema": one.schema}


def _header(one: Parameter) -> dict[str, Any]:
    return {"description": one.description, "schema": one.schema, "required": not one.optional}


def _responses(path: str, call: Call, head: bool) -> Iterator[tuple[int, dict[str, Any]]]:
    answers = call.operation.answers
    for status, answer in answers.items():
        yield status, _response(answer, head)
    for status in _errors(path, call):
        if status not in answers:
            yield status, {"$ref": f"#/components/responses/{status}{_HEAD if head else ''}"}


def _errors(path: str, call: Call) -> Iterator[int]:
    """Yields the statuses of all errors of a call."""
    operation = call.operation
    yield from (status for status in _ALWAYS if not (status == HTTPStatus.METHOD_NOT_ALLOWED and operation.any_method))
    yield from operation.errors
    if call.scope:
        yield from (400, 401, 403, 429)
    if "{" in path:
        yield 404
    if operation.bodies and FORM not in operation.bodies:
        yield 413
        if path.startswith("/v1/"):
            yield 415


def _response(answer: Answer, head: bool) -> dict[str, Any]:
    headers = {one.name: {"$ref": f"#/components/headers/{one.name}"} for one in (*answer.headers, REQUEST_ID)}
    shown: dict[str, Any] = {"description": answer.description, "headers": headers}
    if answer.schema is not None and not head:
        shown["content"] = {media: {"schema": answer.schema} for media in answer.media}
    return shown
