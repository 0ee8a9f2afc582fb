"""The contracts with gateways: which headers each one sends when it asks, and which answers it understands.

Reading path: `contract` → `apisix`, `caddy`, `envoy`, `nginx`, `traefik` → `all_contracts`.
"""
