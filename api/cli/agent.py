"""`writ agent`: decides next to an application, from a bundle that it keeps fresh."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from ...bundles.system_errors import os_sentence
from ..agent.options import FollowOptions, published_source
from ..agent.service.agent_start import AgentStart
from ..agent.service.callers_file import UnusableCallers
from ..agent.sources.bundle_head import LONGEST_BUNDLE
from ..server.listening import CannotListen
from ..server.server import Service, run
from ..server.tls import UnusableTls
from ..service.server_program import ServerOptions
from ..settings.settings import BadSetting
from .output import CommandFailed, error_console
from .server_options import greet_envoy, read_settings, server_asked, server_options, shown_url
from .source_paths import FilePath

DEFAULT_BIND: Final = "127.0.0.1:8181"

_ERRORS: Final = (BadSetting, CannotListen, UnusableCallers, UnusableTls, ValueError, ImportError)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """The source of the bundle: exactly one of `upstream`, `target` and `bundle` is given."""

    upstream: str | None
    target: str | None
    bundle: Path | None
    token_file: Path | None

    def check(self) -> str:
        """Returns the source for `FollowOptions`. Raises UsageError if the options do not fit together."""
        folder = None if self.target is None else published_source(self.target)
        given = [str(one) for one in (self.upstream, folder, self.bundle) if one is not None]
        if len(given) != 1:
            raise click.UsageError("give one of `--upstream`, `--from` and `--bundle`")
        if (self.upstream is None) != (self.token_file is None):
            raise click.UsageError("`--upstream` and `--token-file` belong together")
        return given[0]


@click.command("agent")
@click.option("--env", "environment", help="The id or the UUID of the environment to decide for.")
@click.option("--upstream", metavar="URL", help="Follow this service.")
@click.option("--token-file", type=FilePath(), help="The file with the agent's API key or token.")
@click.option("--from", "target", metavar="TARGET", help="Follow this folder, or its URL.")
@click.option("--bundle", type=FilePath(), help="Follow this bundle file.")
@click.option(
    "--key",
    "keys",
    type=FilePath(),
    multiple=True,
    metavar="PUBLIC.pem",
    help="Accept bundles that this key signed. Repeatable, for a rotation.",
)
@click.option("--unsigned", is_flag=True, help="Accept a bundle file without looking at its signature.")
@click.option("--state", type=FilePath(), help="A folder for the last good bundle, to start from.")
@click.option("--callers", type=FilePath(), help="Admit these callers: JSON lines of `name`, `sha256`.")
@click.option("--max-staleness", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="When /readyz fails.")
@click.option("--min-revision", type=click.IntRange(0), default=0, help="The least revision, for a first start.")
@click.option("--min-epoch", type=click.IntRange(0), default=0, help="The least epoch, for a first start.")
@click.option("--ca-file", type=FilePath(), help="The authorities for the source's certificate (PEM).")
@click.option("--proxy", metavar="URL", help="Reach the source through this HTTP proxy.")
@click.option(
    "--max-bundle-bytes",
    type=click.IntRange(1),
    default=LONGEST_BUNDLE,
    show_default=True,
    help="Refuse a longer bundle, before it is written to the disk.",
)
@click.option(
    "--bind",
    metavar="HOST:PORT|unix:PATH",
    help=f"The address to listen on. The default is {DEFAULT_BIND}, or the socket that systemd hands over.",
)
@server_options
def agent_command(
    environment: str | None,
    upstream: str | None,
    token_file: Path | None,
    target: str | None,
    bundle: Path | None,
    keys: tuple[Path, ...],
    unsigned: bool,
    state: Path | None,
    callers: Path | None,
    max_staleness: float | None,
    min_revision: int,
    min_epoch: int,
    ca_file: Path | None,
    proxy: str | None,
    max_bundle_bytes: int,
    bind: str | None,
    **asked: Any,
) -> None:
    """Start an agent: the decision calls of the service, answered from a signed bundle that it keeps fresh.

    It goes on deciding while its source is away. Callers send the agent's own credential, a key of `--callers`, or an
    access token that the service issued. Exit code 2 if a file can't be read, or the address can't be used.

    \b
    Examples:
      writ agent --upstream https://writ.example --token-file key --env prod --key public.pem --state /var/lib/agent
      writ agent --bundle model.bundle --unsigned
    """
    try:
        options = FollowOptions(
            _Source(upstream=upstream, target=target, bundle=bundle, token_file=token_file).check(),
            environment=environment,
            keys=[path.read_bytes() for path in keys] or None,
            unsigned=unsigned,
            token_file=token_file,
            state=state,
            min_epoch=min_epoch,
            min_revision=min_revision,
            max_staleness=max_staleness,
            ca_file=ca_file,
            proxy=proxy,
            max_bundle_bytes=max_bundle_bytes,
        )
        server = server_asked(bind, DEFAULT_BIND, **asked)
        service = _prepare(options, callers, server, is_open=bundle is not None and callers is None)
    except _ERRORS as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    run(service)


def _prepare(options: FollowOptions, callers: Path | None, server: ServerOptions, *, is_open: bool) -> Service:
    """Returns the agent, ready to run. It already listens, and has said so on standard error."""
    settings, log = read_settings(server.log_level, server.log_format)
    start = AgentStart(options, callers, server, settings, log, is_open=is_open)
    service = start.finish()
    error_console().print(f"The agent decides at {shown_url(start.program)}, from {options.source}", markup=False)
    greet_envoy(start.program)
    return service
