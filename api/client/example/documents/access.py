"""Whom the application asks for decisions, as which subject, and about which resource."""

from functools import partial
from typing import Any

from writ import Client
from writ.fastapi import Guard
from writ.sqlalchemy import grants_table, resource_of

from .database import Base
from .settings import AGENT_URL, API_KEY, SERVICE_URL
from .users import CurrentUser

client = Client(SERVICE_URL, agent=AGENT_URL, token=API_KEY)
grants = grants_table(Base.metadata)  # a copy of the grants, for lists


def subject(user: CurrentUser) -> dict[str, Any]:
    """Returns a user as Writ knows it."""
    return {"type": "user", "id": user.id, "properties": {"tenant": user.tenant}}


guard = Guard(client, subject)
resource = partial(resource_of, resource_type="document", pdp=client)
