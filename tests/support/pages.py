"""Reads the project's pages: their headings, links, code spans and examples."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_NO_PAGES: Final = ("build", "dist", "node_modules")

_BLOCK: Final = re.compile(
    r"^(?P<indent> *)(?:<!-- (?P<mark>[^\n]*?) -->\n(?P=indent))?```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
_LINK: Final = re.compile(r"\[[^\]\[]*\]\(([^()\s]+)\)")
_HEADING: Final = re.compile(r"^(#{1,6}) (.*)$", re.MULTILINE)
_SPAN: Final = re.compile(r"`([^`\n]+)`")
_NO_ANCHOR: Final = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Block:
    """A fenced example of a page; `mark` is the comment on the line above it, `line` where it begins."""

    page: "Page"
    line: int
    language: str
    mark: str
    text: str

    @property
    def name(self) -> str:
        """Returns where the block is, `README.md:12`."""
        return f"{self.page.name}:{self.line}"


@dataclass(frozen=True)
class Page:
    """A Markdown file of the project."""

    path: Path
    text: str = field(repr=False)

    @property
    def name(self) -> str:
        """Returns the path from the root."""
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def blocks(self) -> list[Block]:
        """The fenced blocks, in order."""
        found = []
        for one in _BLOCK.finditer(self.text):
            line = self.text.count("\n", 0, one.start()) + 1
            found.append(Block(self, line, one["language"], one["mark"] or "", dedent(one["text"])))
        return found

    @cached_property
    def prose(self) -> str:
        """The text without its fenced blocks."""
        return _BLOCK.sub("", self.text)

    @cached_property
    def links(self) -> list[str]:
        """The targets of all links."""
        return _LINK.findall(self.prose)

    @cached_property
    def spans(self) -> list[str]:
        """The inline code, in tables with `\\|` as `|`."""
        return [span.replace("\\|", "|") for span in _SPAN.findall(self.prose)]

    @cached_property
    def anchors(self) -> set[str]:
        """The anchors of all headings, as GitHub makes them."""
        taken: set[str] = set()
        for _, title in _HEADING.findall(self.prose):
            words = _NO_ANCHOR.sub("", title.replace("`", "").lower()).replace(" ", "-")
            taken.add(
                next(name for number in count() if (name := f"{words}-{number}" if number else words) not in taken)
            )
        return taken

    def marked(self, mark: str) -> str:
        """Returns the text of the one block with this mark."""
        (found,) = (block.text for block in self.blocks if block.mark == mark)
        return found

    def section(self, title: str) -> str:
        """Returns the text below a heading, up to the next heading of the same or a higher level."""
        hashes = next(hashes for hashes, found in _HEADING.findall(self.text) if found == title)
        rest = self.text.partition(f"\n{hashes} {title}\n")[2]
        return re.split(rf"^#{{1,{len(hashes)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]

    def between(self, mark: str) -> str:
        """Returns the text between `<!-- mark -->` and `<!-- /mark -->`."""
        found = re.search(rf"<!-- {mark} -->\n(.*?)<!-- /{mark} -->", self.text, re.DOTALL)
        assert found, f"{self.name} has no part between the marks `{mark}`"
        return found[1]

    def is_generated(self, mark: str, expected: str, update: bool) -> bool:
        """Returns whether the part between two marks is `expected`; writes it if `update`."""
        found = self.between(mark)
        if update and found != expected:
            begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
            self.path.write_text(self.text.replace(f"{begin}{found}{end}", f"{begin}{expected}{end}"))
            return True
        return found == expected


def page(name: str) -> Page:
    """Returns the page of a path from the root."""
    return Page(ROOT / name, (ROOT / name).read_text())


@cache
def pages() -> list[Page]:
    """Returns all pages of the project. They are looked for once."""
    return [page(path.relative_to(ROOT).as_posix()) for path in sorted(_pages_below(ROOT))]


def _pages_below(root: Path) -> Iterator[Path]:
    """The pages in a folder and in those below it, but for what is hidden, installed or built."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NO_PAGES]
        yield from (Path(folder, name) for name in files if name.endswith(".md") and not name.startswith("."))
