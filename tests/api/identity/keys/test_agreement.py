"""The keys of several servers on one database: each accepts what any other one signs, or does not start."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.identity.admin_key import AdminKey, UnusableKey, new_key
from writ.api.identity.keys.agreement import KeyAgreement, disagreements
from writ.api.identity.keys.folder import KeyFolder
from writ.api.identity.keys.held_keys import TOKEN_KEYS, HeldKeys, held_admin_keys, held_keys, held_url, make_first_keys
from writ.api.identity.keys.signing_keys import UnusableSigningKey, read_key
from writ.api.identity.keys.signing_keys import new_key as new_signing_key
from writ.api.settings.settings import Settings
from writ.api.store.database.postgresql.shared_keys import OtherServer
from writ.api.store.store import Store

from tests.support.store_engines import empty_schema

KEYS = [new_signing_key("EdDSA")[1] for _ in range(3)]
GIVEN = {"signing_key": KEYS[0].decode(), "audit_key": KEYS[1].decode(), "bundle_key": KEYS[2].decode()}
URL = "https://writ.example"
ALL_GIVEN = Settings(admin_key="a-key-for-tests-of-32-characters", public_url=URL, **GIVEN)
OWN = Settings()


class Joining:
    """A server of the tests. Its data directory stays, so that it may start again with other settings."""

    def __init__(self, store: Store, name: str) -> None:
        self.store, self.name = store, name
        self.own_admin, self.settings, self.warned = new_key()[0], OWN, list[str]()

    @property
    def agreement(self) -> KeyAgreement:
        settings = self.settings
        admin = held_admin_keys(settings, [AdminKey(sha256((settings.admin_key or self.own_admin).encode()).digest())])
        url = held_url(settings, f"http://{self.name}:8080")
        keys = self.store.shared_keys
        return KeyAgreement(keys, self.name, lambda: [*held_keys(self.directory, settings), admin, url])

    @property
    def directory(self) -> Path:
        return self.store.directory

    def start(self, settings: Settings) -> None:
        """Starts, or raises UnusableKey."""
        self.settings = settings
        make_first_keys(self.directory, settings)
        self.agreement.join(self.warned.append)


@pytest.fixture
def server(postgresql: str, tmp_path: Path) -> Iterator[Callable[[str], Joining]]:
    """Makes a server by its name, on one database."""
    stores = list[Store]()
    with empty_schema(postgresql) as database:

        def made(name: str) -> Joining:
            stores.append(database.open(tmp_path / name))
            return Joining(stores[-1], name)

        yield made
        for store in stores:
            store.close()
            store.watch.close()


Made = Callable[[str], Joining]
on_postgresql = pytest.mark.postgresql


def supplied(*pems: bytes) -> Settings:
    """All keys are supplied, and these are the signing keys."""
    return replace(ALL_GIVEN, signing_key=b"".join(pems).decode())


def public(pem: bytes) -> bytes:
    return read_key(pem, "").public_pem()


@on_postgresql
def test_one_server_makes_its_own_keys_and_starts_again_with_them(server: Made) -> None:
    one = server("one")
    one.start(OWN)
    one.start(OWN)
    one.agreement.leave()
    one.start(OWN)
    KeyFolder(one.directory).rotate("EdDSA", distrust_old=True)
    one.agreement.renew()
    one.start(OWN)


@on_postgresql
@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("signing_key", "made its own signing key"),
        ("audit_key", "made its own key of the audit log"),
        ("bundle_key", "made its own key of bundles"),
        ("admin_key", "made its own administrator's key"),
    ],
)
@pytest.mark.parametrize("ended", [False, True])
def test_a_server_with_a_key_of_its_own_is_refused(server: Made, setting: str, words: str, ended: bool) -> None:
    one, two = server("one"), server("two")
    one.start(ALL_GIVEN)
    if ended:
        one.agreement.leave()
    with pytest.raises(UnusableKey, match=f"{words}.*`one`.*give every server the same `WRIT_{setting.upper()}`"):
        two.start(replace(ALL_GIVEN, **{setting: None}))
    two.start(ALL_GIVEN)
    two.agreement.renew()
    one.start(ALL_GIVEN)
    assert not [*one.warned, *two.warned]


@on_postgresql
def test_a_public_url_is_the_same_unless_servers_restart_one_by_one(server: Made) -> None:
    """Two of the defaults never are: each is the address of its server."""
    one, two = server("one"), server("two")
    one.start(ALL_GIVEN)
    with pytest.raises(UnusableKey, match=f"`http://two:8080`, and .*`one`.* as `{URL}`.* the same `WRIT_PUBLIC_URL`"):
        two.start(replace(ALL_GIVEN, public_url=None))
    two.start(replace(ALL_GIVEN, public_url="https://new.example"))
    assert len(two.warned) == 1
    with pytest.raises(UnusableSigningKey, match=r"`https://new\.example`"):
        one.agreement.renew()
    one.start(replace(ALL_GIVEN, public_url="https://new.example"))
    two.agreement.renew()
    two.agreement.leave()
    one.start(replace(ALL_GIVEN, public_url=None))
    assert not one.warned


@on_postgresql
def test_supplied_keys_may_replace_those_of_servers_that_ended(server: Made) -> None:
    one, two = server("one"), server("two")
    one.start(OWN)
    with pytest.raises(UnusableKey, match="stop that server"):
        two.start(ALL_GIVEN)
    one.agreement.leave()
    two.start(ALL_GIVEN)
    with pytest.raises(UnusableKey, match="made its own signing key"):
        one.start(OWN)


@on_postgresql
def test_a_key_is_replaced_in_steps_while_servers_run(server: Made) -> None:
    one, two = server("one"), server("two")
    old, new = KEYS[0], new_signing_key("EdDSA")[1]
    for step in (supplied(old), supplied(old, public(new)), supplied(new, public(old)), supplied(new)):
        one.start(step)
        two.start(step)
        one.agreement.renew()


@on_postgresql
def test_a_step_left_out_is_refused(server: Made) -> None:
    one, two = server("one"), server("two")
    old, new = KEYS[0], new_signing_key("EdDSA")[1]
    one.start(supplied(old))
    old_id, new_id = read_key(old, "").id, read_key(new, "").id
    with pytest.raises(UnusableKey, match=f"`one`.* has the signing key `{old_id}` in use, and this server lacks it"):
        two.start(supplied(new))
    with pytest.raises(UnusableKey, match=f"`one`.* lacks the signing key `{new_id}`, which this server would use"):
        two.start(supplied(new, old))
    with pytest.raises(UnusableKey, match="this server lacks it"):
        two.start(replace(ALL_GIVEN, signing_key="/absent.pem"))


@on_postgresql
def test_keys_that_change_later_are_told_and_registered(server: Made, tmp_path: Path) -> None:
    one, two = server("one"), server("two")
    file, new = tmp_path / "keys.pem", new_signing_key("EdDSA")[1]
    file.write_bytes(KEYS[0])
    one.start(replace(ALL_GIVEN, signing_key=str(file)))
    two.start(ALL_GIVEN)
    file.write_bytes(new)
    with pytest.raises(UnusableSigningKey, match=r"`two`.* has the signing key"):
        one.agreement.renew()
    with pytest.raises(UnusableSigningKey, match=r"`one`.* has the signing key"):
        two.agreement.renew()
    file.write_bytes(KEYS[0] + public(new))
    one.agreement.renew()
    two.agreement.renew()


@on_postgresql
def test_a_chosen_key_of_the_administrator_may_differ_while_servers_restart(server: Made) -> None:
    one, two = server("one"), server("two")
    one.start(ALL_GIVEN)
    two.start(replace(ALL_GIVEN, admin_key="another-key-for-tests-of-32-characters"))
    (warned,) = two.warned
    assert "`one`" in warned
    assert "another administrator's key" in warned
    assert "`WRIT_ADMIN_KEY`" in warned


_HELD = st.builds(
    lambda given, first, more: HeldKeys(TOKEN_KEYS, given, frozenset({first, *more}), first),
    st.booleans(),
    st.sampled_from("abc"),
    st.sets(st.sampled_from("abc")),
)


@given(st.lists(st.tuples(st.integers(0, 2), st.one_of(st.none(), _HELD)), max_size=12))
def test_each_server_accepts_what_the_others_sign(steps: list[tuple[int, HeldKeys | None]]) -> None:
    """After any starts and ends. A start that is refused changes nothing."""
    live, ended = dict[int, HeldKeys](), dict[int, HeldKeys]()
    for server, held in steps:
        if held is None:
            ended |= {server: live.pop(server)} if server in live else {}
            continue
        others = [
            OtherServer(str(number), number in live, frozenset(keys.registered()))
            for number, keys in (ended | live).items()
            if number != server
        ]
        if not list(disagreements([held], others)):
            live, ended = live | {server: held}, {}
        for one in live.values():
            assert all(one.signing in other.ids for other in live.values())
