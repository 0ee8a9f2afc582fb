"""Authorized queries of any library: `writ.sqlalchemy` and `writ.django` are made of it.

Modules: `refusal` (the errors), `questions` (what Writ is asked), `awaited` (clients of asyncio), `declared` (the
attributes that a model declares), `trees` (filters by an id and a type that are known), `raw_sql` (whether a piece of
SQL stays in its brackets).
"""

from .questions import AnswersFilters, Question
from .refusal import ChangeRefused, QueryRefused

__all__ = ["AnswersFilters", "ChangeRefused", "QueryRefused", "Question"]
