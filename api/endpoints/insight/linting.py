"""Finds the warnings about a stored model, as a job."""

from dataclasses import replace
from typing import Final, Literal

import msgspec

from ....compiler.limits import DEFAULTS
from ....compiler.lint_model import ModelWarning, lint_model
from ...engines.jobs.job import Job, JobCall, always
from ...store.elements.kinds import KINDS
from ...store.gateway_settings import read_gateway
from ..management.management_shapes import Count

MOST_WARNINGS: Final = 1_000
"""The warnings of an answer."""

_LIMITS: Final = replace(DEFAULTS, diagnostics=MOST_WARNINGS)


class LintRequest(msgspec.Struct, frozen=True):
    """The environment whose model to look at, and the instant in epoch seconds for which things have expired.

    `uuid` is that of the environment: another one may have got its id meanwhile.
    """

    env: str
    uuid: str
    now: float


class FoundWarning(msgspec.Struct, frozen=True):
    """A warning of `writ check` about a stored model.

    `kind` is the list of the element. `key` names the element by the members of its key, or is null if the warning is
    about the whole list. `path` starts at the element, or else at the list. `help` may be empty.
    """

    code: str
    severity: Literal["warning"]
    message: str
    kind: str
    key: dict[str, str] | None
    path: str
    help: str


class LintsAnswer(msgspec.Struct, frozen=True):
    """The warnings about the model at a revision. `truncated` says whether there are more."""

    revision: Count
    items: tuple[FoundWarning, ...]
    truncated: bool


class FoundLints(msgspec.Struct, frozen=True):
    """The answer as JSON, and the epoch and revision that it is of."""

    answer: msgspec.Raw
    epoch: int
    revision: int


def find_lints(call: JobCall[LintRequest]) -> FoundLints:
    """Returns the warnings about the newest model. Raises NotFound, StoreUnavailable."""
    request = call.request
    environment, model = call.store.insight.linted_model(request.env, request.uuid)
    settings = read_gateway(environment)
    named = settings is not None and settings.anonymous is not None
    found = lint_model(model, request.now, _LIMITS, names_anonymous=named)
    answer = LintsAnswer(environment.revision, tuple(map(_shown, found.listed)), found.unlisted > 0)
    return FoundLints(msgspec.Raw(msgspec.json.encode(answer)), environment.epoch, environment.revision)


def _shown(found: ModelWarning) -> FoundWarning:
    kind, key = KINDS[found.kind], None
    if found.element is not None:
        key = dict(zip(kind.key, kind.key_of(found.element), strict=True))
    return FoundWarning(found.code, "warning", found.message, str(found.kind), key, found.path, found.help)


LINTS: Final = Job(
    f"{__name__}:LINTS", find_lints, LintRequest, FoundLints, task="looks for warnings", is_question=always
)
