"""The questions of the list page, their queries, and the check of their rows."""

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from writ import as_json
from writ.runtime import Engine
from writ.runtime.translate.sql import where

from tests.bench.list_rows import AUDITORS, COLUMNS, EDITORS, FIELDS, OTHERS, TENANTS, Database, Document

PAGE, EVERY_OTHER = 50, 50
_INDEX: Final = re.compile(r"documents_\w+|INTEGER PRIMARY KEY")
_WHOLE_TABLE: Final = re.compile(r"Seq Scan on documents|SCAN documents(?! USING)")


class Question(NamedTuple):
    """What some users ask. The first of them asks for lists."""

    title: str
    users: range
    action: str

    def search(self, user: int) -> dict[str, Any]:
        """The search of a user for the documents, with the comparison with now decided (F7, X5)."""
        properties = {"tenant": f"t{user % TENANTS}", "region": "r5"}
        return {
            "subject": {"type": "user", "id": f"u{user}", "properties": properties},
            "action": {"name": self.action},
            "resource": {"type": "document"},
            "options": {"gates": "decide"},
        }

    def request(self, row: Document) -> dict[str, Any]:
        """The evaluation about a row."""
        properties = as_json(dict(zip(COLUMNS, row[1:], strict=True)))
        search = self.search(self.users[0])
        del search["options"]
        return search | {"resource": {"type": "document", "id": str(row[0]), "properties": properties}}


QUESTIONS: Final = (
    Question("an owner edits", OTHERS, "edit"),
    Question("a member of a team reads", OTHERS, "read"),
    Question("an editor of a region edits", EDITORS, "edit"),
    Question("an auditor reads", AUDITORS, "read"),
)


class Queries:
    """The queries of one question on one database."""

    def __init__(self, question: Question, engine: Engine, database: Database):
        self.database = database
        self._found = where(
            engine.filter(question.search(question.users[0]))["filter"], FIELDS, dialect=database.dialect
        )
        self.all = f"SELECT id FROM documents WHERE {self._found.text}"
        self.count = self.all.replace("SELECT id", "SELECT count(*)", 1)
        self.page = f"{self.all} ORDER BY id DESC LIMIT {PAGE}".replace("SELECT id", "SELECT *", 1)

    def rows(self, query: str) -> list[Any]:
        """The rows of a query."""
        return list(self.database.connection.execute(query, self._found.parameters).fetchall())

    def plan(self, query: str) -> str:
        """The indexes that the database uses for a query, or `whole table`."""
        text = str(self.rows(f"{self.database.explain} {query}"))
        whole = ["whole table"] if _WHOLE_TABLE.search(text) else []
        return " + ".join([*whole, *dict.fromkeys(_INDEX.findall(text))])


def check(question: Question, engine: Engine, queries: Queries, rows: Sequence[Document]) -> None:
    """Raises ValueError if a query has other rows than those that decisions allow, of the tenant and of some others."""
    tenant = f"t{question.users[0] % TENANTS}"
    sample = [row for row in rows if row[1] == tenant or row[0] % EVERY_OTHER == 0]
    answers = engine.decide_many([question.request(row) for row in sample])
    allowed = {row[0] for row, answer in zip(sample, answers, strict=True) if answer["decision"]}
    if not allowed or {id for (id,) in queries.rows(queries.all)} != allowed:
        raise ValueError(f"{queries.database.name}: the rows of `{question.title}` are not those that decisions allow")
