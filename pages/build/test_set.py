"""Test sets: from seed documents step by step, straight from a bot's documents, or from a log of real questions."""

from __future__ import annotations

import streamlit as st

from pages.build.test_set_review import show_document_questions, show_log
from pages.build.test_set_sources import choose_dataset, show_new
from pages.build.test_set_steps import show_steps
from pages.build.test_set_use import show_file
from pages.components.appearance import heading, show_errors
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t

SOURCES = ("seeds", "bot", "log", "file")

heading(t("test_set.title"), t("test_set.lead"))
source = choose_in_url(
    "source",
    t("test_set.source"),
    {name: t(f"test_set.source_{name}") for name in SOURCES},
    control="segmented_control",
    required=True,
)
st.caption(t(f"test_set.source_{source}_help"))
with show_errors():
    if source == "bot":
        show_document_questions()
    elif source == "log":
        show_log()
    elif source == "file":
        show_file()
    else:
        dataset = choose_dataset()
        if dataset is None:
            show_new()
        else:
            show_steps(dataset)
