"""The judges of a bot: criteria and functions of its own, a trial of any judge, and all that ship with Kiku."""

from __future__ import annotations

import streamlit as st

from core.judges.base import Judge
from core.judges.registry import all_judges
from pages.build.criteria import criteria
from pages.build.judge_trial import judge_trial
from pages.build.python_judges import needs_words, own_code
from pages.components.appearance import heading
from pages.components.bot_picker import choose_bot
from pages.components.judge_picker import criterion_words, judge_label
from pages.components.plain_text import plain
from pages.i18n.translate import t


def shipped() -> None:
    """A quiet list of the judges that ship with Kiku; criteria of one family are one row."""
    st.caption(t("judges_page.all_lead"))
    families: dict[str, list[Judge]] = {}
    for listed in all_judges():
        families.setdefault(listed.judge.name.partition(":")[0], []).append(listed.judge)
    for place, (name, judges) in enumerate(families.items()):
        with st.container(border=True, key=f"judge-{place}"):
            _row(name, judges)


def _row(name: str, judges: list[Judge]) -> None:
    """A judge, or all criteria of a family: name, what it looks at, what it needs and gives, with what it works."""
    several = ":" in judges[0].name
    gives = [criterion_words(criterion) for judge in judges for criterion in judge.criteria]
    left, middle, right, last = st.columns([2, 3, 3, 1.2], gap="medium", vertical_alignment="center")
    code = plain(f"{name}:…" if several else name)
    left.markdown(f"**{plain(judge_label(name))}**  \n:gray[:small[{code}]]")
    middle.markdown(plain(t(f"judges.{name}_help")))
    computed = [criterion_words(one) for judge in judges if not judge.needs_model for one in judge.criteria]
    lines = [
        t("judges_page.needs_are", needs=needs_words(judges[0].needs)),
        t("judges_page.gives_are", gives=t("common.comma").join(gives)),
    ]
    if several and computed:
        lines.append(t("judges_page.computed_only", names=t("common.comma").join(computed)))
    right.caption("  \n".join(lines))
    if computed and not several:
        last.badge(t("judges_page.computed"), icon=":material/calculate:", color="gray")
    else:
        last.badge(t("judges_page.needs_model"), icon=":material/neurology:", color="blue")


top, bot = choose_bot()
heading(t("judges_page.title", bot=plain(bot.name)), t("judges_page.lead"), place=top)
mine, code, tried, everything = st.tabs([t(f"judges_page.tab_{tab}") for tab in ("criteria", "code", "try", "all")])
with mine:
    criteria(bot)
with code:
    own_code(bot)
with tried:
    judge_trial(bot)
with everything:
    shipped()
