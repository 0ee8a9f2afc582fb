"""`writ publish`: puts signed bundles and updates of an environment to a folder or an object store."""

import signal
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import click
import msgspec

from ....bundles.system_errors import sentence_of
from ...engines.publishing.publisher import Published, Superseded
from ...engines.publishing.publishing_target import shown
from ...store.duties.duty import Duty, NotHeld
from ...store.errors import NotFound
from ...store.store import Store
from ..output import CommandFailed, error_console
from .publishing import FAILURES, Publishing, publishing_duty
from .store_opening import command_settings, data_option, env_option, open_store

LOOK_SECONDS: Final = 0.2
"""The seconds between two looks of `--follow` for a commit."""

LEASES_AWAITED: Final = 3
"""The leases for which a single publication waits: another process may have been killed in the middle of one."""

RETRY_SECONDS: Final = 5.0
"""Time after which `--follow` tries again what failed."""


@click.command("publish")
@click.argument("target")
@data_option
@env_option
@click.option("--follow", is_flag=True, help="Go on: publish each change as it is committed, until interrupted.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def publish_command(target: str, directory: Path, environment: str, follow: bool, form: str) -> None:
    """Publish an environment's signed bundle to TARGET, a folder or a URL such as s3://bucket/folder.

    Agents and applications can follow the folder instead of the service. Its files never change, but for one small
    index. A service may run meanwhile. With object stores, credentials come from the environment, as their own tools
    take them; install `writ-pdp[s3]` or `writ-pdp[gs]` first. Exit code 2 if something can't be read or written, or if
    another machine has taken over: TARGET has a later epoch then, and `--follow` ends too.

    Of several machines with one database, one publishes to TARGET. With `--follow`, the others wait, and one of them
    goes on when it ends.

    \b
    Examples:
      writ publish /var/www/bundles
      writ publish s3://policies/prod --env prod --follow
    """
    try:
        stop = _stop_signal() if follow else None
        store = open_store(directory)
        with closing(publishing_duty(target, directory)) as duty:
            publishing, turn = Publishing(target, directory, store, environment, duty), _Turn(duty, target, form)
            if stop is None:
                turn.await_soon()
                _tell(publishing.publish(), form)
            else:
                _follow(publishing, turn, store, form, stop)
    except (NotFound, *FAILURES) as ex:
        raise CommandFailed(sentence_of(ex)) from None


class _Turn:
    """The turn of this process to publish to a target, and what it says about that."""

    def __init__(self, duty: Duty, target: str, form: str) -> None:
        self.duty, self._target, self._form = duty, shown(target), form
        self._told: str | None = None

    def is_here(self) -> bool:
        """Returns whether this process publishes. Says so if that changes."""
        is_held, holder = self.duty.is_held(), self.duty.holder
        if is_held:
            if self._told is not None:
                error_console().print(f"This process publishes to `{self._target}` from now on.", markup=False)
            self._told = None
        elif holder and holder != self._told:
            self._told = holder
            error_console().print(f"Waiting: `{holder}` publishes to `{self._target}`.", markup=False)
            if self._form == "json":
                click.echo(msgspec.json.encode({"waiting_for": holder}))
        return is_held

    def await_soon(self) -> None:
        """Waits for the turn while the last holder may have ended. Raises NotHeld if it goes on."""
        until = time.monotonic() + LEASES_AWAITED * command_settings().store.lease_seconds
        while not self.duty.is_held():
            if time.monotonic() > until:
                other = f"`{self.duty.holder}`" if self.duty.holder else "another process"
                raise NotHeld(f"{other} publishes to `{self._target}`, so this process does not")
            time.sleep(LOOK_SECONDS)


def _follow(publishing: Publishing, turn: _Turn, store: Store, form: str, stop: threading.Event) -> None:
    """Publish each change while it is the turn of this process, until `stop` is set."""
    while not turn.is_here():
        if stop.wait(LOOK_SECONDS):
            return
    with suppress(NotHeld):
        _tell(publishing.publish(), form)
    error_console().print("Following changes. Ctrl-C or SIGTERM stops it.", markup=False)
    seen: object = None
    due = 0.0
    while not stop.wait(LOOK_SECONDS):
        try:
            if not turn.is_here():
                seen = None
                continue
            version = store.watch.version()
            if version != seen or time.monotonic() >= due:
                due = time.monotonic() + RETRY_SECONDS
                _tell(publishing.publish(at_once=False), form)
                seen = version
        except NotHeld:  # the next look says who publishes
            seen = None
        except Superseded:  # this store is never in force again
            raise
        except FAILURES as ex:
            turn.duty.step_back(RETRY_SECONDS)
            error_console().print(f"{ex}; trying again in {RETRY_SECONDS:g} seconds", markup=False)
            stop.wait(RETRY_SECONDS)


def _tell(done: Published, form: str) -> None:
    """Say what was done, if it is new."""
    names = [file.name for file in done.put]
    if not done.is_new:
        return
    if form == "json":
        told = {"revision": done.index.revision, "epoch": done.index.epoch, "files": names}
        click.echo(msgspec.json.encode(told))
    elif names:
        size = sum(file.size for file in done.put)
        click.echo(f"revision {done.index.revision}: {len(names)} files, {size:,} bytes")
    else:
        click.echo(f"revision {done.index.revision}: nothing new")


def _stop_signal() -> threading.Event:
    """Returns an event that TERM and INT set: what is being published is then finished first."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop
