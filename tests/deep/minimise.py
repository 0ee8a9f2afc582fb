"""Makes a failed trial smaller while it still fails: fewer questions, documents, elements and attributes."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.deep.trial import Trial
from tests.support import oracle

SECONDS = 15.0
"""How long one trial is made smaller, at most."""


def failure(trial: Trial) -> str | None:
    """The kind of error by which a trial fails; None if it keeps its law, or is none that the oracle can answer."""
    try:
        for request, now in trial.questions:
            oracle.decide(trial.documents[-1], request, now)
        wrong = trial.run()
    except Exception:  # no valid model, or no valid question
        return None
    return wrong and wrong.partition(":")[0]


def minimised(trial: Trial, seconds: float = SECONDS) -> Trial:
    """Returns the smallest form that greedy steps reach in the time."""
    deadline = time.monotonic() + seconds
    kind = failure(trial)
    if kind is None:  # it needs what came before it
        return trial
    reduced = True
    while reduced:
        reduced = False
        for smaller in smaller_forms(trial):
            if time.monotonic() > deadline:
                return trial
            if failure(smaller) == kind:
                trial, reduced = smaller, True
                break
    return trial


def smaller_forms(trial: Trial) -> Iterator[Trial]:
    """Each form with one part less, the largest parts first."""
    for at in range(len(trial.questions)):
        if len(trial.questions) > 1:
            yield replace(trial, questions=without(trial.questions, at))
    for at in range(len(trial.documents) - 1):
        yield replace(trial, documents=without(trial.documents, at))
    for at, document in enumerate(trial.documents):
        for smaller in smaller_documents(document):
            yield replace(trial, documents=(*trial.documents[:at], smaller, *trial.documents[at + 1 :]))
    for at, (request, now) in enumerate(trial.questions):
        for smaller in smaller_requests(request):
            yield replace(trial, questions=(*trial.questions[:at], (smaller, now), *trial.questions[at + 1 :]))


def without(parts: Any, at: int, count: int = 1) -> Any:
    """Returns a sequence without some parts."""
    return parts[:at] + parts[at + count :]


def smaller_documents(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A document without a list, half a list, an element, or a member of an element or of its declarations."""
    lists = {name: rows for name, rows in document.items() if isinstance(rows, list)}
    for name in lists:
        yield {other: rows for other, rows in document.items() if other != name}
    for name, rows in lists.items():
        for size in (len(rows) // 2, 1):
            for at in range(0, len(rows), size or 1):
                if 0 < size < len(rows):
                    yield document | {name: without(rows, at, size)}
    for name, rows in lists.items():
        for at, row in enumerate(rows):
            for smaller in smaller_elements(row) if isinstance(row, dict) else ():  # `extensions` has texts
                yield document | {name: [*rows[:at], smaller, *rows[at + 1 :]]}
    if "attributes" in document:
        yield {name: rows for name, rows in document.items() if name != "attributes"}
        for smaller in smaller_elements(document["attributes"]):
            yield document | {"attributes": smaller}


def smaller_elements(element: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An element without an optional member, or without a part of its lists and conditions."""
    for member, value in element.items():
        if member not in ("id", "type", "roles"):  # without its roles, a policy is everyone's
            yield {name: one for name, one in element.items() if name != member}
        if isinstance(value, list) and len(value) > 1:
            for at in range(len(value)):
                yield element | {member: without(value, at)}
        if isinstance(value, dict):
            for smaller in smaller_elements(value):
                yield element | {member: smaller}


def smaller_requests(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A request without an optional part, or without one attribute."""
    for name, value in request.items():
        if name not in ("subject", "action", "resource"):
            yield {other: one for other, one in request.items() if other != name}
        if isinstance(value, dict):
            for smaller in smaller_elements(value):
                yield request | {name: smaller}
