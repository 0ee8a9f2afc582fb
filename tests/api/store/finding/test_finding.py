"""A part of an id or a name: each list, each engine, and each state of a model give the answers of a short meaning."""

import random
import unicodedata
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from writ.api.store.copying.store_copy import copy_store
from writ.api.store.database.postgresql.place import DatabasePlace
from writ.api.store.database.sqlite.place import DirectoryPlace
from writ.api.store.elements.edits import Create, Delete, Patch, Replace
from writ.api.store.elements.kinds import kind_named
from writ.api.store.errors import BadQuery, Refusal
from writ.api.store.finding import entry_blocks, finding, keeping
from writ.api.store.finding.entry_blocks import entries_in
from writ.api.store.finding.folding import fold
from writ.api.store.store import Store

from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, ENV, put, stored, write
from tests.support.strategies import unequal

HOSTILE = (
    *"%_\\*?[]^-\"'`.,:;{}| ",
    *("\0", "\1", "\x1f", "\n", "\x7f", "\u200b", "\u202e", "\ufeff", "\u00ad", "\ufffd", "\U0010ffff"),
    *("é", "e\u0301", "\u0301", "\u0345", "ᾳ", "ß", "ẞ", "SS", "İ", "I", "i", "ı", "i\u0307", "ﬁ", "Å", "ﷺ", "℡", "Ⅳ"),
    *("😀", "👩\u200d🚀", "❤\ufe0f", "Ω", "ς", "Σ", "Ж", "ж", "漢", "한", "क्षि", "ไม้", "a", "A", "b", "1", "user"),
)


def meaning(part: str, texts: list[str]) -> bool:
    """Returns whether a part is in one of the texts."""
    nfkd = lambda text: unicodedata.normalize("NFKD", text)  # noqa: E731
    seen = lambda one: not unicodedata.combining(one) and unicodedata.category(one) not in ("Cc", "Cf", "Cs")  # noqa: E731
    folded = lambda text: "".join(filter(seen, nfkd(nfkd(text).casefold())))  # noqa: E731
    return any(folded(part) in folded(text) for text in texts)


def searched(kind: str, body: dict[str, Any]) -> list[str]:
    """Returns the texts of an element, as the page lists them."""
    found = [body["id"]]
    match kind:
        case "subjects":
            found += [body.get("external_id"), body.get("attributes", {}).get("name")]
        case "resources":
            found += [body.get("external_id"), body.get("name")]
        case "assignments":
            found += [body["role"], body.get("subject", {}).get("id"), body.get("group")]
        case "grants":
            found += [body.get("subject", {}).get("id"), body.get("group"), body["resource"]["id"]]
        case "routes":
            found += [body["path"]]
        case _:
            found += [body.get("name")]
    return [text for text in found if isinstance(text, str)]


def text_of(random_: random.Random) -> str:
    return "".join(random_.choices(HOSTILE, k=random_.randint(1, 6)))


def hostile_model(seed: int, size: int) -> dict[str, Any]:
    """Returns a model whose ids and names are made of hostile texts."""
    one = random.Random(seed)

    def ids(count: int) -> list[str]:
        return sorted({text_of(one) for _ in range(count)}, key=lambda _: one.random())

    roles, groups = ids(5), ids(5)
    people = [{"type": one.choice(("user", "ß", "\0")), "id": id} for id in ids(size)]
    subjects = [
        person | one.choice(({}, {"external_id": f"{number}{text_of(one)}"}, {"attributes": {"name": text_of(one)}}))
        for number, person in enumerate(people)
    ]
    for number, subject in enumerate(subjects):
        if number % 17 == 0:
            subject["attributes"] = {"name": one.choice((7, ["a"], True))}
    resources: list[dict[str, Any]] = [
        {"type": "document", "id": id} | one.choice(({}, {"name": f"{number}{text_of(one)}"}))
        for number, id in enumerate(ids(size // 4))
    ]
    return {
        "resource_types": [{"id": "document", "name": "Dokumént", "actions": ["read"]}],
        "roles": [{"id": id, "name": text_of(one)} for id in roles],
        "groups": [{"id": id, "name": text_of(one)} for id in groups],
        "subjects": subjects,
        "resources": resources,
        "assignments": unequal(
            [
                {"id": id, "role": one.choice(roles)}
                | one.choice(({"subject": {"type": "user", "id": text_of(one)}}, {"group": one.choice(groups)}))
                for id in ids(size // 8)
            ]
        ),
        "grants": [
            {
                "id": id,
                "subject": {"type": "user", "id": str(n)},
                "resource": {"type": "document", "id": id},
                "actions": ["read"],
            }
            for n, id in enumerate(ids(size // 8))
        ],
        "policies": [
            {
                "id": id,
                "name": text_of(one),
                "effect": "DENY",
                "resource_types": [{"resource_type_id": "*", "actions": ["*"]}],
            }
            for id in ids(6)
        ],
        "routes": [
            {
                "id": f"r{n}",
                "methods": ["GET"],
                "path": f"/{n}",
                "resource_type": "document",
                "resource_id": "x",
                "action": "read",
            }
            for n in range(3)
        ],
    }


KINDS = ("resource_types", "roles", "groups", "subjects", "resources", "assignments", "grants", "policies", "routes")


def keys(items: Any) -> list[tuple[str, str]]:
    return [(body.get("type", ""), body["id"]) for body in items]


def found(
    store: Store, kind: str, part: str, limit: int, filters: dict[str, str] | None = None
) -> list[tuple[str, str]]:
    """Returns the keys of all pages of a list."""
    pages, cursor = list[tuple[str, str]](), None
    while True:
        page = store.finder.page(ENV, kind, part, filters or {}, limit, cursor)
        pages += keys(one.body for one in page.items)
        cursor = page.next_cursor
        if cursor is None:
            return pages


def check(store: Store, seed: int, parts: int = 12) -> None:
    """Compare every list with the meaning, for some parts, and the blocks with blocks that are made again."""
    one, model = random.Random(seed), stored(store)
    for kind in KINDS:
        bodies = sorted(model.get(kind, []), key=lambda body: (body.get("type", ""), body["id"]))
        for _ in range(parts):
            part = text_of(one)[: one.randint(1, 3)]
            expected = keys(body for body in bodies if meaning(part, searched(kind, body)))
            assert found(store, kind, part, one.choice((1, 3, 100))) == expected, (kind, part)
            assert store.finder.total(ENV, kind, part) == (len(expected), False), (kind, part)
    for type in ("user", "ß", "\0", "none"):
        bodies = (body for body in model.get("subjects", []) if body["type"] == type)
        expected = sorted(keys(body for body in bodies if meaning("a", searched("subjects", body))))
        assert found(store, "subjects", "a", 5, {"type": type}) == expected
    assert entries(store) == made_anew(store)


def entries(store: Store) -> list[tuple[Any, ...]]:
    """Returns the entries of all blocks, in order. Each is in the block of its key."""
    with store._connections.reading() as db:
        rows = db.execute("SELECT kind, type, first, entries FROM entry_blocks ORDER BY environment, kind, type, first")
        blocks = [(kind, type, first, entries_in(text)) for kind, type, first, text in rows.fetchall()]
    for at, (*place, first, inside) in enumerate(blocks):
        assert inside
        assert first <= inside[0][0]
        if at + 1 < len(blocks) and list(blocks[at + 1][:2]) == place:
            assert inside[-1][0] < blocks[at + 1][2]
    return [(kind, type, *entry) for kind, type, _, inside in blocks for entry in inside]


def made_anew(store: Store) -> list[tuple[Any, ...]]:
    """Returns the entries after their blocks were made again."""
    with store._connections.writing() as db:
        keeping.make_all_blocks(db)
    return entries(store)


@pytest.fixture(params=["large", "small"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of their size, and so small ones that each write splits some. A write makes few or all blocks again."""
    if request.param == "small":
        monkeypatch.setattr(entry_blocks, "FILLED_BYTES", 60)
        monkeypatch.setattr(keeping, "MOST_BYTES", 90)
        monkeypatch.setattr(keeping, "MANY", 40)


@pytest.mark.usefixtures("blocks")
def test_parts_are_found_as_their_meaning_says(store: Store) -> None:
    """After an import, after edits, after a replacement, and after the removal of all subjects."""
    put(store, hostile_model(1, 120))
    check(store, 2)
    one = random.Random(3)
    for number in range(40):
        model = stored(store)
        person = one.choice(model["subjects"])
        key, name = (person["type"], person["id"]), {"attributes": {"name": text_of(one)}}
        edits = (
            Create("subjects", {"type": "user", "id": text_of(one)} | name),
            Delete("subjects", key),
            Patch("subjects", key, name),
            Replace("subjects", key, {"external_id": f"x{number}{text_of(one)}"}),
            Create("groups", {"id": text_of(one), "name": text_of(one)}),
        )
        try:
            write(store, one.choice(edits))
        except Refusal:
            continue
    check(store, 4)
    put(store, hostile_model(5, 60))
    check(store, 6)
    put(store, stored(store) | {"subjects": []})
    check(store, 7, 3)


def test_a_copy_of_a_store_finds_the_same(store: Store, engine: Engine, tmp_path: Path) -> None:
    put(store, hostile_model(8, 40))
    expected = entries(store)
    store.close()
    source = DirectoryPlace(tmp_path / "data") if engine.url is None else DatabasePlace(engine.url)
    copy_store(source, DirectoryPlace(tmp_path / "copy"), lambda *_: None)
    with closing(Store.open(tmp_path / "copy")) as copy:
        assert entries(copy) == expected
        check(copy, 9, 3)


def test_an_environment_takes_its_entries_with_it(store: Store) -> None:
    put(store, hostile_model(10, 20))
    store.create_environment(ACTOR, "other")
    put(store, hostile_model(10, 20), "other")
    everything = entries(store)
    store.delete_environment(ACTOR, "other")
    assert len(entries(store)) == len(everything) / 2


def test_filters_and_parts_narrow_together(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that tries many elements in vain ends before, with a cursor."""
    put(store, {"roles": [{"id": "r"}, {"id": "s"}], "groups": [{"id": f"g{n}"} for n in range(30)]})
    for number in range(30):
        role = "r" if number % 2 else "s"
        write(store, Create("assignments", {"id": f"a{number:02}", "role": role, "group": f"g{number}"}))
    monkeypatch.setattr(finding, "_TRIED_AT_ONCE", 2)
    monkeypatch.setattr(finding, "MOST_TRIED", 4)
    expected = [("", "a09"), ("", "a19"), ("", "a29")]
    assert found(store, "assignments", "9", 2, {"role": "r"}) == expected
    first = store.finder.page(ENV, "assignments", "9", {"role": "r"}, 2)
    assert ([one.body["id"] for one in first.items], first.next_cursor is None) == ([], False)
    assert store.finder.total(ENV, "assignments", "9", {"role": "r"}) == (0, True)


def test_totals_end_at_a_number(store: Store) -> None:
    put(store, {"roles": [{"id": f"role-{number:03}"} for number in range(250)]})
    environment = store.environment(ENV)
    with store._connections.reading() as db:
        for part, most, expected in (
            ("", 249, (249, True)),
            ("", 250, (250, False)),
            ("role", 249, (249, True)),
            ("role", 250, (250, False)),
            ("-00", 10, (10, False)),
            ("-00", 9, (9, True)),
        ):
            assert finding.total(db, environment, kind_named("roles"), part, {}, most) == expected


def test_the_likeliest_come_first_of_all_lists(store: Store) -> None:
    put(
        store,
        {
            "roles": [{"id": "the reader"}, {"id": "reader"}, {"id": "x", "name": "Readers"}],
            "groups": [{"id": "writer"}],
            "subjects": [{"type": "user", "id": "u", "attributes": {"name": "Réa Der"}}],
        },
    )

    def shown(part: str, limit: int) -> list[tuple[str, list[str], bool]]:
        return [
            (one.kind, [item.body["id"] for item in one.items], one.more)
            for one in store.finder.overview(ENV, part, limit)
        ]

    assert shown("reader", 5) == [("roles", ["reader", "x", "the reader"], False)]
    assert shown("reader", 2) == [("roles", ["reader", "x"], True)]
    assert shown("rea", 1) == [("subjects", ["u"], False), ("roles", ["reader"], True)]
    assert shown("\u200b", 5) == shown("nothing", 5) == []


def test_what_is_no_part_is_refused(store: Store) -> None:
    for part in ("\ud800", "x" * 257):
        with pytest.raises(BadQuery, match="`q`"):
            store.finder.page(ENV, "roles", part)
    with pytest.raises(BadQuery, match="no filter `type`"):
        store.finder.page(ENV, "roles", "x", {"type": "user"})
    with pytest.raises(BadQuery, match="cursor"):
        store.finder.page(ENV, "roles", "x", cursor="x")
    with pytest.raises(BadQuery, match="not valid text"):
        store.finder.page(ENV, "subjects", "x", {"type": "\ud800"})


def test_folding_is_stable() -> None:
    """What is folded twice is folded once, so an entry may keep an id that folding leaves as it is."""
    for code in range(0x110000):
        if not 0xD800 <= code < 0xE000:
            folded = fold(chr(code))
            assert fold(folded) == folded, hex(code)
