"""The questions about one decision: `decide`, `allowed` and `ask`."""

from typing import Any, cast

from ..bundles.errors import Error
from ..runtime.decision import Decision
from ..runtime.requests.evaluation_request import request_of
from ..runtime.requests.members import NO_ATTRIBUTES, Attributes, BadRequest, check_names, check_request
from ..runtime.shapes import EvaluationRequest, EvaluationResponse
from .asking import Asking, log_denial
from .calling.answers import decision_of
from .calling.bodies import encoded
from .calling.steps import Steps


class Evaluations(Asking):
    """Questions about one decision."""

    def decide(self, request: EvaluationRequest | dict[str, Any]) -> Steps[EvaluationResponse]:
        """Returns the decision response (contract 2.5) to an AuthZEN evaluation request.

        Raises BadRequest for a malformed request, SearchUnavailable if it asks an agent for registered attributes, and
        CallFailed if there is no answer: treat all of them as a denial.
        """
        check_request(request)
        endpoints, deadline = yield from self._begin()
        answer = yield from self._posted(endpoints.evaluation, encoded(request), deadline)
        return cast(EvaluationResponse, decision_of(answer))

    def allowed(
        self,
        subject_type: str,
        subject_id: str,
        action: str,
        resource_type: str,
        resource_id: str,
        subject: Attributes | None = None,
        resource: Attributes | None = None,
        action_properties: Attributes | None = None,
        context: Attributes | None = None,
    ) -> Steps[bool]:
        """Returns whether the subject may do the action on the resource, both given by their ids.

        Attributes are dictionaries. Without an answer, it returns False, and logs why. Raises BadRequest as the engine
        does: if a name is empty or not a string, and for attributes that are no dictionary of JSON values.
        """
        names = (subject_type, subject_id, action, resource_type, resource_id)
        check_names(names)
        request = _request(names, (subject, resource, action_properties, context))
        try:
            return (yield from self.decide(request))["decision"]
        except BadRequest:
            raise
        except Error as ex:
            log_denial(ex)
            return False

    def ask(
        self,
        subject_type: str,
        subject_id: str,
        action: str,
        resource_type: str,
        resource_id: str,
        subject: Attributes | None = None,
        resource: Attributes | None = None,
        action_properties: Attributes | None = None,
        context: Attributes | None = None,
    ) -> Steps[Decision]:
        """Returns the decision with its reason. The parameters are those of `allowed`, and the errors of `decide`."""
        names = (subject_type, subject_id, action, resource_type, resource_id)
        request = _request(names, (subject, resource, action_properties, context))
        return Decision.of(cast(dict[str, Any], (yield from self.decide(request))))


def _request(names: tuple[str, ...], given: tuple[Attributes | None, ...]) -> dict[str, Any]:
    return request_of(names, tuple(one or NO_ATTRIBUTES for one in given))
