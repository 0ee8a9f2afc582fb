"""The owner's rule for casbin, cedarpy and oso: whoever owns a document edits it.

Each peer is used as its own pages advise, with policies parsed before. A peer that is not installed raises ImportError.
"""

import json
from collections.abc import Callable
from importlib.metadata import packages_distributions, version
from typing import Any, NamedTuple

from tests.bench.models import Document

CASBIN_MODEL = """
[request_definition]
r = sub, act, obj

[policy_definition]
p = act

[policy_effect]
e = some(where (p.eft == allow))

[matchers]
m = r.act == p.act && r.sub.id == r.obj.owner
"""
CEDAR_POLICY = 'permit(principal, action == Action::"edit", resource) when { principal == resource.owner };'
OSO_POLICY = 'allow(actor: Person, "edit", document: Owned) if document.owner = actor.id;'


class Peer(NamedTuple):
    """Another engine: `decide` answers what `prepare` makes of a request."""

    name: str
    prepare: Callable[[Document], tuple[Any, ...]]
    decide: Callable[..., bool]

    def from_request(self, request: Document) -> bool:
        """The answer to the same dictionary that Writ gets."""
        return self.decide(*self.prepare(request))


class Person:
    """A subject, as an object of an application."""

    def __init__(self, id: str):
        self.id = id


class Owned:
    """A document, as an object of an application."""

    def __init__(self, owner: str):
        self.owner = owner


def casbin() -> Peer:
    """An enforcer with one policy, over attributes (ABAC)."""
    from casbin import Enforcer, Model

    model = Model()
    model.load_model_from_text(CASBIN_MODEL)
    enforcer = Enforcer(model, enable_log=False)
    enforcer.model["p"]["p"].policy.append(["edit"])
    return Peer(_named("casbin"), _objects, lambda *parts: bool(enforcer.enforce(*parts)))


def cedar() -> Peer:
    """A policy set; the only entity is the document, whose owner is a reference to a user."""
    from cedarpy import Entities, PolicySet, is_authorized

    policies = PolicySet.from_str(CEDAR_POLICY)

    def prepare(request: Document) -> tuple[Any, ...]:
        subject, resource = request["subject"], request["resource"]
        owner = {"__entity": {"type": "user", "id": resource["properties"]["owner"]}}
        uid = {"type": resource["type"], "id": resource["id"]}
        asked = {
            "principal": {"type": subject["type"], "id": subject["id"]},
            "action": {"type": "Action", "id": request["action"]["name"]},
            "resource": uid,
            "context": "{}",
        }
        return asked, Entities.from_json_str(json.dumps([{"uid": uid, "attrs": {"owner": owner}, "parents": []}]))

    return Peer(_named("cedarpy"), prepare, lambda asked, entities: is_authorized(asked, policies, entities).allowed)


def oso() -> Peer:
    """A policy in Polar over two classes."""
    from oso import Oso

    engine = Oso()
    engine.register_class(Person)
    engine.register_class(Owned)
    engine.load_str(OSO_POLICY)
    return Peer(_named("oso"), _objects, lambda *parts: bool(engine.is_allowed(*parts)))


def _objects(request: Document) -> tuple[Any, ...]:
    return (
        Person(request["subject"]["id"]),
        request["action"]["name"],
        Owned(request["resource"]["properties"]["owner"]),
    )


def _named(module: str) -> str:
    """The distribution that provides a module, with its version."""
    name = packages_distributions()[module][0]
    return f"{name} {version(name)}"


PEERS: tuple[Callable[[], Peer], ...] = (casbin, cedar, oso)
