"""The tables of the pages are those of the code: settings, events, filters, members, messages."""

import re
from dataclasses import fields

import pytest
from msgspec.structs import fields as members
from writ.api.service.jobs import JOBS
from writ.api.settings.settings import HttpLimits, settings_from, show_settings
from writ.api.store.audit.events import Event
from writ.api.store.finding.listing import FILTERS
from writ.api.store.finding.orders import SORTS
from writ.api.telemetry.metrics.page_table import show_metrics
from writ.bundles.extensions import EXTENSIONS
from writ.compiler.model.elements import (
    LISTS,
    SINGLE_MEMBERS,
    AttributeDeclaration,
    Conditions,
    RateLimit,
    TimeWindow,
)

from tests.support.messages import messages
from tests.support.pages import page

MODEL, HTTP = page("compiler/MODEL.md"), page("api/HTTP.md")
REFERENCE, TROUBLE = page("api/REFERENCE.md"), page("api/TROUBLE.md")


def test_every_limit_is_listed_with_its_default():
    listed = dict(re.findall(r"\| `(WRIT_\w+)` \| (\d+) \|", REFERENCE.between("settings")))
    named = {one.variable for row in fields(HttpLimits) for one in row.metadata.values()}
    limits = {variable: value for variable, value in listed.items() if variable in named}
    assert settings_from(limits).limits == HttpLimits()
    assert len(limits) == len(fields(HttpLimits))


def test_the_table_of_settings_is_that_of_the_code(request):
    """`--update-golden` writes it."""
    assert REFERENCE.is_generated("settings", show_settings(), request.config.getoption("--update-golden"))


def test_the_table_of_metrics_is_that_of_the_code(request):
    """`--update-golden` writes it."""
    assert REFERENCE.is_generated("metrics", show_metrics(), request.config.getoption("--update-golden"))


def test_every_event_of_the_audit_log_is_told():
    assert set(re.findall(r"`([a-z_]+\.[a-z_]+)`", HTTP.section("Read the audit log"))) == set(Event)


def test_every_filter_of_a_list_is_told():
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", HTTP.section("Filter a list"), re.MULTILINE)
    told = {kind.replace("-", "_"): set(re.findall(r"`([^`]+)`", filters)) for kind, filters in rows}
    assert told == {kind: set(filters) for kind, filters in FILTERS.items() if kind not in SINGLE_MEMBERS | {"lints"}}


def test_every_order_of_a_list_is_told():
    rows = re.findall(r"^\| (`[a-z-]+`.*) \| (.*) \|$", HTTP.section("Sort a list"), re.MULTILINE)
    told = {
        kind: re.findall(r"`([^`]+)`", orders) for kinds, orders in rows for kind in re.findall(r"`([^`]+)`", kinds)
    }
    assert told == {kind.replace("_", "-"): list(orders) for kind, orders in SORTS.items()}


@pytest.mark.parametrize(
    ("title", "element"),
    [
        *((f"`{name}`", element) for name, element in LISTS.items() if name not in ("extensions", "requests")),
        ("`time_window`", TimeWindow),
        ("`rate_limit`", RateLimit),
        ("`kind`, `one_of`, `required`", AttributeDeclaration),
    ],
)
def test_every_member_of_the_model_is_told(title, element):
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", MODEL.section(title), re.MULTILINE)
    told = {name: required == "yes" for names, required in rows for name in re.findall(r"`(\w+)`", names)}
    assert told == {member.encode_name: member.required for member in members(element)}


def test_every_extension_is_told():
    assert set(re.findall(r"^\| `(\w+)` \|", MODEL.section("`extensions`"), re.MULTILINE)) == set(EXTENSIONS)


def test_every_section_of_conditions_is_told():
    told = re.findall(r"^\| `(\w+)` \|", MODEL.section("Conditions").partition("###")[0], re.MULTILINE)
    assert set(told) == {member.encode_name for member in members(Conditions)}


def test_the_messages_of_the_page_on_trouble_are_those_of_the_code():
    ends = [text for text in messages() if text.startswith(("ended early", "took longer than", "needs more than"))]
    said = messages() | {job.failure(end) for job in JOBS for end in ends}
    told = re.findall(r"^\| `(.*?)` \|", TROUBLE.text, re.MULTILINE)
    assert len(told) > 30
    assert [message for message in told if not any(_pattern(message).search(one) for one in said)] == []


def _pattern(message):
    """`…` stands for anything."""
    return re.compile(".*".join(re.escape(part.strip()) for part in message.split("…") if part.strip()))
