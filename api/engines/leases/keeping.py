"""The process that keeps a server's lease: `main`. It ends when the server has ended, or says so."""

import os
import signal
import socket
import sys
from pathlib import Path

import msgspec

from ...store.database.commit_signal import CommitSignal
from ...store.database.postgresql.connections import folder_id
from ...store.duties.candidate import UPKEEP, Candidate
from ...store.duties.kept_duty import KeptDuty
from ...store.leases.keeper import Keeper
from ...store.leases.lease_cell import LeaseCell, boot_ns
from ...store.leases.lease_connection import connecting
from ...store.leases.trace import Trace
from ...telemetry.log import service_log
from ..jobs.job_messages import Ended, received
from .keeper_request import KeeperRequest


def main() -> None:
    """Keep a lease. The command line has the file descriptors of its cell, its channel and the commit signal."""
    # A service manager tells all processes of a service to stop. The workers still need the lease to answer.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    cell, channel = LeaseCell(int(sys.argv[1])), socket.socket(fileno=int(sys.argv[2]))
    try:
        request = msgspec.json.decode(received(channel), type=KeeperRequest)
    except Ended:
        sys.exit("the server has ended")
    log = service_log("info", request.log_format)
    connect, tells = connecting(request.url, request.seconds), CommitSignal(int(sys.argv[3]))
    directory = Path(request.directory)
    trace, folder = Trace(directory), folder_id(directory)
    duty = KeptDuty(Candidate(UPKEEP, request.id, request.name, request.seconds), cell)
    keeper = Keeper(request.id, connect, tells.send, cell, log, request.seconds, boot_ns, duty, trace, folder)
    keeper.start()
    channel.recv(1)  # nothing comes: it ends
    keeper.stop()
    os._exit(0)  # the thread may still wait for the database
