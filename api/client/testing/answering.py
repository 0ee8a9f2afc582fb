"""The answers of the fake service: those of an engine, in the shapes of Writ's service, errors too."""

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from uuid import uuid4

from ..api.endpoints.decisions.authorize import SHORT, evaluation_of, short_answer, short_requests
from ..api.endpoints.decisions.batch import Batch, BatchAnswers, read_batch, strict_batch, without_batch_members
from ..api.endpoints.decisions.discovery import CALLS, metadata
from ..api.endpoints.decisions.searches.page_tokens import PageTokens, fingerprint
from ..api.endpoints.decisions.searches.search_pages import Pages, SearchPage, ordered
from ..api.endpoints.errors import details_of, status_of
from ..api.http.bodies import ENCODER, check_content_type, decoded
from ..api.http.error_answers import INTERNAL, RETRY_SECONDS, error_body
from ..api.http.rejections import NotYet
from ..api.http.revision_tokens import DECISION_ID, LEAST_REVISION, REVISION, read_token, refuse_other
from ..api.settings.settings import HttpLimits
from ..api.telemetry.decision_log.decision_ids import IDS
from ..runtime.engine import Engine
from ..runtime.requests.error_items import error_item
from ..runtime.requests.searches import (
    BOTH,
    FILTER,
    RESULTS,
    Page,
    read_action_search,
    read_resource_search,
    read_subject_search,
)
from ..runtime.searches.context_note import context_note, say_left_open, search_context
from .engines import TestingEngine

LIMITS: Final = HttpLimits()
"""The limits of the service, as they are by default."""

_METADATA: Final = "/.well-known/authzen-configuration"
_WITHOUT_REGISTRY: Final = ("access_evaluation_endpoint", "access_evaluations_endpoint", "writ_filter_endpoint")
_MANAGING: Final = ("/v1/environments", "/v1/clients", "/v1/api-keys", "/v1/audit", "/v1/oauth/")
_ONLY_QUESTIONS: Final = (
    "the fake service answers questions only; for a test that changes a model or credentials, start `writ serve`"
)
_LOG: Final = logging.getLogger(__name__)


class Answer(NamedTuple):
    """An answer: its status, its JSON, and headers that it has beside those of every answer."""

    status: int
    body: bytes
    headers: Mapping[str, str] = MappingProxyType({})


class Answers:
    """Answers requests by an engine."""

    def __init__(self, engine: Engine, url: str):
        """`url` is that of the service. An engine without an environment gets one for its tokens."""
        self._engine = engine
        calls = CALLS if isinstance(engine, TestingEngine) else _WITHOUT_REGISTRY
        self._metadata = ENCODER.encode(metadata(url, calls))
        self._tokens = PageTokens(secrets.token_bytes(32))
        self._uuid = str(uuid4())
        self._calls: Mapping[str, Callable[[dict[str, Any]], object]] = {
            "/access/v1/evaluation": engine.decide,
            "/access/v1/evaluations": self._evaluations,
            "/access/v1/search/resource": self._resources,
            "/access/v1/search/subject": self._subjects,
            "/access/v1/search/action": self._actions,
            SHORT: self._authorize,
        }

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Returns the answer to a request, whose headers have names in lower case. It never raises."""
        if path.startswith(_MANAGING):
            return Answer(HTTPStatus.NOT_IMPLEMENTED, error_body(_ONLY_QUESTIONS))
        if path != _METADATA and path not in self._calls:
            return Answer(HTTPStatus.NOT_FOUND, error_body("there is no such path"))
        allowed = "GET" if path == _METADATA else "POST"
        if method != allowed:
            sentence = f"this path does not support `{method}`, only {allowed}"
            return Answer(HTTPStatus.METHOD_NOT_ALLOWED, error_body(sentence), {"Allow": allowed})
        if path == _METADATA:
            return Answer(HTTPStatus.OK, self._metadata)
        try:
            check_content_type(headers.get("content-type"))
            read = decoded(body, LIMITS)
            token = self._token_after(headers.get(LEAST_REVISION.lower()))
            told = {REVISION: token, DECISION_ID: IDS.next().decode()}
            return Answer(HTTPStatus.OK, ENCODER.encode(self._calls[path](read)), told)
        except Exception as ex:
            return refusal(ex)

    def _token_after(self, least: str | None) -> str:
        """Returns the token of the revision in force. Raises BadQuery, OtherRevisions or NotYet if `least` is not
        reached.
        """
        own = read_token(self._engine.revision_token or f"{self._uuid}.1.{self._engine.revision}")
        if least is not None:
            token = read_token(least.strip())
            refuse_other(own, token)
            if own.revision < token.revision:
                raise NotYet(f"this server has revision {own.revision}, not {token.revision} yet; try again")
        return ".".join(map(str, own))

    def _evaluations(self, body: dict[str, Any]) -> object:
        batch = read_batch(body, LIMITS.batch_items)
        if batch is None:
            return self._engine.decide(without_batch_members(body))
        return {"evaluations": self._decided(strict_batch(self._engine, body, batch))}

    def _decided(self, batch: Batch) -> list[Any]:
        return list(
            BatchAnswers(batch, partial(self._engine.decide_item, now=self._engine.now()), LIMITS.explanation_bytes)
        )

    def _authorize(self, body: dict[str, Any]) -> object:
        if "requests" not in body:
            return short_answer(self._engine.decide(evaluation_of(body)))
        read = short_requests(body, LIMITS.batch_items)
        found = iter(self._decided(Batch([one for one in read if isinstance(one, dict)], {}, None)))
        results = (next(found) if isinstance(one, dict) else error_item(HTTPStatus.BAD_REQUEST, one) for one in read)
        return {"results": [*map(short_answer, results)]}

    def _resources(self, body: dict[str, Any]) -> object:
        search = read_resource_search(body)
        answer: dict[str, Any] = {}
        left_open: tuple[str, ...] = ()
        undeclared = self._engine.undeclared(search.resource_type, search.action.name)
        if search.options.returns in (RESULTS, BOTH):
            note = f"registered resources that the subject may act on; {context_note(search.results_context)}"
            answer = self._page(body, search.page, self._engine.resources(_all_of(body)), "id")
            left_open = self._engine.left_open(search, found=bool(answer["results"]))
            answer["context"] = search_context(undeclared or note, left_open)
        if search.options.returns in (FILTER, BOTH):
            filtered = self._engine.filter(body)
            if answer and undeclared is None and search.filter_context is None:
                filtered["context"]["reason"] += f"; in the results, {context_note(search.results_context)}"
            say_left_open(filtered["context"], left_open)
            answer |= filtered
        return ordered(answer)

    def _subjects(self, body: dict[str, Any]) -> object:
        search = read_subject_search(body)
        undeclared = self._engine.undeclared(search.resource.type, search.action.name)
        note = f"registered subjects that may act on the resource; {context_note(search.context)}"
        context = search_context(undeclared or note, self._engine.left_open(search))
        return ordered(
            {"context": context, **self._page(body, search.page, self._engine.subjects(_all_of(body)), "id")}
        )

    def _actions(self, body: dict[str, Any]) -> object:
        found = self._engine.actions(body)
        page = read_action_search(body).page
        return ordered({"context": found["context"], **self._page(body, page, found["results"], "name")})

    def _page(self, body: dict[str, Any], page: Page, found: Iterable[Any], key: str) -> dict[str, Any]:
        """Returns a page of items, which are in the order of `key` (S4). Raises BadRequest for a wrong token."""
        pages = Pages(self._tokens, fingerprint(key, _all_of(body)), page)
        left = [one for one in found if one[key] > pages.after]
        items = left[: pages.limit]
        after = (items[-1][key] if items else pages.after) if len(left) > len(items) else None
        return {**pages.answer(SearchPage(items, after)), "results": items}


def _all_of(body: dict[str, Any]) -> dict[str, Any]:
    """Returns a search without its page: an engine answers with all results."""
    return {name: value for name, value in body.items() if name != "page"}


def refusal(error: Exception) -> Answer:
    """Returns the answer to a request that raised an error. A failure of the engine is logged."""
    status = status_of(error)
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        _LOG.error("the fake service failed", exc_info=error)
        return Answer(status, error_body(INTERNAL))
    later = {"Retry-After": str(RETRY_SECONDS)} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    return Answer(status, error_body(str(error), details_of(error)), later)
