"""The refusal of a request that can't be read: a status and one sentence, after which the connection ends."""

from http import HTTPStatus

from ..settings.settings import HttpLimits


class RefusedRequest(Exception):
    """The bytes are not an HTTP/1.1 request that this server takes; the message is one sentence."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


def malformed(what: str = "") -> RefusedRequest:
    """Returns the refusal of bytes that are not valid HTTP/1.1; `what` names the fault, if it is known."""
    sentence = "the request is not valid HTTP/1.1"
    return RefusedRequest(HTTPStatus.BAD_REQUEST, f"{sentence}: {what}" if what else sentence)


def full_sentence(limits: HttpLimits) -> str:
    """Returns the sentence for a connection for which there is no room."""
    return f"the service has {limits.connections} connections, its limit; try again later"


def late_sentence(limits: HttpLimits, *, body: bool) -> str:
    """Returns the sentence for a deadline that passed: that of the body, or that of the head."""
    if body:
        return (
            f"the body was not complete after {limits.body_seconds:g} seconds; a long one has to come at"
            f" {limits.body_rate} bytes a second on average, without such a pause"
        )
    return f"the head of the request was not complete after {limits.head_seconds:g} seconds"
