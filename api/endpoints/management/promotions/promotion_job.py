"""Carries out promotions as a job, since comparing large policy models would delay decisions."""

from typing import Final, Literal

import msgspec
from msgspec.structs import asdict

from ....engines.jobs.job import Job, JobCall
from ....review.people.people_answer import PeopleAnswer
from ....review.testing.tests_gate import GateOutcome, failing_tests
from ....store.actor import Actor
from ....store.promotions.promotion import Preview, Promotion, Wanted
from ....store.promotions.promotions import Promotions
from .promotion_shapes import PreviewAnswer


class TakeoverRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request for a takeover in the environment `env`, on behalf of `actor`.

    `revision` is the one to restore, or None to promote `wanted.source`. `administers` says whether the actor is an
    admin. `approves` is the id of a promotion to approve, whose digest is `wanted.expect_digest`. `people` says who
    gains and who loses, for the answer and the record, and `tests` are the target's on what the preview is about.
    """

    env: str
    actor: Actor
    wanted: Wanted
    dry_run: bool = False
    revision: int | None = None
    administers: bool = True
    approves: str | None = None
    people: PeopleAnswer | None = None
    tests: GateOutcome | None = None


class PromotionAnswer(msgspec.Struct, frozen=True):
    """The answer as JSON, the status of the promotion or `previewed`, and its id."""

    answer: msgspec.Raw
    status: Literal["pending", "done", "rejected", "previewed"] = "previewed"
    id: str = ""


def take_over(call: JobCall[TakeoverRequest]) -> PromotionAnswer:
    """Promotes, approves, restores or previews. Raises as the method of `Promotions`."""
    done, asked = _done(call.store.promotions, call.request), call.request
    if isinstance(done, Preview):
        preview = PreviewAnswer(**asdict(done), people=asked.people, tests=asked.tests)
        return PromotionAnswer(msgspec.Raw(msgspec.json.encode(preview)))
    return PromotionAnswer(msgspec.Raw(msgspec.json.encode(done)), done.status, done.id)


def _done(promotions: Promotions, request: TakeoverRequest) -> Preview | Promotion:
    env, actor, wanted = request.env, request.actor, request.wanted
    people = msgspec.json.encode(request.people)
    if request.approves is not None:
        return promotions.approve(env, actor, request.approves, wanted.expect_digest, people, failing_tests)
    if request.revision is None:
        if request.dry_run:
            return promotions.preview(env, actor, wanted)
        return promotions.promote(env, actor, wanted, people, failing_tests)
    if request.dry_run:
        return promotions.preview_restoration(env, actor, request.revision, wanted)
    return promotions.restore(env, actor, request.revision, wanted, request.administers, people)


TAKEOVER: Final = Job(
    f"{__name__}:TAKEOVER",
    take_over,
    TakeoverRequest,
    PromotionAnswer,
    task="promotes",
    afterwards="look at the promotions whether it is in force",
    holds_lock=lambda request: not request.dry_run,
    is_question=lambda request: request.dry_run,
)
