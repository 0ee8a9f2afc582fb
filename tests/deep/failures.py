"""Failures as tests: the smallest form of a failed trial, written where the ordinary suite runs it from then on.

A wrong decision becomes `found_decide_HASH.case`, which `tests/test_cases.py` runs. What a case file can't show becomes
a JSON file in `found/`, which `tests/deep/test_found.py` puts to its law again: other laws, models that deltas lead to,
several questions in a row.
"""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import yaml
from writ.bundles.conditions.instants import SECOND, parse_instant
from writ.bundles.file.reader import open_bundle
from writ.bundles.program.text import show_program

from tests.deep.minimise import failure, minimised
from tests.deep.trial import INDEXED_FROM, Trial
from tests.runtime.test_agreement import judged
from tests.support import oracle
from tests.support.bundling import bundle_file, engine_for
from tests.support.strategies_instants import digits


class Written(NamedTuple):
    """A failure as it was written."""

    path: Path
    trial: Trial


def write(trial: Trial, folder: Path, again: str) -> Written:
    """Write a failed trial under `folder`, as small as it gets; `again` is the command that found it."""
    smallest = minimised(trial)
    text = case_text(smallest, again) if shows_in_a_case(smallest) else None
    if text is None:
        path, text = folder / "found" / f"{smallest.law}_{digest(smallest)}.json", json_text(smallest, again)
    else:
        path = folder / f"found_{smallest.law}_{digest(smallest)}.case"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return Written(path, smallest)


def digest(trial: Trial) -> str:
    """A short name for a trial."""
    return sha256(json.dumps(asdict(trial), sort_keys=True).encode()).hexdigest()[:10]


def json_text(trial: Trial, again: str) -> str:
    """A trial as JSON, which `read_trial` reads."""
    return json.dumps({"found by": again} | asdict(trial), indent=1) + "\n"


def read_trial(path: Path) -> Trial:
    """The trial in a file of `found/`."""
    row = json.loads(path.read_text())
    questions = tuple((request, now) for request, now in row["questions"])
    return Trial(row["law"], tuple(row["documents"]), questions, row["indexed_from"])


def shows_in_a_case(trial: Trial) -> bool:
    """Whether a case file says the same: a first decision on a compiled model, at an instant that can be written."""
    if trial.law != "decide" or len(trial.documents) > 1 or len(trial.questions) > 1:
        return False
    if trial.indexed_from != INDEXED_FROM or failure(trial) is None:
        return False
    document, ((request, now),) = trial.documents[0], trial.questions
    return reads_back(document, now) and is_wrong_at_first(document, request, now)


def reads_back(document: dict[str, Any], now: float) -> bool:
    """Whether the model and the instant mean the same after they were written."""
    try:
        return yaml.safe_load(model_text(document)) == document and parse_instant(instant_text(now)) / SECOND == now
    except (yaml.YAMLError, ValueError, OverflowError):
        return False


def is_wrong_at_first(document: dict[str, Any], request: dict[str, Any], now: float) -> bool:
    """Whether the very first answer of an engine is wrong."""
    with TemporaryDirectory() as folder:
        engine = engine_for(document, Path(folder) / "model.bundle")
        try:
            return judged(engine.decide(request, now)) != oracle.decide(document, request, now)
        except Exception:  # no answer is a wrong one
            return True


def model_text(document: dict[str, Any]) -> str:
    """A model as YAML, a line for each small part."""
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=False, width=110, default_flow_style=None)


def instant_text(now: float) -> str:
    """An instant as RFC 3339, in UTC, to the last digit."""
    whole, fraction = divmod(Fraction(now), 1)
    text = datetime.fromtimestamp(int(whole), UTC).isoformat().removesuffix("+00:00")
    return f"{text}.{digits(fraction)}Z" if fraction else f"{text}Z"


def case_text(trial: Trial, again: str, title: str = "The oracle and the engine disagreed") -> str:
    """A case file with the oracle's answer. `title` says what was wrong."""
    document, ((request, now),) = trial.documents[0], trial.questions
    with TemporaryDirectory() as folder:
        rules = show_program(open_bundle(bundle_file(document, Path(folder) / "model.bundle")).program())
    return "\n".join(
        (
            f"{title}; `{again}` found it.\n",
            f"-- model --\n{model_text(document)}",
            f"-- now --\n{instant_text(now)}\n",
            f"-- ask --\n{json.dumps(request)}\n",
            f"-- expect --\n{json.dumps(oracle.decide(document, request, now))}\n",
            f"-- rules --\n{rules}",
        )
    )
