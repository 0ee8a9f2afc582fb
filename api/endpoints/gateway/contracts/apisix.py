"""Apache APISIX's `forward-auth` plugin. It lets through what is answered below 300."""

from .contract import forwarding

APISIX = forwarding("apisix")
