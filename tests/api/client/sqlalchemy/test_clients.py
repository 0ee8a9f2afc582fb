"""Authorized queries through both clients of a real service, and in an asynchronous session (F2, F7)."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import writ.testing
from sqlalchemy import orm
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from writ.client import AsyncClient, Client
from writ.runtime import Engine
from writ.sqlalchemy import QueryRefused, aauthorized, apermitted, authorized, permitted

from tests.support.authorized_rows import GRANTS, SUBJECT, Document, Folder, allowed, fill, put_grants
from tests.support.bundling import engine_for
from tests.support.server import KEY, Server, running

GRANT = {"id": "g", "subject": SUBJECT, "resource": {"type": "document", "id": "d2"}, "actions": ["read"]}
MODEL = {
    "model": 1,
    "extensions": ["references"],
    "resource_types": [{"id": "document", "actions": ["read", "update"]}, {"id": "folders", "actions": ["read"]}],
    "grants": [
        GRANT,
        *(GRANT | {"id": f"g{n}", "resource": {"type": "folders", "id": f"f{n}"}} for n in range(10_001)),
    ],
    "policies": [
        {
            "id": "owners",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["*"]}],
            "conditions": {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]},
        },
        {
            "id": "final",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {
                "resource_attrs": [{"key": "status", "op": "eq", "value": "final"}],
                "context_attrs": [{"key": "mfa", "op": "eq", "value": True}],
            },
        },
    ],
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("service")
    (folder / "model.json").write_text(json.dumps(MODEL))
    with running(folder / "data", "--import", str(folder / "model.json")) as server:
        yield server


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.db"
    made = sa.create_engine(f"sqlite:///{path}")
    fill(made)
    with orm.Session(made) as session:
        put_grants(session, MODEL["grants"][:1])  # type: ignore[index]  # a list
    made.dispose()
    return path


@pytest.fixture
def pdp(tmp_path: Path) -> Engine:
    return engine_for(MODEL, tmp_path / "one.bundle")


def rows(file: Path, statement: Any) -> list[str]:
    """The ids that a statement selects, in order."""
    made = sa.create_engine(f"sqlite:///{file}")
    with orm.Session(made) as session:
        found = sorted(session.scalars(statement))
    made.dispose()
    return found


def expected(file: Path, pdp: Engine, **more: Any) -> list[str]:
    """The ids that single evaluations allow."""
    made = sa.create_engine(f"sqlite:///{file}")
    with orm.Session(made) as session:
        found = allowed(pdp, session.scalars(sa.select(Document)).all(), "read", **more)
    made.dispose()
    return found


def awaited(service: Server, asks: Callable[[AsyncClient], Any]) -> Any:
    """What a function makes with an asynchronous client."""

    async def run() -> Any:
        async with AsyncClient(service.url, token=KEY) as client:
            return await asks(client)

    return asyncio.run(run())


def test_a_client_of_a_service(service: Server, file: Path, pdp: Engine) -> None:
    with Client(service.url, token=KEY) as client:
        for context in ({}, {"mfa": True}, {"mfa": "yes"}):
            for more in ({}, {"mirror": GRANTS}, {"resource_type": "document"}, {"dialect": "sqlite"}):
                query = authorized(sa.select(Document.id), client, SUBJECT, "read", context=context, **more)
                assert rows(file, query) == expected(file, pdp, context=context)
        condition = permitted(Document, client, SUBJECT, "read")
        assert rows(file, sa.select(Document.id).where(condition)) == expected(file, pdp)


def test_an_asynchronous_client(service: Server, file: Path, pdp: Engine) -> None:
    async def query(client: AsyncClient) -> Any:
        return await aauthorized(sa.select(Document.id), client, SUBJECT, "read", context={"mfa": True})

    assert rows(file, awaited(service, query)) == expected(file, pdp, context={"mfa": True})

    async def condition(client: AsyncClient) -> Any:
        return await apermitted(Document, client, SUBJECT, "read")

    assert rows(file, sa.select(Document.id).where(awaited(service, condition))) == expected(file, pdp)


def test_an_asynchronous_session(service: Server, file: Path, pdp: Engine) -> None:
    """A session of asyncio takes what an engine in the process answers, and what an asynchronous client does."""

    async def listed(client: AsyncClient) -> list[list[str]]:
        database = create_async_engine(f"sqlite+aiosqlite:///{file}")
        async with AsyncSession(database) as session:
            found = [
                sorted(await session.scalars(authorized(sa.select(Document.id), pdp, SUBJECT, "read"))),
                sorted(await session.scalars(await aauthorized(sa.select(Document.id), client, SUBJECT, "read"))),
            ]
            mine = await apermitted(Document, client, SUBJECT, "read")
            loaded = sa.select(Folder).options(orm.selectinload(Folder.documents.and_(mine)))
            folders = (await session.scalars(loaded)).all()
            found.append(sorted(one.id for folder in folders for one in folder.documents if one.folder_id))
            changed = sa.update(Document).values(status="final")
            await session.execute(await aauthorized(changed, client, SUBJECT, "update"))
            await session.rollback()
        await database.dispose()
        return found

    inside, through, loaded = awaited(service, listed)
    assert inside == through == expected(file, pdp)
    assert set(loaded) < set(inside)


def test_the_errors_of_clients_are_those_of_engines(service: Server, pdp: Engine) -> None:
    """One per question: an unknown type, a malformed subject, too many grants, another clock, a load."""
    wrong: list[tuple[Any, dict[str, Any]]] = [
        (sa.select(Document), {"subject": {"type": "user"}}),
        (sa.select(Folder), {}),
        (sa.select(Folder).options(orm.selectinload(Folder.documents)), {"mirror": GRANTS}),
        (sa.select(sa.table("other", sa.column("id"))), {}),
    ]
    with Client(service.url, token=KEY) as client:
        for statement, more in wrong:
            asked = {"subject": SUBJECT, "action": "read"} | more
            raised = []
            for decider in (pdp, client):
                with pytest.raises((QueryRefused, ValueError)) as refused:
                    authorized(statement, decider, **asked)
                raised.append((type(refused.value), str(refused.value)))

            async def asks(
                client: AsyncClient,
                statement: Any = statement,
                asked: dict[str, Any] = asked,
                raised: list[Any] = raised,
            ) -> None:
                with pytest.raises((QueryRefused, ValueError)) as refused:
                    await aauthorized(statement, client, **asked)
                raised.append((type(refused.value), str(refused.value)))

            awaited(service, asks)
            assert raised[0] == raised[1] == raised[2], statement
        with pytest.raises(QueryRefused, match="the decision point has its own clock"):
            authorized(sa.select(Document), client, SUBJECT, "read", now=0.0)


def test_an_agent_needs_the_name_of_the_type(file: Path, pdp: Engine) -> None:
    with writ.testing.service(pdp) as agent, Client(agent.url, token=KEY) as client:
        with pytest.raises(QueryRefused, match=r"an agent does not tell .*; give `resource_type`"):
            authorized(sa.select(Document), client, SUBJECT, "read")
        query = authorized(sa.select(Document.id), client, SUBJECT, "read", resource_type="document")
        assert rows(file, query) == expected(file, pdp)


def test_a_decision_point_that_leaves_gates_open_is_refused() -> None:
    class Other:
        """Answers as the contract does without the option."""

        def filter(self, request: Any) -> Any:
            return {"filter": {"type": "const", "value": True}, "context": {"reason": "x", "access_paths": []}}

        def actions(self, request: Any) -> Any:
            return {"results": []}

    with pytest.raises(QueryRefused, match="left conditions on the context open"):
        authorized(sa.select(Document), Other(), SUBJECT, "read")
