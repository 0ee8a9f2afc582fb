"""The service: everything outside the decision itself. HTTP, command line, store, network, clock and environment.

`previewing` tells what changes would do, with `testing`, which runs policy tests, and `replaying`, which answers logged
requests again.

Read from the top down; each room imports only what stands below it.

- `cli` has the commands, and `demo` the demo organisation. `audit_upkeep` maintains the audit log while Writ runs, and
  `use_upkeep` stores when credentials were last used.
- `app` puts the application together, from the one table of `routes`. `console` has the page for browsers.
- `transport` is the server: workers, connections, deadlines, TLS.
- `agent` follows the bundle of an environment, for edge agents and for applications.
- `errors` turns errors into answers.
- `decisions` and `management` have the endpoints, and `insight` those for tools that show an environment. `previewing`
  tells what changes would do.
- `testing` runs policy tests, and `replaying` answers logged requests again.
- `credentials` says who the caller is. `serving` keeps the live engines and their bundles.
- `metrics` counts what a server does, and `scraping` answers `/metrics`.
- `openapi` describes the endpoints. `http` reads requests. `wording` says in words what a policy or a decision means.
  `store` has all SQL.
- `log`, `settings` and `setting_readers` have the log and the table of `WRIT_` variables.
"""
