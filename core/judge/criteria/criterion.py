"""What a criterion is: a name, the question that Y or N answers, and whether Y is bad."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from core.base.types import Language, Noun
from core.judge.text.fence import fenced

FILE = Path(__file__).with_name("wordings.toml")
_OTHER: dict[Language, Language] = {"ja": "en", "en": "ja"}


class Criterion(Noun):
    """One criterion. `wording` counts for every language that `ja` and `en` leave empty.

    bad: Y is what nobody wants, so a score's value is 1 - Y; labeled (own criteria only): judged by a reference or
    contexts, as `labeled_criteria:NAME`; the built-in ones can be judged either way.
    """

    name: str
    wording: str = ""
    ja: str = ""
    en: str = ""
    bad: bool = False
    labeled: bool = False

    def worded(self, language: Language) -> str:
        """The wording in a language, in the other one where it has none."""
        sides: dict[Language, str] = {"ja": self.ja, "en": self.en}
        given = (sides[language], self.wording, sides[_OTHER[language]])
        return next((text.strip() for text in given if text.strip()), "")


class Asked(Noun):
    """A criterion as a prompt shows it: `id` is its name, `wording` is fenced."""

    id: str
    wording: str


def asked(criterion: Criterion, language: Language) -> Asked:
    """The criterion for a prompt; its wording is fenced, since an owner may have written anything."""
    return Asked(id=criterion.name, wording=fenced(criterion.worded(language)))


@cache
def built_in_criteria() -> dict[str, Criterion]:
    """The fourteen that ship with Kiku, by name, in the order of the file."""
    stored = tomllib.loads(FILE.read_text("utf-8"))
    return {name: Criterion.model_validate({"name": name, **row}) for name, row in stored.items()}
