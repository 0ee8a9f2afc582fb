"""The service starts one template process, which its workers share."""

import os
import signal
from pathlib import Path

from tests.support.processes import children, is_alive, templates
from tests.support.server import running
from tests.support.waiting import wait_until

LINTS = "/v1/environments/default/lints"


def test_the_workers_of_a_service_share_a_template(tmp_path: Path) -> None:
    with running(tmp_path / "data", workers=2) as server, server.client() as client:
        (template,) = templates(server.process.pid)
        assert client.get(LINTS).status_code == 200
        sockets = [os.readlink(one) for one in Path(f"/proc/{template}/fd").iterdir()]
        assert sum(name.startswith("socket:") for name in sockets) == 1, "and none that listens"
        assert not [name for name in sockets if f"{tmp_path}/data/" in name], "nothing of the data directory"
        os.kill(template, signal.SIGTERM)
        workers = children(server.process.pid)
        assert [templates(worker) for worker in workers] == [[], []]
        assert is_alive(template)
        os.kill(template, signal.SIGKILL)
        assert wait_until(lambda: not is_alive(template))
        model = {"model": 1, "roles": [{"id": "r"}]}
        for dry_run in ("true", "false"):
            path = f"/v1/environments/default/model?dry_run={dry_run}"
            assert client.put(path, json=model).status_code == 200
        started = [template for worker in workers for template in templates(worker)]
        assert started, "a worker starts one of its own"
    assert wait_until(lambda: not any(map(is_alive, started)))
