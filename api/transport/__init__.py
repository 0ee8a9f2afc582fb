"""Sockets, connections and worker processes: from bytes on the wire to the application, and back.

Reading path: `listening` → `server` → `worker` → `connection` → `body_deadline` → `wire_answers`; `tls` beside them.
"""
