"""Each handler gets the parts that its parameters name, and they have the types that it asks for."""

import typing
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cached_property, partial
from inspect import getattr_static, isfunction
from typing import Any

import pytest
from writ.api.agent.service.agent_app import _HANDLERS, AgentParts
from writ.api.http.handlers import needed_parts
from writ.api.service.parts import ServiceParts
from writ.api.service.routes.all_routes import ROUTES

MAKERS: Mapping[type, Mapping[str, Callable[..., object]]] = {
    ServiceParts: {route.path: route.handler for route in ROUTES},
    AgentParts: _HANDLERS,
}


def type_of(parts: type, name: str) -> Any:
    """Returns the type of a part by its name."""
    if name in {field.name for field in fields(parts)}:
        return typing.get_type_hints(parts)[name]
    found = getattr_static(parts, name)
    if isfunction(found):
        hints = typing.get_type_hints(found)
        returned = hints.pop("return")
        return Callable[[*hints.values()], returned]
    getter = found.func if isinstance(found, cached_property) else found.fget
    return typing.get_type_hints(getter)["return"]


@pytest.mark.parametrize("parts", MAKERS)
def test_a_handler_gets_parts_of_the_types_that_it_asks_for(parts: type) -> None:
    for path, maker in MAKERS[parts].items():
        made: Any = maker.func if isinstance(maker, partial) else maker
        wanted = typing.get_type_hints(made.__init__) if isinstance(made, type) else {}
        for name in needed_parts(maker):
            assert type_of(parts, name) == wanted[name], f"{path}: {name}"
