"""A bot's own criteria on the page: read, add, change, delete and put back."""

from __future__ import annotations

import unicodedata
from functools import partial

import streamlit as st

from core.base.errors import BadInput
from core.base.types import Bot
from core.judges.criteria.criteria import Criterion
from core.judges.custom.criteria_file import (
    LONGEST_WORDING,
    custom_criteria,
    custom_criteria_file,
    custom_criteria_or_problems,
    delete_custom_criterion,
    deleted_criteria,
    read_custom_criteria,
    restore_criterion,
    save_custom_criterion,
)
from pages.components.appearance import show_errors
from pages.components.deleted_list import DeletedItem, show_deleted
from pages.components.editing import edit_broken_file
from pages.components.plain_text import plain
from pages.components.session import uses_model
from pages.components.widgets import action_button
from pages.i18n.translate import error_text, language, t, words

_EDITED = "criterion-edited"  # the bot and name of the criterion that is being changed


def show_criteria(bot: Bot) -> None:
    """All of it; if the file cannot be read, it can be mended first."""
    st.caption(t("judges_page.criteria_lead"))
    if not uses_model():
        st.info(t("judges_page.criteria_need"), icon=":material/info:")
    rows = custom_criteria_or_problems(bot)
    problems = [criterion for _, criterion in rows if isinstance(criterion, BadInput)]
    if problems:
        for problem in problems[1:]:
            st.warning(plain(error_text(problem)), icon=":material/error:")
        edit_broken_file(problems[0], custom_criteria_file(bot), lambda: read_custom_criteria(bot))
        return
    _show_deleted(bot)
    criteria = custom_criteria(bot)
    if not criteria:
        st.caption(t("judges_page.criteria_none"))
    for criterion in criteria.values():
        with st.container(border=True):
            edited = st.session_state.get(_EDITED) == (bot.id, criterion.name)
            (_form if edited else _show_criterion)(bot, criterion)
    with st.container(border=True):
        st.markdown(f"**{t('judges_page.add')}**")
        _form(bot, None)


def _show_criterion(bot: Bot, criterion: Criterion) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
            st.markdown(f"**{plain(criterion.name)}**", width="content")
            if criterion.bad:
                st.badge(t("judges_page.bad"), icon=":material/thumb_down:", color="orange")
            if criterion.labeled:
                st.badge(t("judges_page.labeled"), icon=":material/menu_book:", color="gray")
        with st.container(horizontal=True, gap="small", width="content"):
            edit, drop = t("judges_page.edit"), t("judges_page.delete")
            action_button(edit, "edit", _edit, bot, criterion, key=f"edit-{criterion.name}", type="tertiary")
            action_button(
                drop, "delete", delete_custom_criterion, bot, criterion, key=f"drop-{criterion.name}", type="tertiary"
            )
    for text in dict.fromkeys(text for text in _wordings(bot, criterion) if text):
        st.markdown(plain(text))


def _wordings(bot: Bot, criterion: Criterion) -> tuple[str, str]:
    """The wording in Japanese and in English; one that is for both stands where the bot's language looks first."""
    wording = criterion.wording
    if not wording or (criterion.ja and criterion.en):
        return criterion.ja, criterion.en
    if criterion.ja or criterion.en:
        return criterion.ja or wording, criterion.en or wording
    return ("", wording) if bot.language == "en" else (wording, "")


def _form(bot: Bot, criterion: Criterion | None) -> None:
    """The fields of a criterion that is there, or of a new one; what was typed stays until it is saved."""
    turn = st.session_state.setdefault("criterion-turn", 0)
    mark = f"{bot.id}-{criterion.name}" if criterion else f"{bot.id}--new-{turn}"
    shown = criterion or Criterion(name="")
    ja, en = _wordings(bot, shown)
    with st.form(f"criterion-{mark}", border=False, enter_to_submit=False):
        helps = t("judges_page.name_fixed" if criterion else "judges_page.name_help")
        left, right = st.columns(2)
        label, is_fixed = t("judges_page.name"), criterion is not None
        name = left.text_input(label, shown.name, 80, f"name-{mark}", disabled=is_fixed, help=helps)
        left, right = st.columns(2)
        example = words()["judges_page.example"]
        ja = left.text_area(t("judges_page.ja"), ja, 110, LONGEST_WORDING, f"ja-{mark}", placeholder=example["ja"])
        en = right.text_area(t("judges_page.en"), en, 110, LONGEST_WORDING, f"en-{mark}", placeholder=example["en"])
        st.caption(t("judges_page.wording_help"))
        bad = st.toggle(t("judges_page.bad_is"), shown.bad, f"bad-{mark}", help=t("judges_page.bad_help"))
        labeled = st.toggle(t("judges_page.labeled_is"), shown.labeled, f"grounds-{mark}")
        typed = Criterion(name=name, ja=ja, en=en, bad=bad, labeled=labeled)
        with st.container(horizontal=True, gap="small"):
            icon = ":material/save:" if criterion else ":material/add:"
            save = st.form_submit_button(t("common.save" if criterion else "judges_page.add_do"), icon=icon)
            if criterion and st.form_submit_button(t("common.cancel"), type="tertiary"):
                _end_editing()
        if save:
            with show_errors():
                _save(bot, typed, new=criterion is None)


def _save(bot: Bot, typed: Criterion, new: bool) -> None:
    """Write it and begin again; a new one whose name is taken is reported and changes nothing."""
    name = unicodedata.normalize("NFKC", typed.name).strip()
    if new and name in custom_criteria(bot):
        st.error(t("judges_page.name_taken", name=plain(name)), icon=":material/error:")
        return
    save_custom_criterion(bot, typed)
    st.session_state["criterion-turn"] += 1
    st.toast(t("judges_page.saved", name=plain(name)), icon=":material/check:")
    _end_editing()


def _edit(bot: Bot, criterion: Criterion) -> None:
    st.session_state[_EDITED] = (bot.id, criterion.name)


def _end_editing() -> None:
    st.session_state.pop(_EDITED, None)
    st.rerun()


def _show_deleted(bot: Bot) -> None:
    items = [
        DeletedItem(row.at, row.criterion.name, partial(restore_criterion, bot, row), row.criterion.worded(language()))
        for row in deleted_criteria(bot)
    ]
    show_deleted(t("judges_page.deleted", n=len(items)), items)
