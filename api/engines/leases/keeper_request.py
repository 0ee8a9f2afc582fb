"""The request to the process that keeps a server's lease, sent at its start."""

import msgspec


class KeeperRequest(msgspec.Struct, frozen=True):
    """Whose lease is kept: the `id` of the server, the `url` of the database, and the `seconds` of a lease.

    `name` is that of the server in messages of others. `log_format` is that of the server's log.
    `directory` is its data directory.
    """

    id: str
    name: str
    url: str
    seconds: float
    log_format: str
    directory: str
