"""The other version: what B is (a draft of the bot, another bot, the bot of an earlier run), and what speaks for it."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

import streamlit as st

from core.analysis.snapshot_changes import changes_between
from core.base.bot_edits import (
    apply_draft,
    can_undo,
    delete_draft,
    load_draft,
    read_draft,
    replace_settings,
    save_draft,
    undo_changes,
)
from core.base.bot_folder import load_bot, parse_bot
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import Bot
from core.llm.embedded import EmbeddedEngine
from core.store.store import Store
from pages.components.appearance import show_error, show_errors
from pages.components.bot_picker import bot_names
from pages.components.differences import field_label
from pages.components.run_picker import run_labels
from pages.components.session import engine, engine_with_model, uses_model
from pages.components.url_choice import choose_in_url, set_in_url
from pages.components.widgets import action_button
from pages.i18n.translate import language, t

KINDS = ("draft", "run", "bot")
MAX_RUNS = 20  # earlier runs to choose from


class SecondVersion(NamedTuple):
    bot: Bot
    name: str  # in words
    engine: Engine
    source: bytes | None = None  # its `bot.toml`, if it is a version of the same bot


def choose_second_version(store: Store, bot: Bot) -> SecondVersion | None:
    """Choose what B is; shows the error and returns None if it cannot be read."""
    with st.expander(t("versions.setup"), icon=":material/tune:", expanded="left" not in st.query_params):
        kinds = [kind for kind in KINDS if kind != "bot" or len(bot_names()) > 1]
        kind = choose_in_url("with", t("versions.with"), {name: t(f"versions.with_{name}") for name in kinds})
        try:
            return {"draft": _draft, "run": _version_of_run, "bot": _other_bot}[kind](store, bot)
        except BadInput as error:
            show_error(error)
            if kind == "draft":
                action_button(t("versions.discard"), "undo", delete_draft, bot)
            return None


def _draft(store: Store, bot: Bot) -> SecondVersion:
    """The bot with some settings changed; kept as a draft in the data folder."""
    draft = load_draft(bot)
    _draft_form(bot, draft)
    with st.container(horizontal=True, gap="small"):
        same = draft == bot
        action_button(t("versions.adopt"), "check", _adopt, bot, help=t("versions.adopt_help"), disabled=same)
        action_button(t("versions.discard"), "undo", _discard_draft, bot, disabled=same)
    _show_undo(bot)
    return SecondVersion(draft, t("versions.name_draft"), _engine(), read_draft(bot))


def _draft_form(bot: Bot, draft: Bot) -> None:
    """The settings that are tried out most."""
    mark = f"{bot.id}-{hash(draft.model_dump_json())}-{language()}"
    now = draft.clarify
    with st.form(f"draft-{bot.id}", border=False, enter_to_submit=False):
        left, right = st.columns(2)
        values: dict[str, Any] = {
            "prompt": left.text_area(t("bot.prompt"), draft.prompt, 200, 20_000, f"draft-prompt-{mark}"),
            "guidelines": right.text_area(t("bot.guidelines"), draft.guidelines, 200, 20_000, f"draft-guide-{mark}"),
        }
        cells = st.columns(3, vertical_alignment="bottom")
        maxima = {"max_questions": 10, "clarity_threshold": 5, "score_threshold": 5}
        for cell, (name, most) in zip(cells, maxima.items(), strict=True):
            label, key = t(f"bot.{name}"), f"draft-{name}-{mark}"
            values[f"clarify.{name}"] = cell.number_input(label, 0, most, getattr(now, name), key=key)
        values["clarify.look_first"] = st.toggle(t("bot.look_first"), now.look_first, f"draft-look-{mark}")
        st.caption(t("versions.form_help"))
        if st.form_submit_button(t("versions.use"), icon=":material/play_arrow:", type="primary"):
            with show_errors():
                changes = {name: value for name, value in values.items() if value != attrgetter(name)(draft)}
                if changes:
                    save_draft(bot, changes)
                restart_both()
                st.rerun()


def _version_of_run(store: Store, bot: Bot) -> SecondVersion | None:
    """The settings of an earlier run, with the documents of today."""
    runs = {run.id: run for run in store.runs.all(bot.id)[:MAX_RUNS] if not run.is_answer_file}
    if not runs:
        st.info(t("versions.no_runs"), icon=":material/info:")
        return None
    run = runs[choose_in_url("run", t("scores.run"), run_labels(runs.values()))]
    st.caption(t("versions.run_help"))
    snapshot = store.runs.snapshot(run.id)
    source = str(snapshot.get("bot_toml", "")).encode()
    then = parse_bot(source, bot.folder, snapshot.get("prompts") or {})
    same = then.model_copy(update={"prompts": bot.prompts}) == bot
    action_button(t("versions.adopt"), "check", _adopt, bot, source, help=t("versions.adopt_help"), disabled=same)
    _show_undo(bot)
    return SecondVersion(then, t("versions.name_run"), _engine(), source)


def _other_bot(store: Store, bot: Bot) -> SecondVersion:
    names = {name: words for name, words in bot_names().items() if name != bot.id}
    chosen = load_bot(choose_in_url("other", t("versions.which"), names))
    return SecondVersion(chosen, chosen.name, _engine())


def _engine() -> Engine:
    """What speaks for B: this session's engine, the embedded one, or another model; only asked if a model speaks."""
    if not uses_model():
        return engine()
    options = {name: t(f"versions.speaks_{name}") for name in ("same", "model", "embedded")}
    speaks = choose_in_url("speaks", t("versions.speaks"), options)
    if speaks == "embedded":
        return EmbeddedEngine()
    if speaks == "same":
        return engine()
    name = st.text_input(t("versions.model"), st.query_params.get("model", ""), 200, key="versions-model")
    st.query_params["model"] = name
    return engine_with_model(name)


def differences_text(bot: Bot, other: SecondVersion) -> str:
    """In what the settings of B differ, in words; empty if they do not, or B is another bot."""
    if other.source is None:
        return ""
    own = (bot.folder / "bot.toml").read_text("utf-8-sig")
    changes = changes_between({"bot_toml": own}, {"bot_toml": other.source.decode("utf-8-sig")}, {}, {})
    return t("common.comma").join(field_label(change) for change in changes)


def restart_both() -> None:
    """Both conversations begin again with the next message."""
    set_in_url(left="", right="")


def _adopt(bot: Bot, source: bytes | None = None) -> None:
    """Save these settings (None: the draft) as the bot's."""
    if source is None:
        apply_draft(bot)
    else:
        replace_settings(bot, source)
    restart_both()
    st.toast(t("versions.adopted"), icon=":material/check:")


def _discard_draft(bot: Bot) -> None:
    delete_draft(bot)
    restart_both()


def _show_undo(bot: Bot) -> None:
    """The way back to the settings before a version was kept."""
    if can_undo(bot):
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.caption(t("versions.previous_kept"), width="content")
            action_button(t("common.undo"), "undo", _undo_adoption, bot, type="tertiary")


def _undo_adoption(bot: Bot) -> None:
    undo_changes(bot)
    restart_both()
