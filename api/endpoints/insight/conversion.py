"""A policy between its two forms: `/v1/environments/{env}/policies:convert`."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Final, Literal

import falcon
import falcon.asgi
from msgspec import Meta, Struct, structs, to_builtins

from ....bundles.wording import quoted
from ....bundles.zones import zone_names
from ....compiler.check_policy import check_policy
from ....compiler.diagnostics.diagnostic import Diagnostic
from ....compiler.forms.convert import NotInForm, convert
from ....compiler.language.statements import statements
from ....compiler.language.writing.format import formatted
from ....compiler.limits import DEFAULTS
from ....compiler.model.elements import Policy
from ....compiler.source import Source
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ...http.rejections import BodyRejected
from ...review.wording.policy_sentence import policy_sentence
from ...store.elements.element_bodies import encode_body
from ...store.environment_ids import Bounds
from ..management.body_shapes import shaped

MOST_BYTES: Final = 65_536
"""The bytes of a text, and of a policy as JSON. To read as many takes about half a second, or a second if the patterns
are hostile."""

MOST_DIAGNOSTICS: Final = 20
"""The diagnostics of an answer. If there are more, the last one has the code `too-many`."""

NO_POLICY: Final = "not-one-policy"
"""The code of the diagnostic for a text that has other statements than one policy."""

_LIMITS: Final = replace(DEFAULTS, diagnostics=MOST_DIAGNOSTICS)
_BOM: Final = "\ufeff"
_TEXT: Final = "policy.writ"
_DOCUMENT: Final = "policy.json"
_ROOT: Final = "$.policies[0]"


class PolicyInOneForm(Struct, frozen=True, forbid_unknown_fields=True):
    """A policy in one of two forms: the `text` of one statement in `.writ`, or the `policy` as an object."""

    text: Annotated[str, Meta(max_length=MOST_BYTES)] | None = None
    policy: dict[str, Any] | None = None


class FoundDiagnostic(Struct, frozen=True):
    """An error or a warning. `path` starts at the policy. `help` may be empty.

    In a text, it is about `length` characters from `line` and `column` on, which count from 1. Without a text, and for
    the text as a whole, these are null.
    """

    code: str
    severity: Literal["error", "warning"]
    message: str
    path: str
    line: int | None
    column: int | None
    length: int | None
    help: str


class PolicyInEveryForm(Struct, frozen=True):
    """A policy in every form. `policy` and `text` are null if it can't be read or written.

    `sentence` says what it does in plain words, or is null if it has errors: such a policy can't be stored.
    """

    policy: dict[str, Any] | None
    text: str | None
    sentence: str | None
    diagnostics: tuple[FoundDiagnostic, ...]


CONVERT: Final = Operation(
    "convertPolicy",
    "Insight",
    "Convert a policy between text and JSON, say what it does, and check it",
    {200: Answer("The policy in every form, also if it has errors.", PolicyInEveryForm)},
    "Nothing is stored. Writ checks the policy against the stored roles, resource types and declared attributes.",
    bodies={JSON: PolicyInOneForm},
)


class PolicyConversion:
    """Converts a policy."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies = work, bodies

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200, also for a policy with errors. Raises BodyRejected for neither or both of text and policy."""
        known_parameters(req)
        asked = shaped(await self._bodies.read_element(req), PolicyInOneForm, "bad-policy")
        if asked.text is not None:
            asked = structs.replace(asked, text=asked.text.removeprefix(_BOM))
        bounds = req.context.credential.bounds
        resp.data = ENCODER.encode(await self._work.read(self._converted, env, asked, bounds))

    def _converted(self, env: str, asked: PolicyInOneForm, bounds: Bounds) -> PolicyInEveryForm:
        self._work.store.environment(env, bounds)
        source = _source(asked)
        declared = partial(self._work.store.insight.declared_for, env, bounds=bounds)
        checked = check_policy(source, declared, zone_names(), _LIMITS)
        found = tuple(_shown(one, asked.text is not None) for one in checked.diagnostics)
        if asked.text is not None and checked.policy is None:
            found = _about_statements(asked.text, found)
        if checked.policy is None:
            return PolicyInEveryForm(None, None, None, found)
        text = formatted(asked.text) if asked.text is not None else _text(source)
        sentence = policy_sentence(checked.policy) if checked.is_sound else None
        return PolicyInEveryForm(_as_object(asked, checked.policy), text, sentence, found)


def _source(asked: PolicyInOneForm) -> Source:
    """Returns the document. Raises BodyRejected if there is not exactly one, or if it is too long."""
    if (asked.text is None) == (asked.policy is None):
        raise BodyRejected("bad-policy", "give exactly one of `text` and `policy`")
    if asked.text is not None:
        # Its own mark, so that no other one is skipped: the formatter skips none.
        return Source(_TEXT, f"{_BOM}{asked.text}".encode(errors="surrogatepass"))
    body = encode_body(asked.policy or {})
    if len(body) > MOST_BYTES:
        raise BodyRejected("bad-policy", f"`policy` has {len(body)} bytes, the limit is {MOST_BYTES}", "$.policy")
    return Source(_DOCUMENT, b'{"model":1,"policies":[' + body + b"]}")


def _as_object(asked: PolicyInOneForm, policy: Policy) -> dict[str, Any]:
    """Returns the policy as an object. A given object stays as it is."""
    found: dict[str, Any] = to_builtins(policy)
    return found if asked.policy is None else asked.policy


def _text(source: Source) -> str | None:
    """Returns the policy as text, or None if a value in it can't be written, since it means nothing."""
    try:
        written = convert([source], "writ").text
    except NotInForm:
        return None
    return None if written is None else written.decode()


def _about_statements(text: str, found: tuple[FoundDiagnostic, ...]) -> tuple[FoundDiagnostic, ...]:
    """Returns the diagnostics of a text that is not one policy, and that it is not, unless they say enough."""
    number = len([*statements(text)])
    if number == 1 and found:
        return found
    said = {0: "no statement", 1: "another statement than a policy"}.get(number, f"{number} statements")
    help_text = f"give one statement, which begins with {quoted('policy')}"
    added = FoundDiagnostic(NO_POLICY, "error", f"the text has {said}", "$", None, None, None, help_text)
    return (added, *found) if number else (added,)


def _shown(found: Diagnostic, has_text: bool) -> FoundDiagnostic:
    path = found.path.removeprefix(_ROOT)
    placed = has_text and found.line > 0
    return FoundDiagnostic(
        found.code,
        found.severity,
        found.message,
        path if path.startswith("$") else f"${path}",
        found.line if placed else None,
        found.column if placed else None,
        found.length if placed else None,
        found.help,
    )
