"""What `writ serve` says at its start: where it listens, and how to ask it."""

import logging
import shlex
import socket
from pathlib import Path

import msgspec

from ..http.public_url import below, url_warning
from ..identity.admin_access import AdminAccess
from ..identity.admin_key import KEY_FILE
from ..server.listening import UNIX, shown_address
from ..settings.settings import Settings
from .demo import demo_questions
from .output import error_console
from .server_options import own_url
from .start_options import StartOptions
from .stores.opening import show_admin_key


def tell_address(
    listener: socket.socket, options: StartOptions, access: AdminAccess, settings: Settings, log: logging.Logger
) -> str:
    """Says where the service listens, and returns its URL."""
    place = shown_address(listener)
    url = own_url(place, options.server.tls)
    _greet(url, place, options, access)
    if options.demo:
        _show_example(url, place, options.directory, access, preset=settings.admin_key is not None)
        _show_console(settings.public_url or url, place)
    if settings.public_url is None:
        log.warning("%s", url_warning(url))
    return url


def _greet(url: str, place: str, options: StartOptions, access: AdminAccess) -> None:
    """Prints the service's address, and the administrator's key if it is new."""
    console = error_console()
    console.print(
        f"Writ decides at {place if place.startswith(UNIX) else url} from {options.directory},"
        f" with {options.server.workers} worker{'s' if options.server.workers != 1 else ''}",
        markup=False,
    )
    show_admin_key(console, options.directory, access)


def _show_console(url: str, place: str) -> None:
    """Prints the console's address. A browser can't reach a socket in the file system."""
    if not place.startswith(UNIX):
        error_console().print("Or open the console in a browser, and sign in with the key:")
        error_console().print(f"  {below(url, '/console/')}", markup=False, soft_wrap=True)


def _show_example(url: str, place: str, directory: Path, access: AdminAccess, *, preset: bool) -> None:
    console = error_console()
    question = demo_questions()[0].request | {"options": {"explain": True}}
    body = shlex.quote(msgspec.json.encode(question).decode())
    key_file = directory / KEY_FILE
    key = "$WRIT_ADMIN_KEY"
    if access.fresh_key is not None and console.is_terminal:
        key = access.fresh_key
    elif key_file.exists() and not preset:
        key = f"$(cat {shlex.quote(str(key_file))})"
    through = f"--unix-socket {shlex.quote(place.removeprefix(UNIX))} " if place.startswith(UNIX) else ""
    console.print("Ask for a decision and its explanation:")
    console.print(
        f"  curl -s {through}{url}/access/v1/evaluation \\\n"
        f'    -H "Authorization: Bearer {key}" \\\n'
        f"    -H 'Content-Type: application/json' \\\n"
        f"    -d {body}",
        markup=False,
    )
