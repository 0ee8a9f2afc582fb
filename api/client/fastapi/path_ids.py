"""The id of a resource as the path operation reads it from its path."""

from collections.abc import Iterator, Mapping
from inspect import isclass
from typing import Any

from pydantic import BaseModel
from starlette.requests import HTTPConnection

from ..runtime.requests.members import BadRequest
from ..web.questions import id_text


def path_id(request: HTTPConnection, name: str) -> str:
    """Returns the text of the path parameter `name`, as FastAPI converts it for the path operation.

    A parameter of type `int` has many spellings: with `/documents/007`, the path operation acts on 7. So the question
    is about 7, too. Without a type, or if FastAPI is going to refuse it, it is the text in the path.

    Raises LookupError if the path has no such parameter, and BadRequest if the path operation and its dependencies
    read it differently.
    """
    if name not in request.path_params:
        raise LookupError(f"the path has no parameter `{name}`: `requires` needs that with the resource's id")
    written = request.path_params
    texts = {id_text(value) for value in _values(request.scope["route"].dependant, name, written)}
    if len(texts) > 1:
        raise BadRequest(f"the path parameter `{name}` is read in different ways", "$.resource.id")
    return str(texts.pop() if texts else written[name])


def _values(dependant: Any, name: str, written: Mapping[str, Any]) -> Iterator[Any]:
    """Yields the path parameter as each function reads it: the path operation, and the dependencies that it has.

    To a route of an included router, a parameter in the router's prefix looks like one of the query.
    """
    for field in (*dependant.path_params, *dependant.query_params):
        if field.alias == name:
            value, faults = field.validate(written[name], {}, loc=("path", name))
            if not faults:
                yield value
        elif member := _member(field.field_info.annotation, name):
            value, faults = field.validate(dict(written), {}, loc=("path",))
            if not faults:
                yield getattr(value, member)
    for below in dependant.dependencies:
        yield from _values(below, name, written)


def _member(model: Any, name: str) -> str | None:
    """Returns the member of a model of path parameters that has the one with this name."""
    if not (isclass(model) and issubclass(model, BaseModel)):
        return None
    members = model.model_fields.items()
    return next((key for key, one in members if name in (key, one.alias, one.validation_alias)), None)
