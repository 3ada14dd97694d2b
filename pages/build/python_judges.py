"""A bot's own judges in Python on the page: what was found, what is wrong, and how to write one."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from core.base.types import Bot
from core.judges.custom.loading import Loaded, load_own
from pages.components.plain_text import plain
from pages.i18n.translate import error_text, t

EXAMPLE = '''from core.judges.custom.python_judges import judge


@judge(needs=["answer"])
def short_enough(sample):
    """own:short_enough"""
    length = len(sample.answer)
    return length <= 400, f"{length} <letters>"
'''


def own_code(bot: Bot) -> None:
    """The judges of the folder, each problem, and an example."""
    st.caption(t("judges_page.code_lead", bot=plain(bot.id)))
    loaded = load_own(bot)
    for names, problem in _problems(loaded).items():
        shown = t("common.comma").join(f"own:{name}" for name in names)
        st.warning(f"**{plain(shown)}**  \n{plain(problem)}", icon=":material/error:")
    fine = [name for name in loaded.judges if name not in loaded.problems]
    if not loaded.judges:
        st.caption(t("judges_page.code_none"))
    for name in fine:
        with st.container(border=True):
            st.markdown(f"**{plain(f'own:{name}')}**  :gray[{plain(f'judges/{loaded.files[name]}')}]")
            st.caption(t("judges_page.needs_are", needs=needs_words(loaded.judges[name].needs)))
    st.markdown(f"**{t('judges_page.code_example')}**")
    st.caption(t("judges_page.code_where", bot=plain(bot.id)))
    st.code(EXAMPLE.replace("<letters>", t("judges_page.code_letters")), "python")
    st.caption(t("judges_page.code_trust"))


def needs_words(needs: Iterable[str]) -> str:
    """What a judge needs, in words."""
    words = [t("judges_page.grounds") if need == "grounds" else t(f"file.{need}") for need in needs]
    return t("common.comma").join(words) or t("common.none")


def _problems(loaded: Loaded) -> dict[tuple[str, ...], str]:
    """The sentence for each problem, with the names of all judges that share it."""
    told = {name: error_text(problem) for name, problem in loaded.problems.items()}
    return {tuple(name for name in told if told[name] == text): text for text in dict.fromkeys(told.values())}
