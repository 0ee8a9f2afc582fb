"""`writ decide`: requests in, decisions out, line by line, whatever the lines are."""

import json
import subprocess

import pytest
from writ.api.settings.settings import HttpLimits

from tests.support.bundling import bundle_file
from tests.support.command import WRIT, writ
from tests.support.values import deep

DOCUMENT = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"time_window": {"not_before": "2026-01-01T00:00:00Z"}},
        }
    ],
}
ASK = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}


@pytest.fixture
def bundle(tmp_path):
    return bundle_file(DOCUMENT, tmp_path / "model.bundle")


def lines(*requests) -> bytes:
    return "".join(f"{json.dumps(request)}\n" for request in requests).encode()


def test_a_line_with_a_member_twice_is_refused(bundle):
    body = json.dumps(ASK).replace('"id": "alice"', '"id": "bob", "id": "alice"')
    answered = subprocess.run([str(WRIT), "decide", str(bundle)], input=f"{body}\n", capture_output=True, text=True)
    assert answered.returncode == 1
    assert "the member `id` is there twice" in json.loads(answered.stdout)["error"]


def test_decisions_in_order(bundle):
    done = writ("decide", bundle, "--now", "2026-06-01T00:00:00Z", stdin=lines(ASK, {**ASK, "action": {"name": "x"}}))
    assert done.returncode == 0
    assert [json.loads(line)["decision"] for line in done.stdout.splitlines()] == [True, False]


@pytest.mark.parametrize(
    ("now", "decision"),
    [("2025-12-31T23:59:59.999999Z", False), ("2026-01-01T00:00:00Z", True), ("1767225600", True), ("0", False)],
)
def test_the_instant_is_an_option(bundle, now, decision):
    assert json.loads(writ("decide", bundle, "--now", now, stdin=lines(ASK)).stdout)["decision"] is decision


@pytest.mark.parametrize("now", ["yesterday", "nan", "1e30", "2026-01-01"])
def test_an_instant_that_is_none_is_wrong_usage(bundle, now):
    done = writ("decide", bundle, "--now", now, stdin=lines(ASK))
    assert done.returncode == 2
    assert b"RFC 3339" in done.stderr


def test_a_bad_line_is_answered_and_the_rest_goes_on(bundle):
    nested = json.dumps({**ASK, "context": {"a": deep(900, "list")}}).encode()
    bad = [b"{", b"[]", b"{}", b"\xff", b'"\\ud800"', b"NaN", nested, b"x" * (HttpLimits().body_bytes + 1)]
    good = json.dumps(ASK).encode()
    stdin = b"\n".join([good, *bad, b"", b"  ", good])
    done = writ("decide", bundle, "--now", "2026-06-01T00:00:00Z", stdin=stdin)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [answer.get("line") for answer in answers] == [None, *range(2, 2 + len(bad)), None]
    assert all(isinstance(answer["error"], str) for answer in answers[1:-1])
    assert answers[0] == answers[-1]
    assert answers[0]["decision"] is True
    assert done.stderr == b""


def test_a_file_as_input_and_a_last_line_without_an_end(bundle, tmp_path):
    (tmp_path / "requests.jsonl").write_bytes(lines(ASK, ASK).rstrip(b"\n"))
    done = writ("decide", bundle, "--input", tmp_path / "requests.jsonl")
    assert len(done.stdout.splitlines()) == 2


def test_an_answer_does_not_wait_for_the_next_request(bundle):
    """A program at the other end of both pipes asks its second question after it has read the first answer."""
    with subprocess.Popen([WRIT, "decide", str(bundle)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(lines(ASK))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["decision"] is True
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def test_a_reader_that_goes_away_is_no_crash(bundle, tmp_path):
    (tmp_path / "requests.jsonl").write_bytes(lines(*[ASK] * 20_000))
    command = f"{WRIT} decide {bundle} --input {tmp_path / 'requests.jsonl'} | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, check=False)
    assert done.stderr == b""
    assert len(done.stdout.splitlines()) == 1


def test_memory_does_not_grow_with_the_number_of_requests(bundle, tmp_path):
    peaks = []
    for count in (2_000, 60_000):
        (tmp_path / "requests.jsonl").write_bytes(lines(*[ASK] * count))
        code = (
            "import resource, subprocess, sys; "
            f"subprocess.run([{str(WRIT)!r}, 'decide', {str(bundle)!r}, '--input', "
            f"{str(tmp_path / 'requests.jsonl')!r}], stdout=subprocess.DEVNULL, check=True); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        done = subprocess.run(["python3", "-c", code], capture_output=True, text=True, timeout=100, check=True)
        peaks.append(int(done.stdout))
    few, many = peaks
    assert many < few * 1.3


def test_a_model_in_place_of_a_bundle_is_told_the_way(tmp_path):
    (tmp_path / "model.yaml").write_text("model: 1\n")
    for command in ("decide", "inspect"):
        done = writ(command, "model.yaml", cwd=tmp_path)
        assert done.returncode != 0
        assert done.stderr.endswith(b"; compile the model document with `writ compile`\n")


def test_what_can_not_be_read_is_exit_code_2(tmp_path, bundle):
    (tmp_path / "foreign").write_bytes(b"something else")
    for arguments in (("none.bundle",), ("foreign",), (bundle, "--input", "none.jsonl")):
        done = writ("decide", *arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith(b"Error: ")
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("now", ["2030", "2030.0", "20300131"])
@pytest.mark.parametrize("command", ["decide", "explain"])
def test_a_year_is_no_instant(bundle, command, now):
    """As epoch seconds, it would be in 1970."""
    done = writ(command, bundle, "--now", now, stdin=json.dumps(ASK).encode())
    assert done.returncode == 2
    assert f"`{now.partition('.')[0]}` would be seconds after 1970-01-01: write an instant" in done.stderr.decode()
