"""Traefik's `forwardAuth` middleware. It lets through what is answered 2xx."""

from .contract import forwarding

TRAEFIK = forwarding("traefik")
