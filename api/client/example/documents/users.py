"""The user of a request."""

from typing import Annotated

from fastapi import Depends, Header, HTTPException

from .database import DbSession, User


def _current_user(session: DbSession, x_user: Annotated[str, Header()]) -> User:
    """Returns the user that the request names. Your application authenticates its users, and trusts no such header."""
    user = session.get(User, x_user)
    if user is None:
        raise HTTPException(401, "there is no such user")
    return user


CurrentUser = Annotated[User, Depends(_current_user)]
