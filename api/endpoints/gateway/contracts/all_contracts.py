"""The table of contracts, by the name in the path."""

from typing import Final

from .apisix import APISIX
from .caddy import CADDY
from .contract import Contract
from .envoy import ENVOY
from .nginx import NGINX
from .traefik import TRAEFIK

CONTRACTS: Final[dict[str, Contract]] = {one.name: one for one in (ENVOY, NGINX, TRAEFIK, CADDY, APISIX)}
"""Every gateway that Writ has a contract with."""
