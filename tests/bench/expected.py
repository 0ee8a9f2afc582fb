"""The oracle's answers, asked about the part of a document that can matter to a request.

The oracle reads the whole document for every question; on 10,000 policies that takes longer than everything else here.
So it is given a cut: the policies on the type, the groups that the subject is in, the assignments to either, the
grants of the subject. `check_cut` asks it with the whole document too, so that the cut is no silent assumption.
"""

from collections import defaultdict
from typing import Any

from tests.bench.models import Document
from tests.support import oracle
from tests.support.oracle_entities import Key, key_of


class Expected:
    """The oracle over one document, at one instant (`now`, epoch seconds)."""

    def __init__(self, document: Document, now: float):
        self._document, self._now = document, now
        self._policies: dict[str, list[Document]] = defaultdict(list)
        for policy in document["policies"]:
            for scope in policy["resource_types"]:
                self._policies[scope["resource_type_id"]].append(policy)
        self._facts: dict[Key, Document] = {}

    def answer(self, request: Document) -> dict[str, Any]:
        """The decision, its reason code and the ids that the rules name (D1 to D8)."""
        return oracle.decide(self.cut(request), request, self._now)

    def candidates(self, request: Document) -> int:
        """How many policies and grants apply to the request's subject, resource and action."""
        return len(oracle.explain(self.cut(request), request, self._now))

    def roles(self, subject: Document) -> list[str]:
        """The roles that a subject holds, itself or by its groups (P2, P3), sorted."""
        key = key_of(subject)
        return sorted({role for role, _ in oracle.roles_of(self._facts_of(key), key, self._now)})

    def check_cut(self, request: Document) -> None:
        """Raise Disagreement where the whole document has another answer than the cut."""
        whole = oracle.decide(self._document, request, self._now)
        if whole != self.answer(request):
            raise Disagreement(f"the cut answers {self.answer(request)}, the whole document {whole}, to {request}")

    def cut(self, request: Document) -> Document:
        """The part of the document that can matter to a request."""
        type = request["resource"]["type"]
        return self._facts_of(key_of(request["subject"])) | {
            "resource_types": [row for row in self._document["resource_types"] if row["id"] == type],
            "policies": self._policies.get(type, []),
        }

    def _facts_of(self, subject: Key) -> Document:
        facts = self._facts.get(subject)
        if facts is None:
            groups = oracle.groups_of(self._document, subject)
            facts = self._facts[subject] = {
                "groups": [row for row in self._document.get("groups", []) if row["id"] in groups],
                "assignments": [
                    row
                    for row in self._document.get("assignments", [])
                    if (row["group"] in groups if "group" in row else key_of(row["subject"]) == subject)
                ],
                "grants": [row for row in self._document.get("grants", []) if key_of(row["subject"]) == subject],
            }
        return facts


class Disagreement(Exception):
    """Somebody does not say what the oracle says; the message has the request."""
