"""The template process: it imports the modules of jobs, opens nothing, and forks itself for each job.

It has one thread. It ends when the last process of the service has closed the other end of its socket.
"""

import gc
import os
import signal
import socket
import sys
import traceback
from typing import Final

from .body import run_body
from .job import find_job

MOST_BYTES: Final = 1_024
"""The most bytes of the place of a job."""

_MOST_FILES: Final = 2


def main() -> None:
    """Serve until the service has ended. The command line has the number of the socket, and the places of jobs."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # it must not end before the service
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets jobs that ended
    inbox = socket.socket(fileno=int(sys.argv[1]))
    for place in sys.argv[2:]:
        find_job(place)
    gc.collect()
    gc.freeze()  # so that the cycle search of a job does not copy the pages
    while _serve_one(inbox):
        pass


def _serve_one(inbox: socket.socket) -> bool:
    """Wait for a job, and start it. Returns False if there will be none any more."""
    place, files, _, _ = socket.recv_fds(inbox, MOST_BYTES, _MOST_FILES, socket.MSG_CMSG_CLOEXEC)
    if not place:
        return False
    try:
        job = find_job(place.decode())
        if os.fork() == 0:
            inbox.close()  # else the service would not notice the end of the template
            run_body(job, files)
    except (ImportError, AttributeError, TypeError, OSError):
        traceback.print_exc()  # the service notices that the channel is closed
    finally:
        for file in files:
            os.close(file)
    return True
