"""A gateway's request, as it came over HTTP or gRPC."""

from msgspec import Struct

from .contracts.contract import Contract
from .headers import Headers


class GatewayQuestion(Struct, frozen=True, gc=False):
    """A gateway's request. `below` is its raw target below the path of the contract, `peer` the address it is from.

    `own` are the fields with the gateway's own credential. A contract over HTTP has it among the `headers`. `strays` is
    whether `below` has a dot segment: a proxy that resolves it may have let through a path that it refuses to everyone.
    `id` is that of the request. A made one is in none of the headers.
    """

    contract: Contract
    env: str
    below: str
    method: str
    headers: Headers
    peer: str
    own: Headers
    strays: bool
    id: bytes
