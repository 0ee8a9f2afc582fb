"""The greeting of `writ serve`: its address, and an example of a call."""

import shlex
from pathlib import Path

import msgspec

from ..http.public_url import below
from ..identity.admin_access import AdminAccess
from ..identity.admin_key import KEY_FILE
from ..server.listening import UNIX
from ..service.server_program import ServerProgram
from .demo import demo_questions
from .output import error_console
from .server_options import shown_url
from .stores.store_opening import show_admin_key


def greet(program: ServerProgram, directory: Path, access: AdminAccess) -> None:
    """Prints the service's address, and the administrator's key if it is new."""
    console, workers = error_console(), program.options.workers
    console.print(
        f"Writ decides at {shown_url(program)} from {directory}, with {workers} worker{'s' if workers != 1 else ''}",
        markup=False,
    )
    show_admin_key(console, directory, access)


def show_demo(program: ServerProgram, directory: Path, access: AdminAccess) -> None:
    """Prints how to ask the demo, and the console's address. A browser can't reach a socket in the file system."""
    _show_example(program, directory, access)
    if not program.address.startswith(UNIX):
        error_console().print("Or open the console in a browser, and sign in with the key:")
        error_console().print(
            f"  {below(program.settings.public_url or program.url, '/console/')}", markup=False, soft_wrap=True
        )


def _show_example(program: ServerProgram, directory: Path, access: AdminAccess) -> None:
    console, place = error_console(), program.address
    question = demo_questions()[0].request | {"options": {"explain": True}}
    body = shlex.quote(msgspec.json.encode(question).decode())
    key_file = directory / KEY_FILE
    key = "$WRIT_ADMIN_KEY"
    if access.fresh_key is not None and console.is_terminal:
        key = access.fresh_key
    elif key_file.exists() and program.settings.admin_key is None and program.settings.admin_key_file is None:
        key = f"$(cat {shlex.quote(str(key_file))})"
    through = f"--unix-socket {shlex.quote(place.removeprefix(UNIX))} " if place.startswith(UNIX) else ""
    console.print("Ask for a decision and its explanation:")
    console.print(
        f"  curl -s {through}{program.url}/access/v1/evaluation \\\n"
        f'    -H "Authorization: Bearer {key}" \\\n'
        f"    -H 'Content-Type: application/json' \\\n"
        f"    -d {body}",
        markup=False,
    )
