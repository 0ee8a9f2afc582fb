"""The endpoints answer what a caller asks for, over HTTP and gRPC.

- `management/` reads and changes environments, their models and credentials.
- `errors` turns an error into an answer.
- `decisions/` answers evaluations and searches.
- `tokens/` issues and revokes access tokens.
- `previewing/` runs policy tests and previews changes.
- `metrics_page/` answers Prometheus.
- `insight/` shows and explains an environment.
- `gateway/` answers gateways.
- `sign_in/` signs people in to the console, and ends their sessions.
"""
