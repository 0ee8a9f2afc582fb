"""A command `writ` for shell scripts, which this process forks: a script would spend most of its time on imports."""

import json
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Final

from tests.support.forks import Forked, Line
from tests.support.waiting import PATIENCE_SECONDS

_STREAMS: Final = 3
_WRIT: Final = """\
#!{python} -ISE
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as asked:
    asked.connect({address!r})
    socket.send_fds(asked, [b"3"], [0, 1, 2])
    asked.sendall(json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode())
    asked.shutdown(socket.SHUT_WR)
    code = int(asked.recv(9))
if code < 0:
    os.kill(os.getpid(), -code)
os._exit(code)
"""


@contextmanager
def forked_writ() -> Iterator[Path]:
    """Returns a folder for the front of `PATH`: the `writ` in it ends as the command in the fork does."""
    with TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        address = f"{folder}/asked"
        listener.bind(address)
        listener.listen()
        program = Path(folder) / "writ"
        program.write_text(_WRIT.format(python=sys.executable, address=address))
        program.chmod(0o700)
        answering = Thread(target=_answer_all, args=(listener,))
        answering.start()
        try:
            yield Path(folder)
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            answering.join()


def _answer_all(listener: socket.socket) -> None:
    """Run the commands that scripts ask for, until the listener ends. Commands of one pipe run at the same time."""
    running = []
    while (asked := _accepted(listener)) is not None:
        running.append(Thread(target=_answer, args=(asked,)))
        running[-1].start()
    for one in running:
        one.join()


def _accepted(listener: socket.socket) -> socket.socket | None:
    try:
        return listener.accept()[0]
    except OSError:  # it was shut down
        return None


def _answer(asked: socket.socket) -> None:
    with asked:
        streams = [Connection(one) for one in socket.recv_fds(asked, 1, _STREAMS)[1]]
        with asked.makefile("rb") as words:
            arguments, cwd, environment = json.load(words)
        command = Forked(Line(arguments, *streams, Path(cwd), environment))
        for one in streams:
            one.close()
        try:
            asked.sendall(str(command.wait(PATIENCE_SECONDS)).encode())
        finally:
            command.kill()
