"""Sockets, connections and worker processes: from bytes on the wire to the application, and back.

Reading path: `listening` → `server` → `supervision` (the master) → `worker` → `shares` → `acceptor` →
`connection_queues` → `connection`, with its `owner` → `request_parser` and `refusal` → `known_head` and `lane_calls`
(the decision lane) and `exchange` (the application) → `response_head` and `outlet` → `deadline`; beside them `tls`.
"""
