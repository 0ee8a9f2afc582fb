"""The service: everything outside the decision itself. HTTP, command line, store, network, clock and environment.

Read from the top down; each room imports only rooms below it.

- `cli` has the commands that a person types, and the demo organisation.
- `agent` is the edge agent, and follows bundles for applications.
- `service` puts the application together: its routes, its upkeep and what observes it. It has what both servers share.
- `endpoints` answer what a caller asks for.
- `engines` lead from a commit to an engine in force, and to exported and published bundles.
- `console` has the pages for browsers.
- `identity` says who the caller is.
- `review` tells what would happen: policy tests, replay, and policies in words.
- `server` is the server itself: workers, connections, deadlines, TLS.
- `telemetry` has metrics, the decision log and log lines.
- `http` reads requests, writes answers, and describes the endpoints.
- `store` has all SQL.
- `settings` has the one table of `WRIT_` variables.
"""
