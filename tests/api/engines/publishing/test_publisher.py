"""Publishing: what stands in the folder after each publication, and what is refused."""

import logging
import os
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from writ.api.engines.exports.callers_list import CallersLists
from writ.api.engines.exports.make import ExportMaker
from writ.api.engines.publishing.content import (
    GRACE_SECONDS,
    KEPT_MANIFESTS,
    KEPT_UPDATES,
    MOST_UPDATES,
    ContentMaker,
    _with_retired,
)
from writ.api.engines.publishing.publisher import HEARTBEAT_SECONDS, TIDY_SECONDS, ForeignTarget, Publisher
from writ.api.engines.publishing.publishing_target import PublishingTarget, TargetFailed, shown
from writ.api.identity.keys.bundle_keys import bundle_signing_key
from writ.api.identity.keys.folder import BUNDLE_FOLDER, FOLDER, KeyFolder
from writ.api.identity.keys.ring import KeyRing
from writ.api.identity.keys.signing_keys import Keys, read_keys
from writ.api.store.credentials.credentials import ClientSpec
from writ.api.store.elements.edits import Create
from writ.api.store.store import Store
from writ.bundles.feed.callers import name_of, verified_callers
from writ.bundles.feed.index import (
    INDEX_FILE,
    LONGEST_INDEX,
    PublishedFile,
    PublishedUpdate,
    Retired,
    sign_index,
)
from writ.bundles.feed.position import position_of
from writ.bundles.signing.pem_keys import SigningKey
from writ.bundles.signing.sign import DAY

from tests.support.closing import closed_later
from tests.support.published import PublishedFolder
from tests.support.signed import KEY
from tests.support.stored import ACTOR, source

START = 1_800_000_000.0
LOG = logging.getLogger("tests")
URL = "https://writ.example"


class Publishing:
    """A store, and a publisher of its default environment with a clock that tests set."""

    def __init__(self, folder: Path, environment: str = "default") -> None:
        self.directory, self.environment, self.now = folder / "data", environment, START
        self.directory.mkdir(exist_ok=True)
        self.store = closed_later(Store.open(self.directory, clock=lambda: self.now))
        self.keys = KeyFolder(self.directory, BUNDLE_FOLDER, lambda: self.now)
        KeyFolder(self.directory, FOLDER, lambda: self.now).make_first("EdDSA")
        self.folder = folder / "published"
        self.publisher = self.publishing_to(str(self.folder))

    def publishing_to(self, url: str) -> Publisher:
        """A publisher of this store to another place."""
        ring = KeyRing(KeyFolder(self.directory, FOLDER), LOG)
        maker = ExportMaker(self.directory, self.store, lambda: self.now)
        lists = CallersLists(ring, URL)
        content = ContentMaker(self.store, maker, lists, 30 * DAY, lambda: self.now)
        return Publisher(self.directory, self.store, PublishingTarget(url), content, self._keys, lambda: self.now)

    def _keys(self) -> tuple[SigningKey, list[bytes]]:
        return bundle_signing_key(self.keys, Keys({}, None)), self.pems  # type: ignore[arg-type]

    @property
    def pems(self) -> list[bytes]:
        """The public keys of bundles."""
        return [key.public_pem() for key in read_keys(self.keys.pems())[0].verifying.values()]

    def publish(self, at_once: bool = True) -> bool:
        """Publish, check what is there, and tell whether the index is new."""
        done = self.publisher.publish(self.environment, at_once)
        assert self.read().check() == done.index
        return done.is_new

    def read(self) -> PublishedFolder:
        """The published folder, as a follower sees it now."""
        return PublishedFolder(str(self.folder), self.pems, self.now)

    def add_role(self, id: str) -> None:
        """One more revision, with a delta."""
        self.store.write(self.environment, ACTOR, [Create("roles", {"id": id})])

    def add_many_roles(self, count: int) -> None:
        """One more revision, without a delta."""
        roles = [{"id": f"many{number}"} for number in range(count)]
        self.store.put_model(self.environment, ACTOR, [source({"roles": roles})])


@pytest.fixture
def service(tmp_path: Path) -> Publishing:
    return Publishing(tmp_path)


def test_followers_of_every_publication_get_to_the_newest_revision(tmp_path: Path) -> None:
    """By updates alone, as long as deltas lead on; else from the new bundle."""
    service, random = Publishing(tmp_path), Random(14)
    service.publish()
    index = service.read().index()
    positions = [service.read().bundle(index.bundle, index)[1]]
    for turn in range(12):
        for number in range(random.randint(0, 3)):
            service.add_role(f"r{turn}-{number}")
        service.now += random.choice([1.0, 100.0, 16 * DAY if turn == 6 else 10.0])
        service.publish()
        folder, index = service.read(), service.read().index()
        assert index.revision == service.store.environment("default").revision
        for position in positions:
            folder.deltas(index, position)
        positions.append(positions[0]._replace(revision=index.revision))
        if turn == 8:
            assert folder.engine().revision == index.revision


def test_a_change_without_a_delta_publishes_a_new_bundle(service: Publishing) -> None:
    service.add_role("r")
    service.publish()
    before = service.read().index()
    service.add_many_roles(1_500)
    service.publish()
    after = service.read().index()
    assert after.bundle.revision == after.revision == before.revision + 1
    assert after.updates == ()
    assert [one.name for one in after.retired] == [file.name for file in before.files() if file not in after.files()]


def test_an_index_without_news_stays_until_its_heartbeat(service: Publishing) -> None:
    assert service.publish()
    service.now += HEARTBEAT_SECONDS - 1
    assert not service.publish(at_once=False)
    service.now += 1
    assert service.publish(at_once=False)
    service.add_role("r")
    assert service.publish(at_once=False)


def test_a_bundle_is_published_anew_after_half_its_life(service: Publishing) -> None:
    service.publish()
    first = service.read().index().bundle
    service.now += 16 * DAY
    service.publish()
    second = service.read().index().bundle
    assert (second.revision, second.manifest) == (first.revision, first.manifest)
    assert second.expires > first.expires


def test_new_updates_fit_the_bundles_before(service: Publishing) -> None:
    """A follower need not load every new bundle."""
    service.add_role("r")
    service.publish()
    index = service.read().index()
    _, position = service.read().bundle(index.bundle, index)
    for number in range(KEPT_MANIFESTS + 1):
        service.now += 16 * DAY
        service.add_role(f"r{number}")
        service.publish()
        newest = service.read().index()
        assert len(newest.manifests) == min(number + 2, KEPT_MANIFESTS)
        if number == 1:
            assert [delta.revision for delta in service.read().deltas(newest, position)] == [2, 3]
    assert newest.updates[0].parent > 1, "the oldest updates have expired"


def test_files_that_no_index_names_stay_for_a_while(service: Publishing) -> None:
    service.publish()
    old = {file.name for file in service.read().index().files()}
    service.now += 16 * DAY
    service.publish()
    assert old < service.read().names()
    service.now += GRACE_SECONDS - 1
    service.publish()
    assert old < service.read().names()
    service.now += 1
    service.publish()
    kept = {file.name for file in service.read().index().files()} | {INDEX_FILE}
    assert service.read().names() == kept


def test_what_a_killed_publisher_left_behind_is_removed(service: Publishing) -> None:
    service.publish()
    left = service.folder / "1-0-0123456789abcdef.bundle"
    others = service.folder / "readme.txt"
    for path in (left, others):
        path.write_bytes(b"x")
        os.utime(path, (service.now - GRACE_SECONDS, service.now - GRACE_SECONDS))
    young = service.folder / "1-0-0123456789abcdee.bundle"
    young.write_bytes(b"x")
    os.utime(young, (service.now + TIDY_SECONDS, service.now + TIDY_SECONDS))
    service.now += TIDY_SECONDS
    service.publish()
    assert not left.exists()
    assert young.exists()
    assert others.exists()


def test_the_list_of_callers_is_published_and_follows_each_change(service: Publishing) -> None:
    client = service.store.credentials.add_client(ACTOR, ClientSpec("app", ["read"], 60), bytes(32))
    service.publish()
    first = service.read().index().callers
    assert first is not None
    callers = verified_callers(service.read().content(first), service.pems, service.now)
    assert callers.clients == (name_of(client.id),)
    assert callers.issuer == URL
    service.publish()
    assert service.read().index().callers == first
    service.store.credentials.revoke_client(ACTOR, client.id)
    assert service.publish(at_once=False)
    second = service.read().index().callers
    assert second is not None
    later = verified_callers(service.read().content(second), service.pems, service.now)
    later.check_follows(callers.environment.uuid, callers)
    assert later.clients == ()


def test_a_new_key_signs_everything_anew(service: Publishing) -> None:
    service.publish()
    service.keys.rotate("EdDSA", distrust_old=True)
    with pytest.raises(ForeignTarget, match="did not write"):
        service.publish()
    (service.folder / INDEX_FILE).unlink()
    service.publish()


def test_a_second_key_signs_the_next_bundle(service: Publishing) -> None:
    service.publish()
    service.keys.rotate("EdDSA", distrust_old=False)
    service.publish()
    service.read().pems = service.pems[:1]
    only = PublishedFolder(str(service.folder), service.pems[:1], service.now)
    only.check()


def test_a_folder_of_somebody_else_is_left_alone(service: Publishing, tmp_path: Path) -> None:
    service.store.create_environment(ACTOR, "other")
    service.publish()
    before = (service.folder / INDEX_FILE).read_bytes()
    with pytest.raises(ForeignTarget, match="publish each environment to its own folder"):
        service.publisher.publish("other")
    (tmp_path / "second").mkdir()
    with pytest.raises(ForeignTarget, match="did not write"):
        Publishing(tmp_path / "second").publishing_to(str(service.folder)).publish("default")
    assert (service.folder / INDEX_FILE).read_bytes() == before
    (service.folder / INDEX_FILE).write_bytes(b"junk")
    with pytest.raises(ForeignTarget, match="did not write"):
        service.publish()


def test_a_store_never_publishes_something_older(service: Publishing, tmp_path: Path) -> None:
    service.store.backup(tmp_path / "copy")
    service.add_role("r")
    service.publish()
    service.store.close()
    for file in service.directory.glob("writ.db*"):
        file.unlink()
    (tmp_path / "copy").rename(service.directory / "writ.db")
    service.store = service.publisher.store = Store.open(service.directory, clock=lambda: service.now)
    with pytest.raises(ForeignTarget, match="newer than this store"):
        service.publisher.publish("default")


def test_a_bundle_follows_only_its_own_environment(service: Publishing) -> None:
    service.add_role("r")
    service.publish()
    index = service.read().index()
    bundle, position = service.read().bundle(index.bundle, index)
    assert position == position_of(bundle)
    assert index.environment.uuid == service.store.environment("default").uuid


@pytest.mark.parametrize("url", ["nothing://bucket/folder", "s3:///", "file:///proc/nowhere"])
def test_a_target_that_can_not_be_written_is_one_sentence(service: Publishing, url: str) -> None:
    with pytest.raises(TargetFailed) as found:
        service.publishing_to(url).publish("default")
    assert "\n" not in str(found.value)


def test_an_index_stays_short_enough_for_its_readers(service: Publishing) -> None:
    """Updates every second, for an hour: more files than an index may name have just been retired."""
    service.publish()
    index = service.read().index()
    names = (f"1-{number}-{number + 1}-0123456789abcdef.update" for number in range(100_000, 118_000))
    busy = replace(index, retired=tuple(Retired(name, int(START) + place // 5) for place, name in enumerate(names)))
    after = _with_retired(index, busy, int(START) + 3_599)
    assert after.retired == busy.retired[-len(after.retired) :]
    update = PublishedUpdate(
        PublishedFile(f"1-1000000-1000001-{'0' * 16}.update", 10**6, "0" * 64), 10**6, 10**6, 10**10
    )
    longest = replace(after, updates=(update,) * (MOST_UPDATES + KEPT_UPDATES + 2))
    assert len(sign_index(longest, KEY)) < LONGEST_INDEX


def test_readers_accept_the_index_after_one_that_was_removed(service: Publishing) -> None:
    service.publish()
    service.now += 100
    service.publish()
    before = service.read().index()
    (service.folder / INDEX_FILE).unlink()
    service.now += 10
    service.publish()
    service.read().index().check_follows(before.environment.uuid, before)


def test_a_file_that_a_killed_publisher_wrote_in_part_is_removed_later(service: Publishing) -> None:
    service.publish()
    left, other = service.folder / ".0123456789abcdef.unfinished", service.folder / ".htaccess"
    for path in (left, other):
        path.write_bytes(b"")
        os.utime(path, (service.now, service.now))
    service.now += TIDY_SECONDS + 1
    service.publish()
    assert (left.exists(), other.exists()) == (False, True)


@pytest.mark.parametrize(
    "url",
    [
        "s3://key:sekret@bucket/folder",
        "s3://key:se/sekret@bucket/folder",
        "zip://x.zip::https://user:sekret@127.0.0.1:1/a.zip",
        "https://user:sekret@127.0.0.1:1/x?sig=sekret",
    ],
)
def test_no_credential_of_a_url_is_told(url: str) -> None:
    with pytest.raises(TargetFailed) as caught:
        PublishingTarget(url).write("x", b"")
    assert "sekret" not in f"{caught.value}{shown(url)}"
