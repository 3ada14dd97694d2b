"""The judges of a bot: criteria and functions of its own, a trial of any judge, and all that ship with Kiku."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from core.analysis.names import criterion_name, judge_name
from core.analysis.provenance import agreement_text, measured_agreement
from core.base.types import Bot
from core.judges.base import Judge, ListedJudge
from core.judges.custom.loading import load_custom
from core.judges.registry import all_judges
from pages.build.criteria import show_criteria
from pages.build.judge_trial import show_judge_trial
from pages.components.appearance import heading
from pages.components.bot_picker import choose_bot
from pages.components.plain_text import plain
from pages.i18n.translate import error_text, t


def show_shipped_judges() -> None:
    """A quiet list of the judges that ship with Kiku; criteria of one family are one row."""
    st.caption(t("judges_page.all_lead"))
    families: dict[str, list[Judge]] = {}
    for listed in all_judges():
        families.setdefault(listed.judge.name.partition(":")[0], []).append(listed.judge)
    for place, (name, judges) in enumerate(families.items()):
        with st.container(border=True, key=f"judge-{place}"):
            _show_family(name, judges)


def _show_family(name: str, judges: list[Judge]) -> None:
    """A judge, or all criteria of a family: name, what it looks at, what it needs and gives, with what it works."""
    several = ":" in judges[0].name
    gives = [criterion_name(criterion, t) for judge in judges for criterion in judge.criteria]
    left, middle, right, last = st.columns([2, 3, 3, 1.5], gap="medium", vertical_alignment="center")
    code = plain(f"{name}:…" if several else name)
    left.markdown(f"**{plain(judge_name(name, t))}**  \n:gray[:small[{code}]]")
    middle.markdown(plain(t(f"judges.{name}_help")))
    computed = [
        criterion_name(criterion, t) for judge in judges if not judge.needs_model for criterion in judge.criteria
    ]
    lines = [
        t("judges_page.needs_are", needs=needs_text(judges[0].needs)),
        t("judges_page.gives_are", gives=t("common.comma").join(gives)),
    ]
    if several and computed:
        lines.append(t("judges_page.computed_only", names=t("common.comma").join(computed)))
    elif computed:
        lines.append(t("judges_page.embedded", trust=agreement_text(t, measured_agreement(name))))
    right.caption("  \n".join(lines))
    if computed and not several:
        last.badge(t("judges_page.computed"), icon=":material/calculate:", color="gray")
    else:
        last.badge(t("judging.needs_model"), icon=":material/neurology:", color="blue")


EXAMPLE = '''from core.judges.custom.python_judges import judge


@judge(needs=["answer"])
def short_enough(sample):
    """custom:short_enough"""
    length = len(sample.answer)
    return length <= 400, f"{length} <letters>"
'''


def show_python_judges(bot: Bot) -> None:
    """The judges of the folder, each problem, and an example."""
    st.caption(t("judges_page.code_lead", bot=plain(bot.id)))
    own = load_custom(bot).judges
    for names, problem in _problems(own).items():
        shown = t("common.comma").join(f"custom:{name}" for name in names)
        st.warning(f"**{plain(shown)}**  \n{plain(problem)}", icon=":material/error:")
    if not own:
        st.caption(t("judges_page.code_none"))
    for one in (one for one in own.values() if not one.problem):
        with st.container(border=True):
            st.markdown(f"**{plain(one.judge.name)}**  :gray[{plain(f'judges/{one.file}')}]")
            st.caption(t("judges_page.needs_are", needs=needs_text(one.judge.needs)))
    st.markdown(f"**{t('judges_page.code_example')}**")
    st.caption(t("judges_page.code_where", bot=plain(bot.id)))
    st.code(EXAMPLE.replace("<letters>", t("judges_page.code_letters")), "python")
    st.caption(t("judges_page.code_trust"))


def needs_text(needs: Iterable[str]) -> str:
    words = [t("judges_page.grounds") if need == "grounds" else t(f"file.{need}") for need in needs]
    return t("common.comma").join(words) or t("common.none")


def _problems(own: Mapping[str, ListedJudge]) -> dict[tuple[str, ...], str]:
    """The sentence for each problem, with the names of all judges that share it."""
    sentences = {name: error_text(one.problem) for name, one in own.items() if one.problem}
    return {
        tuple(name for name in sentences if sentences[name] == text): text for text in dict.fromkeys(sentences.values())
    }


top, bot = choose_bot()
heading(t("judges_page.title", bot=plain(bot.name)), t("judges_page.lead"), place=top)
own_tab, code, tried, everything = st.tabs([t(f"judges_page.tab_{tab}") for tab in ("criteria", "code", "try", "all")])
with own_tab:
    show_criteria(bot)
with code:
    show_python_judges(bot)
with tried:
    show_judge_trial(bot)
with everything:
    show_shipped_judges()
