"""The application: documents that people own, that their teams edit, and that they share."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException, Query, Request
from pydantic import BaseModel
from sqlalchemy import select
from writ.mirror import keep
from writ.sqlalchemy import authorized

from .access import client, grants, guard, resource, subject
from .database import DbSession, Document, User, database, prepare
from .settings import API_KEY, BUNDLE_KEYS, SERVICE_URL
from .users import CurrentUser


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    """Runs around the application. A thread keeps the table of grants up to date."""
    prepare()
    with keep(SERVICE_URL, database, grants, environment="default", token=API_KEY, keys=BUNDLE_KEYS) as (_, mirror):
        yield {"mirror": mirror}


app = FastAPI(title="Documents", lifespan=lifespan)


class Draft(BaseModel):
    """The content of a document."""

    title: str
    text: str = ""


class NewDocument(Draft):
    """A document of a team, or of its owner alone."""

    team: str | None = None


class Shown(NewDocument):
    """A document as people see it."""

    id: int
    owner: str


def find(id: int, session: DbSession) -> Document:
    """Returns the document of the path."""
    document = session.get(Document, id)
    if document is None:
        raise HTTPException(404, "there is no such document")
    return document


def find_reader(reader: str, user: CurrentUser, session: DbSession) -> User:
    """Returns the person of the path, who has the same tenant as the user."""
    found = session.get(User, reader)
    if found is None or found.tenant != user.tenant:
        raise HTTPException(404, "there is no such person")
    return found


may = partial(guard.checked, load=find, resource=resource)
Reader = Annotated[User, Depends(find_reader)]


@app.get("/documents", response_model=list[Shown])
def list_documents(
    user: CurrentUser, session: DbSession, after: int = 0, limit: Annotated[int, Query(ge=1, le=100)] = 20
) -> Sequence[Document]:
    """Returns a page of the documents that the user may read. The next page begins `after` the last id."""
    page = select(Document).where(Document.id > after).order_by(Document.id).limit(limit)
    page = authorized(page, client, subject(user), "read", resource_type="document", mirror=grants)
    return session.scalars(page).all()


@app.post("/documents", response_model=Shown, status_code=201)
def create_document(new: NewDocument, user: CurrentUser, session: DbSession) -> Document:
    """Makes a document of the user."""
    document = Document(tenant=user.tenant, owner=user.id, **new.model_dump())
    session.add(document)
    session.commit()
    return document


@app.get("/documents/{id}", response_model=Shown)
def read_document(document: Annotated[Document, Depends(may("read"))]) -> Document:
    """Returns a document."""
    return document


@app.put("/documents/{id}", response_model=Shown)
def edit_document(document: Annotated[Document, Depends(may("edit"))], draft: Draft, session: DbSession) -> Document:
    """Replaces the content of a document."""
    document.title, document.text = draft.title, draft.text
    session.commit()
    return document


@app.delete("/documents/{id}", status_code=204)
def delete_document(
    document: Annotated[Document, Depends(may("delete"))], session: DbSession, request: Request
) -> None:
    """Takes a document back from all readers, and deletes it."""
    request.state.mirror.wait(client.grants.reconcile(resource(document), []).revision)
    session.delete(document)
    session.commit()


@app.put("/documents/{id}/readers/{reader}", status_code=204)
def share_document(document: Annotated[Document, Depends(may("share"))], reader: Reader, request: Request) -> None:
    """Lets a person read a document. When this is confirmed, the person's list has the document."""
    request.state.mirror.wait(client.grants.share(resource(document), ["read"], subject=subject(reader)).revision)


@app.delete("/documents/{id}/readers/{reader}", status_code=204)
def unshare_document(document: Annotated[Document, Depends(may("share"))], reader: Reader, request: Request) -> None:
    """Takes a document back from a person."""
    request.state.mirror.wait(client.grants.unshare(resource(document), subject=subject(reader)).revision)
