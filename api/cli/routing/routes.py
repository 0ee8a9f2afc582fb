"""`writ routes`: shows which route matches a request, and proposes routes from an OpenAPI document."""

import click

from .import_routes import import_command
from .match_route import test_command


@click.group("routes")
def routes_command() -> None:
    """Work with the routes of a model: which resource and action a request to a backend is about.

    \b
    Examples:
      writ routes test GET https://api.example/documents/d1 model.bundle
      writ routes import openapi.yaml -o routes.yaml
    """


routes_command.add_command(test_command)
routes_command.add_command(import_command)
