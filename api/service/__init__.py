"""The service put together.

- `routes/`: the table of routes; `upkeep/`: the work beside requests; `observing/`: access log and traces.
- `jobs`: the registry of long work in processes apart.
- `server_parts` and `server_program`: what the service and the agent share.
- `parts`, `app`, `start`: the parts of the service, its application, and its start.
- `write_revisions`: the revision on the answer to a write.
- `session_answers`: answers to people, which no cache keeps.
- `refused_changes`: the wait of a refused change for the other servers.
"""
