"""The application on the address of `--metrics-bind`: the metrics without a credential, and nothing else."""

import logging
from typing import Any, Final

import falcon.asgi

from ...http.request_id import RequestId
from ...server.listening import bound_socket, start_listening
from ...server.owner import SideAddress
from ...telemetry.metrics.counts import Counts
from ...telemetry.metrics.requests import CountedApplication, CountedRoutes
from ..decisions.health import Health
from ..errors import ErrorAnswers
from .metrics_answering import MetricsAnswering
from .metrics_page import OpenMetricsPage

PATH: Final = "/metrics"
OPTION: Final = "--metrics-bind"


def open_application(answering: MetricsAnswering, counts: Counts, log: logging.Logger) -> CountedApplication:
    """Returns the ASGI application."""
    middleware: list[Any] = [CountedRoutes(), RequestId()]
    app = falcon.asgi.App(middleware=middleware)
    ErrorAnswers(log).register(app)
    app.add_route(PATH, OpenMetricsPage(answering))
    app.add_route("/healthz", Health())
    return CountedApplication(app, counts)


def open_address(application: Any, address: str) -> SideAddress:
    """Returns what serves the ASGI application at `address`, where it listens. Raises CannotListen."""
    listener = bound_socket(address, OPTION)
    listener.setblocking(False)
    start_listening(listener, OPTION)
    return SideAddress(application, listener)
