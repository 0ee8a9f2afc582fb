"""Case files: a model, questions, the answers and the compiled rules, in plain sections of one text file.

A title, with the rules that the case shows.

-- model --
model: 1
...
-- now --
2026-06-01T12:00:00Z
-- ask --
one evaluation request a line
-- expect --
one answer a line, in the same order
-- rules --
the program as `writ inspect --rules` prints it
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "cases"
FILES = sorted(FOLDER.glob("*.case"))


@dataclass(frozen=True)
class Case:
    """One case file; `sections` keep its text as it stands."""

    path: Path
    sections: dict[str, str]

    @property
    def model(self) -> str:
        return self.sections["model"]

    @property
    def now(self) -> str:
        return self.sections["now"].strip()

    @property
    def questions(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.sections["ask"].splitlines() if line]

    @property
    def answers(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.sections["expect"].splitlines() if line]

    @property
    def rules(self) -> str:
        return self.sections["rules"].strip("\n") + "\n"

    def update(self, **sections: str) -> None:
        """Rewrite some sections of the file."""
        texts = self.sections | {name: f"{text.strip()}\n" for name, text in sections.items()}
        shown = [text if name == "" else f"-- {name} --\n{text}" for name, text in texts.items()]
        self.path.write_text("\n".join(text.strip("\n") + "\n" for text in shown))


def read_case(path: Path) -> Case:
    """Read a case file; what stands above the first section is its title, under the name ""."""
    sections, name = {"": ""}, ""
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith("-- ") and line.rstrip().endswith(" --"):
            name = line.strip()[3:-3]
            sections[name] = ""
        else:
            sections[name] += line
    return Case(path, sections)
