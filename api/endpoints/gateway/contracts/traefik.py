"""Traefik's `forwardAuth` middleware. It lets through what is answered 2xx."""

from .contract import Contract, forwarded

TRAEFIK = Contract("traefik", forwarded)
