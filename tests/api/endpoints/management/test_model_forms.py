"""The whole model as text and as YAML: what was put is given back, and faults have their line."""

import pytest
import yaml

from tests.api.endpoints.management.test_whole_model import DOCUMENT, MODEL, lists_of
from tests.support.managed import Managed

TEXT = "application/vnd.writ.policy"
YAML = "application/yaml"


def test_text_is_given_and_taken(service: Managed) -> None:
    service.simulate_put(MODEL, json=DOCUMENT)
    text = service.simulate_get(MODEL, headers={"Accept": TEXT})
    assert (text.headers["Content-Type"], text.headers["Vary"]) == (TEXT, "Accept")
    put = service.simulate_put(MODEL, body=text.text, headers={"Content-Type": TEXT})
    assert put.json["changes"] == {}
    assert lists_of(service.simulate_get(MODEL).json) == lists_of(DOCUMENT)


def test_yaml_is_given(service: Managed) -> None:
    service.simulate_put(MODEL, json=DOCUMENT)
    told = service.simulate_get(MODEL, headers={"Accept": f"{YAML}, application/json;q=0.1"})
    assert told.headers["Content-Type"] == YAML
    assert lists_of(yaml.safe_load(told.text)) == lists_of(DOCUMENT)


@pytest.mark.parametrize("accept", ["*/*", "application/*", "text/html", ""])
def test_any_other_wish_gets_json(service: Managed, accept: str) -> None:
    assert service.simulate_get(MODEL, headers={"Accept": accept}).headers["Content-Type"] == "application/json"


def test_a_fault_has_its_line(service: Managed) -> None:
    text = "type document\n    actions read\npolicy p\n    permit everyone to read document\nrole a\nrole a\n"
    told = service.simulate_put(MODEL, body=text, headers={"Content-Type": TEXT})
    assert told.status_code == 400
    places = [(one["code"], one["line"], one["column"]) for one in told.json["details"]]
    assert places == [("syntax", 4, 5), ("duplicate-id", 6, 6)]
    found = service.simulate_put(MODEL, body="model: 1\nroles: [{id: 3}]\n", headers={"Content-Type": YAML})
    assert (found.json["details"][0]["line"], found.json["details"][0]["column"]) == (2, 14)
    assert "line" not in service.simulate_put(MODEL, json={"model": 1, "roles": [{"id": 3}]}).json["details"][0]


def test_an_earlier_revision_as_text(service: Managed) -> None:
    headers = {"Content-Type": TEXT}
    service.simulate_put(MODEL, body="role a\n", headers=headers)
    service.simulate_put(MODEL, body="role b\n", headers=headers)
    assert service.simulate_get(f"{MODEL}?revision=1", headers={"Accept": TEXT}).text == "role a\n"
