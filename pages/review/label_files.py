"""Export and import of labels on the label page: files of several formats, and feedback of the chat pages."""

from __future__ import annotations

import streamlit as st

from core.analysis.label_import import NAMES, LabelField, import_labels
from core.analysis.label_pools import is_chats
from core.analysis.preferences import preference_labels, thumb_labels
from core.base.tables import MIME
from core.export.labels import LABEL_FORMATS, LabelFormat, label_rows, labels_file
from core.store.labels import CHAT_REVIEWER, MAX_REVIEWER_NAME, bot_of_chats
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.uploaded_table import choose_columns, upload_table
from pages.components.widgets import choose, download_button
from pages.i18n.translate import language, t

REQUIRED: tuple[LabelField, ...] = ("id", "label")


def show_label_files(store: Store, pool: str, reviewer: str) -> None:
    """Export, import, and thumbs as labels, in an expander that computes nothing until it is opened."""
    box = st.expander(t("label_files.title"), icon=":material/import_export:", key="label-files", on_change="rerun")
    if box.open:
        with box:
            show_box(store, pool, reviewer)


def show_box(store: Store, pool: str, reviewer: str) -> None:
    _show_export(store, pool)
    _show_import(store, pool, reviewer)
    if is_chats(pool):
        _show_feedback(store, pool)


def _show_export(store: Store, pool: str) -> None:
    st.markdown(f"**{t('export.title')}**")
    rows = label_rows(store, pool)
    if not rows:
        st.caption(t("label_files.none"))
        return
    forms: dict[LabelFormat, str] = {name: t(f"label_files.{name}") for name in LABEL_FORMATS}
    form = choose(t("export.form"), forms, control="radio", horizontal=True, key=f"label-form-{language()}")
    name = f"labels-{pool.replace(':', '-')}.{form}"
    if choices := sum("better" in row for row in rows):
        st.caption(t("label_files.with_choices", n=f"{choices:,}"))
    download_button(t("label_files.download", n=f"{len(rows):,}"), labels_file(rows, form), name, mime=MIME[form])


def _show_import(store: Store, pool: str, reviewer: str) -> None:
    st.markdown(f"**{t('label_files.import')}**")
    st.caption(t("label_files.import_lead"))
    with show_errors():
        uploaded = upload_table(t("label_files.choose"), "labels-file")
        if uploaded is None:
            return
        file, rows = uploaded
        mapping = choose_columns(uploaded, NAMES, REQUIRED, "label_files", per_row=len(NAMES))
        unnamed = st.text_input(t("label_files.unnamed"), reviewer, max_chars=MAX_REVIEWER_NAME, key="labels-unnamed")
        if st.button(t("label_files.start", n=f"{len(rows):,}"), icon=":material/upload:", key="import-labels"):
            imported = import_labels(store, pool, rows, mapping, unnamed, file.lower().endswith(".csv"))
            store.labels.save(*imported.labels)
            store.preferences.save(*imported.choices)
            for name, saved in (("done", imported.labels), ("done_choices", imported.choices)):
                if saved:
                    st.success(t(f"label_files.{name}", n=f"{len(saved):,}"), icon=":material/check:")
            for name in ("unknown", "empty", "repeated", "unchanged"):
                if count := getattr(imported, name):
                    st.warning(t(f"label_files.{name}", n=f"{count:,}"), icon=":material/info:")


def _show_feedback(store: Store, pool: str) -> None:
    """What people pressed on the chat pages as labels, marked as such."""
    bot = bot_of_chats(pool)
    for key, icon, labels in (
        ("thumbs", ":material/thumb_up:", thumb_labels(store, bot, CHAT_REVIEWER)),
        ("better_of_two", ":material/compare_arrows:", preference_labels(store, bot)),
    ):
        if labels and st.button(t(f"label_files.{key}", n=f"{len(labels):,}"), icon=icon, key=key):
            store.labels.save(*labels)
            st.success(t("label_files.done", n=f"{len(labels):,}"), icon=":material/check:")
