"""A program of an application that uses every public name, for type checkers alone: no test runs it.

`tests/test_installation.py` checks it with mypy and pyright, against an installed wheel.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Protocol, assert_type

import sqlalchemy as sa
import writ
from fastapi import Depends, FastAPI
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from starlette.requests import Request
from starlette.responses import Response
from writ import (
    ActionSearchRequest,
    ActionsResponse,
    AsyncClient,
    AsyncFollowing,
    BadRequest,
    BundleError,
    Client,
    Decision,
    DecisionLog,
    Engine,
    Error,
    EvaluationRequest,
    EvaluationResponse,
    FilterResponse,
    FollowError,
    Following,
    RateCounters,
    ResourceItem,
    ResourceSearchRequest,
    SearchUnavailable,
    Status,
    SubjectItem,
    SubjectSearchRequest,
    UntrustedBundle,
    as_json,
    follow,
    follow_async,
)
from writ.client import (
    BadAnswer,
    CallFailed,
    Changes,
    CircuitOpen,
    ClientCredentials,
    OlderService,
    Refused,
    Unreachable,
)
from writ.decision_log import DecisionLogFull, LoggedEngine
from writ.django import AuthorizedQuerySet, GrantRow
from writ.fastapi import Access, Guard, Permitted
from writ.flask import Guard as FlaskGuard
from writ.mirror import KeptTable, TableMirror, keep
from writ.queries import AnswersFilters, Question
from writ.sqlalchemy import (
    ChangeRefused,
    QueryRefused,
    aauthorized,
    apermitted,
    authorized,
    changing,
    grants_table,
    permitted,
    resource_of,
)
from writ.starlette import Guard as StarletteGuard
from writ.testing import (
    BadModel,
    FakeService,
    Received,
    TestingEngine,
    assert_allowed,
    assert_denied,
    engine,
    service,
)

EVALUATION: EvaluationRequest = {
    "subject": {"type": "user", "id": "alice", "properties": {"department": "sales"}},
    "action": {"name": "read"},
    "resource": {"type": "document", "external_id": "DOC-1"},
    "context": {"mfa": True},
    "options": {"explain": True},
}
RESOURCES: ResourceSearchRequest = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document"},
    "options": {"return": "results", "gates": "decide"},
    "page": {"limit": 10},
}
SUBJECTS: SubjectSearchRequest = {
    "subject": {"type": "user"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
ACTIONS: ActionSearchRequest = {
    "subject": {"type": "user", "id": "alice"},
    "resource": {"type": "document", "id": "d1"},
}


class Asked(Protocol):
    """The part of the one interface that this application needs."""

    def allowed(
        self,
        subject_type: str,
        subject_id: str,
        action: str,
        resource_type: str,
        resource_id: str,
        subject: dict[str, Any] | None = None,
        resource: dict[str, Any] | None = None,
    ) -> bool: ...

    def ask(
        self, subject_type: str, subject_id: str, action: str, resource_type: str, resource_id: str
    ) -> Decision: ...

    def actions(self, request: ActionSearchRequest) -> ActionsResponse: ...

    def resources(self, request: ResourceSearchRequest) -> Iterator[ResourceItem]: ...

    def subjects(self, request: SubjectSearchRequest) -> Iterator[SubjectItem]: ...


def ways(log: DecisionLog, following: Following) -> Sequence[Asked]:
    """The same interface, in each way."""
    opened = Engine.open("model.bundle", counters=RateCounters(), strict=True)
    logged = log.engine(lambda: following.engine)
    assert_type(logged, LoggedEngine)
    assert_type(log.last_id, str | None)
    with Client("https://writ.example", token=ClientCredentials("id", "secret"), timeout=0.5) as client:
        return [opened, following.engine, client, engine("model.writ"), logged]


def ask(one: Engine, client: Client) -> None:
    answer = one.decide(EVALUATION)
    if answer["decision"]:
        print(answer["context"]["reason_code"])
    response: EvaluationResponse = client.decide(EVALUATION)
    found: FilterResponse = client.filter(RESOURCES)
    print(response["decision"], found["filter"], one.filter(RESOURCES)["filter"], one.decide_many([EVALUATION]))
    assert_type(one.allowed("user", "alice", "read", "document", "d1", context={"mfa": True}), bool)
    decision = one.ask("user", "alice", "read", "document", "d1")
    assert_type(decision, Decision)
    assert_type(decision.reason_code, str | None)
    assert_type(one.actions(ACTIONS), ActionsResponse)
    assert_type([item["id"] for item in client.resources(RESOURCES)], list[str])
    print(as_json({"a": 1}), one.now(), one.revision_token)


async def ask_async(client: AsyncClient) -> None:
    assert_type(await client.allowed("user", "alice", "read", "document", "d1"), bool)
    assert_type(await client.ask("user", "alice", "read", "document", "d1"), Decision)
    assert_type(await client.decide(EVALUATION), EvaluationResponse)
    assert_type(client.subjects(SUBJECTS), AsyncIterator[SubjectItem])
    async with follow_async("https://writ.example", environment="prod", keys="PEM") as following:
        assert_type(following, AsyncFollowing)
        assert_type(await following.wait("a token", 1.0), Engine)


def wait_for_writes(client: Client, following: Following, mirror: KeptTable) -> None:
    changes = client.grants.unshare({"type": "document", "id": "d1"}, subject={"type": "user", "id": "bob"})
    assert_type(following.wait(changes.revision, timeout=1), Engine)
    assert_type(following.wait(changes.revision), Engine)
    mirror.wait(changes.revision, timeout=1)
    mirror.wait(changes.revision)
    TableMirror(sa.create_engine("sqlite://"), grants_table(sa.MetaData())).wait(changes.revision, timeout=1)


def manage(client: Client) -> str | None:
    changes = client.grants.share({"type": "document", "id": "d1"}, ["read"], subject={"type": "user", "id": "bob"})
    assert_type(changes, Changes)
    client.groups.add("eng", subject={"type": "user", "id": "bob"})
    client.registry.remove_subject({"type": "user", "id": "bob"})
    return changes.revision


def in_trouble(client: Client) -> str:
    try:
        client.decide(EVALUATION)
    except BadRequest as ex:
        return ex.path
    except (Refused, BadAnswer, CircuitOpen, OlderService, Unreachable, CallFailed) as ex:
        return str(ex.status) if isinstance(ex, Refused) else str(ex)
    except (
        SearchUnavailable,
        UntrustedBundle,
        BundleError,
        FollowError,
        DecisionLogFull,
        QueryRefused,
        ChangeRefused,
        BadModel,
    ):
        return "no answer"
    except Error:
        raise
    return writ.__name__


def changed(status: Status) -> None:
    print(status.revision, status.error)


class Base(DeclarativeBase):
    """The tables of the application."""


class Document(Base):
    """A document."""

    __tablename__ = "document"

    id: Mapped[str] = mapped_column(primary_key=True)
    status: Mapped[str]


def query(one: AnswersFilters) -> sa.Select[Document]:
    grants = grants_table(Base.metadata)
    who = {"type": "user", "id": "alice"}
    print(Question(one, who, "read"), permitted(Document, one, who, "read", mirror=grants))
    print(resource_of(Document(id="d1", status="draft"), "document"))
    with changing(Session(), one, who, "update"):
        print(resource_of(Document(id="d1", status="draft"), "document", one)["type"])
    statement = authorized(sa.select(Document), one, who, "read", mirror=grants)
    assert_type(statement, sa.Select[Document])
    return statement


async def query_async(one: AsyncClient) -> sa.Select[Document]:
    who = {"type": "user", "id": "alice"}
    print(await apermitted(Document, one, who, "read"))
    statement = await aauthorized(sa.select(Document), one, who, "read")
    assert_type(statement, sa.Select[Document])
    return statement


def mirrored(database: sa.Engine) -> None:
    grants = grants_table(Base.metadata)
    with keep("https://writ.example", database, grants, environment="prod") as (following, table):
        assert_type(table, KeptTable)
        print(table.revision_token, following.status().revision)
    assert_type(TableMirror(database, grants).refresh(Engine.open("model.bundle")), bool)


async def user(request: Request) -> dict[str, str]:
    return {"type": "user", "id": request.headers["X-User"]}


def guards(one: Engine) -> FastAPI:
    app, guard = FastAPI(), Guard(one, user)

    @app.get("/documents/{id}", dependencies=[Depends(guard.requires("read", "document"))])
    async def read(id: str) -> str:
        return id

    async def shown(access: Access, listed: Permitted[Document], all_: list[Document]) -> list[Document]:
        await access.check("read", "document", "d1")
        return await listed.among(all_)

    @StarletteGuard(one, user).requires("read", "document")
    async def endpoint(request: Request) -> Response:
        return Response(request.path_params["id"])

    @FlaskGuard(one, lambda: {"type": "user", "id": "alice"}).requires("read", "document", id="document")
    def view(document: str) -> str:
        return document

    assert_type(view("d1"), str)
    print(read, shown, endpoint, AuthorizedQuerySet, GrantRow)
    return app


def tests() -> None:
    pdp = engine("model/", strict=True)
    assert_type(pdp, TestingEngine)
    assert_allowed(pdp, "user", "alice", "read", "document", "d1", resource={"status": "draft"})
    assert_denied(pdp, "user", "bob", "read", "document", "d1", reason_code="NO_POLICY_MATCH")
    with service(pdp) as fake:
        assert_type(fake, FakeService)
        assert_type(fake.requests, list[Received])
    with follow("model.bundle", unsigned=True, on_change=changed) as following:
        print(following.engine)


def wrong(one: Engine, client: Client) -> None:
    Engine.open(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    one.allowed("user", "alice", "read", "document")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    client.decide({"subject": 1})  # a dictionary of any kind may be a request
    one.decide("read")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
