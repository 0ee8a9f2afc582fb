"""Caddy's `forward_auth` directive. It lets through what is answered 2xx."""

from .contract import forwarding

CADDY = forwarding("caddy")
