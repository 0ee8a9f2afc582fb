"""The counters of exports, with more agents than are counted apart."""

import pytest
from writ.api.engines.exports import export_counts
from writ.api.engines.exports.export_counts import Exports
from writ.api.store.actor import Actor
from writ.api.store.environments import Environment

ENV = Environment(1, "11111111-2222-3333-4444-555555555555", "prod", False, 1, 7, "2027-01-01T00:00:00Z")


def test_a_credential_with_many_addresses_writes_few_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else thousands of agents behind one key would write an entry each at every change."""
    monkeypatch.setattr(export_counts, "MOST_KINDS", 3)
    exports = Exports(lambda: 0.0)
    agents = [Actor("key:agents", address=f"10.0.0.{number}") for number in range(50)]
    entries = [exports.counted(agent, ENV, "update", "2027-01-01T00:00:00Z") for agent in agents * 2]
    assert len([one for one in entries if one is not None]) == 4
    taken = exports.take()
    assert sum(taken.values()) == 96
    assert {export.address for _, export in taken} == {"10.0.0.0", "10.0.0.1", "10.0.0.2", ""}
