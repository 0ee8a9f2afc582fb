"""Authorized queries of any library: `writ.sqlalchemy` and `writ.django` are made of it.

Modules: `refusal` (the error), `questions` (what Writ is asked), `awaited` (clients of asyncio),
`trees` (filters by an id and a type that are known), `raw_sql` (whether a piece of SQL stays in its brackets).
"""

from .questions import AnswersFilters, Question
from .refusal import QueryRefused

__all__ = ["AnswersFilters", "QueryRefused", "Question"]
