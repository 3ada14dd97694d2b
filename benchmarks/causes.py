"""How often the cause that is named is the stage that was broken.

    python -m benchmarks.causes [--bots hinata,minato,harbor] [--show]

Each bundled bot talks to the same simulated users twice: as it is, and with one stage broken on purpose. Only turns
that are low in the broken run and were not low in the whole one count, since those are the ones the break made low.
Judged once by all judges that tell a cause, and once by the turn judge alone.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.bot_indexes import bots_in
from core.analysis.failures.entries import Failure
from core.analysis.failures.find import find_failures
from core.base.bot_folder import load_bot
from core.base.prompt import Prompt
from core.base.settings import settings
from core.base.types import Assessment, UserMessage
from core.bot.answer.answer import Answering
from core.bot.clarify.assess import Assess
from core.bot.rewrite.rewrite import Rewrite
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.simulation.simulated_user import NextMessage
from core.store.store import Store

R = TypeVar("R")
BOTS = ("hinata", "minato", "harbor")
JUDGES = {"all judges": ("turn", "correctness", "sufficiency", "groundedness", "simulated_user"), "turn": ("turn",)}
INVENTED = {
    "ja": "手続きは中央庁舎の地下{n}階にある特別窓口で、青い封筒に入れて提出してください。受付は{n}分で終わります。[1]",
    "en": "Hand it in at the special desk on basement floor {n} of the central hall in a blue envelope. It takes {n} minutes. [1]",
}
REFUSAL = {
    "ja": "申し訳ありません、わかりません。お尋ねの内容は、手元の資料には見当たりませんでした。",
    "en": "I'm sorry, I could not find this in the documents.",
}


class Breaking:
    """The embedded engine, except that some prompts get another reply (none: the usual one)."""

    name = "embedded"

    def __init__(self, replace: Callable[[Any], Any]) -> None:
        self._replace, self._engine = replace, EmbeddedEngine()

    def ask(self, prompt: Prompt[R]) -> R:
        """The broken reply if there is one."""
        broken = self._replace(prompt)
        return self._engine.ask(prompt) if broken is None else broken

    def stream(self, prompt: Prompt[str]) -> Iterator[str]:
        """The same as one piece."""
        yield self.ask(prompt)


def invent(prompt: Any) -> str | None:
    """An answer that no passage holds."""
    if not isinstance(prompt, Answering):
        return None
    return INVENTED[prompt.language].format(n=random.Random(prompt.question).randint(21, 98))


def beside(prompt: Any) -> str | None:
    """An answer quoted from the worst passage that was found."""
    if not isinstance(prompt, Answering) or len(prompt.passages) < 2:
        return None
    text = re.sub(r"[|\n]+", " ", prompt.passages[-1].passage.text)
    return f"{text[:160].strip()} [{len(prompt.passages)}]"


def refuse(prompt: Any) -> str | None:
    """Always "not in the documents"."""
    return REFUSAL[prompt.language] if isinstance(prompt, Answering) else None


def forget(prompt: Any) -> str | None:
    """A query of the conversation's first message alone."""
    return prompt.conversation[0].text if isinstance(prompt, Rewrite) else None


def nag(prompt: Any) -> Assessment | None:
    """Nothing is ever clear, and there is always the same thing to ask."""
    if not isinstance(prompt, Assess):
        return None
    text = "もう少し詳しく教えてください。" if prompt.language == "ja" else "Could you tell me more?"
    return Assessment(
        is_question=1, is_consultation=5, in_internal_docs=1, ask_person=5, clarity=5, ask_missing_info=text
    )


def stray(prompt: Any) -> UserMessage | None:
    """A simulated user that speaks as the desk."""
    if not isinstance(prompt, NextMessage):
        return None
    ja = prompt.language == "ja"
    text = "お問い合わせありがとうございます。担当の者が確認し、折り返しご連絡いたします。ほかにご質問はございますか。"
    return UserMessage(text=text if ja else "Thank you for contacting support. How can I help you today?")


def remove_half(folder: Path) -> None:
    """Take every other document away."""
    for file in sorted((folder / "documents").rglob("*.md"))[::2]:
        file.unlink()


def thresholds(**values: int) -> Callable[[Path], None]:
    """Set thresholds of the bot."""

    def change(folder: Path) -> None:
        file = folder / "bot.toml"
        text = file.read_text("utf-8")
        for name in values:
            text = re.sub(rf"^{name}\s*=.*\n", "", text, flags=re.MULTILINE)
        lines = "".join(f"{name} = {value}\n" for name, value in values.items())
        found = "[clarify]" in text
        text = text.replace("[clarify]\n", f"[clarify]\n{lines}", 1) if found else f"{text}\n[clarify]\n{lines}"
        file.write_text(text, "utf-8")

    return change


BREAKS: dict[str, tuple[str, Callable[[Any], Any] | None, Callable[[Path], None] | None]] = {
    "documents removed": ("not_found", None, remove_half),
    "never asks": ("asked", None, thresholds(max_questions=0)),
    "asks about everything": ("asked", nag, None),
    "forgets what was said": ("rewrite", forget, None),
    "quotes the wrong passage": ("not_used", beside, None),
    "invents answers": ("not_supported", invent, None),
    "always refuses": ("refused", refuse, None),
    "user speaks as the desk": ("simulator", stray, None),
}


def main() -> None:
    """Print one line per break and panel: how many turns the break made low, and which causes they were given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", default=",".join(BOTS))
    parser.add_argument("--show", action="store_true", help="print turns that got another cause")
    chosen = parser.parse_args()
    for panel, judges in JUDGES.items():
        total: dict[str, Counter[str]] = {name: Counter() for name in BREAKS}
        for bot in chosen.bots.split(","):
            whole = {(one.scenario, one.turn_number) for one in failures(bot, judges)}
            for name, (_, replace, change) in BREAKS.items():
                fresh = [
                    one
                    for one in failures(bot, judges, replace, change)
                    if (one.scenario, one.turn_number) not in whole
                ]
                total[name].update(one.diagnosis.cause for one in fresh)
                if chosen.show:
                    tell_others(name, fresh)
        report(panel, total)


def report(panel: str, total: Mapping[str, Counter[str]]) -> None:
    """The table of one panel as Markdown."""
    print(f"\n{panel}\n\n| broken | made low | named | unclear | other causes |\n|---|---|---|---|---|")
    for name, counts in total.items():
        wanted, n = BREAKS[name][0], sum(counts.values())
        unclear = counts["unclear"] + counts["unknown"]
        rest = ", ".join(f"{c} {k}" for c, k in counts.most_common() if c not in (wanted, "unclear", "unknown"))
        print(f"| {name} | {n} | {counts[wanted] / n if n else 0:.2f} | {unclear / n if n else 0:.2f} | {rest} |")


def tell_others(name: str, fresh: list[Failure]) -> None:
    """The turns whose cause is another than the break."""
    for one in fresh:
        if one.diagnosis.cause != BREAKS[name][0]:
            print(
                f"  {name}: {one.scenario} turn {one.turn_number} {one.diagnosis.cause}/{one.diagnosis.why} {one.facts}"
            )


def failures(
    bot: str,
    judges: tuple[str, ...],
    replace: Callable[[Any], Any] | None = None,
    change: Callable[[Path], None] | None = None,
) -> list[Failure]:
    """The low turns of a run of all scenarios with one stage broken."""
    with tempfile.TemporaryDirectory() as own:
        folder = Path(own)
        shutil.copytree(settings().knowledge_dir, folder / "knowledge")
        if change:
            change(folder / "knowledge" / bot)
        store, indexes = Store(f"sqlite:///{folder / 'kiku.db'}"), Indexes(folder / "chroma")
        engine = Breaking(replace) if replace else EmbeddedEngine()
        language = "en" if bot == "harbor" else "ja"
        with bots_in(folder / "knowledge"), Runner(store, indexes, engine) as runner:
            run = runner.start(Plan(bot=bot, judges=judges, seed=1, language=language))
            runner.wait(run, 1_200)
            found = find_failures(store, run, index=indexes.get(load_bot(bot)))
        store.close()
        return list(found.turns)


if __name__ == "__main__":
    main()
