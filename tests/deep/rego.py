"""Exported models on a real OPA: its whole answers against the engine's, and its decisions against the oracle's."""

import json
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from writ import BadRequest
from writ.compiler.rego.refusals import NotInRego

from tests.deep.failures import case_text, digest, reads_back
from tests.deep.larger import larger_model
from tests.deep.minimise import failure, minimised
from tests.deep.moments import moment
from tests.deep.one_condition import condition_models
from tests.deep.task import MOST_WRITTEN, Task
from tests.deep.trial import NoModel, Trial
from tests.runtime.test_agreement import judged
from tests.support import oracle
from tests.support.bundling import engine_for
from tests.support.hostile import damaged
from tests.support.opa import PEERS, Opa, Unavailable, files_of, opa_binary, running_opa
from tests.support.strategies import document
from tests.support.strategies_instants import near_edge
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request

Document = dict[str, Any]
Question = tuple[Document, float]

QUESTIONS: Final = 40
"""Questions to one model."""

_running: list[Opa] = []
"""The server of this process."""


class OnOpa(Trial):
    """A trial whose law is that OPA answers what the engine and the oracle answer."""

    def run(self) -> str | None:
        """See `Trial`."""
        document = self.documents[-1]
        try:
            _running[-1].load(files_of(document))
        except (NotInRego, AssertionError) as ex:
            raise NoModel(str(ex)) from ex
        found = differing(_running[-1], document, self.questions)
        return found and found[1]


def check_rego(task: Task) -> None:
    """Builds OPA, unless it is there already, and asks it about fresh models until the time is over."""
    try:
        binary = opa_binary(PEERS)
    except Unavailable as ex:
        task.note(f"not run: {ex}")
        return
    models = refused = 0
    with asked_opa(binary):
        while task.left > 0:
            for model, questions in drawn(Pick.seeded(task.fresh_seed())):
                models += 1
                refused += not check(task, model, [one for one in questions if is_text(one[0])])
    task.note(f"{models:,} models, of which {refused:,} are refused")


@contextmanager
def asked_opa(binary: Path) -> Iterator[Opa]:
    """Runs a server for the trials in the block."""
    with running_opa(binary) as opa:
        _running.append(opa)
        try:
            yield opa
        finally:
            _running.pop()


def drawn(pick: Pick) -> Iterator[tuple[Document, list[Question]]]:
    """Some small models, a larger one, and one with many policies of one condition each, with questions."""
    for model in (*(document(pick) for _ in range(3)), larger_model(pick)):
        model = countless(model)
        yield model, [(_request(pick, model), moment(pick, model, near_edge(pick))) for _ in range(QUESTIONS)]
    yield condition_models(pick)


def _request(pick: Pick, model: Document) -> Any:
    """A request; every eighth one has faults, and is malformed perhaps."""
    asked = request(pick, model)
    if pick.chance(7, 8):
        return asked
    asked = damaged(pick, asked, sendable=True)
    if isinstance(asked, dict):
        asked.pop("options", None)  # an explanation is the engine's own
    return asked


def countless(model: Document) -> Document:
    """The model without rate limits, which are refused."""
    policies = [
        one | {"conditions": {name: row for name, row in one["conditions"].items() if name != "rate_limit"}}
        if "conditions" in one
        else one
        for one in model.get("policies", [])
    ]
    return model | {"policies": policies}


def is_text(value: Any) -> bool:
    """Whether a value has no lone surrogates, which no JSON text in UTF-8 can carry to OPA."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def check(task: Task, model: Document, questions: Sequence[Question]) -> bool:
    """Puts the questions to a model on OPA. Returns whether the model can be exported."""
    opa = _running[-1]
    try:
        files = files_of(model)
    except NotInRego:
        return False
    opa.load(files)
    found = differing(opa, model, questions)
    if found is not None:
        wrong, said = found
        report(task, OnOpa("rego", (model,), (questions[wrong],)), said)
    task.count(len(questions))
    return True


def differing(opa: Opa, model: Document, questions: Sequence[Question]) -> tuple[int, str] | None:
    """Returns the place of the first question that OPA answers otherwise, and what is said; or None."""
    with TemporaryDirectory() as folder:
        engine = engine_for(model, Path(folder) / "model.bundle")
        for place, ((asked, now), answer) in enumerate(zip(questions, opa.decide(questions), strict=True)):
            try:
                wanted = engine.decide(asked, now)
            except BadRequest:
                if answer["context"]["reason_code"] != "BAD_REQUEST" or answer["decision"]:
                    return place, f"answers differ: OPA says {answer} to a malformed request"
                continue
            if answer != wanted:
                return place, f"answers differ: OPA says {answer}, the engine {wanted}"
            if judged(answer) != oracle.decide(model, asked, now):
                return place, f"decisions differ: OPA says {answer}"
    return None


def report(task: Task, trial: OnOpa, said: str) -> None:
    """Writes a failure as a case file where one can show it, else as a line of JSON."""
    task.failures += 1
    if task.failures > MOST_WRITTEN:
        return
    smallest = minimised(trial)
    model, ((asked, now),) = smallest.documents[-1], smallest.questions
    again = f"python -m tests.deep --group {task.name} --seed {task.seed}"
    if failure(smallest) is None or not reads_back(model, now):
        task.note(f"FAILED: {said}\n  {shlex.quote(json.dumps([model, asked, now]))}")
        return
    path = task.cases / f"found_rego_{digest(smallest)}.case"
    title = "OPA answered otherwise than Writ by the exported model"
    path.write_text(case_text(smallest, again, title))
    task.note(f"FAILED: written to {path.name}\n  {said}")
