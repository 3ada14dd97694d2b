"""A bot's own judges in Python on the page: what was found, what is wrong, and how to write one."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from core.base.types import Bot
from core.judge.own_files import Loaded, load_own
from pages.shared.draw import plain
from pages.shared.words import say, sentence

EXAMPLE = '''from core.judge.own import judge


@judge(needs=["answer"])
def short_enough(sample):
    """own:short_enough"""
    length = len(sample.answer)
    return length <= 400, f"{length} <letters>"
'''


def own_code(bot: Bot) -> None:
    """The judges of the folder, each problem, and an example."""
    st.caption(say("judges_page.code_lead", bot=plain(bot.id)))
    loaded = load_own(bot)
    for names, problem in _problems(loaded).items():
        shown = say("common.comma").join(f"own:{name}" for name in names)
        st.warning(f"**{plain(shown)}**  \n{plain(problem)}", icon=":material/error:")
    fine = [name for name in loaded.judges if name not in loaded.problems]
    if not loaded.judges:
        st.caption(say("judges_page.code_none"))
    for name in fine:
        with st.container(border=True):
            st.markdown(f"**{plain(f'own:{name}')}**  :gray[{plain(f'judges/{loaded.files[name]}')}]")
            st.caption(say("judges_page.needs_are", needs=needs_words(loaded.judges[name].needs)))
    st.markdown(f"**{say('judges_page.code_example')}**")
    st.caption(say("judges_page.code_where", bot=plain(bot.id)))
    st.code(EXAMPLE.replace("<letters>", say("judges_page.code_letters")), "python")
    st.caption(say("judges_page.code_trust"))


def needs_words(needs: Iterable[str]) -> str:
    """What a judge needs, in words."""
    words = [say("judges_page.grounds") if need == "grounds" else say(f"file.{need}") for need in needs]
    return say("common.comma").join(words) or say("common.none")


def _problems(loaded: Loaded) -> dict[tuple[str, ...], str]:
    """The sentence for each problem, with the names of all judges that share it."""
    told = {name: sentence(problem) for name, problem in loaded.problems.items()}
    return {tuple(name for name in told if told[name] == text): text for text in dict.fromkeys(told.values())}
