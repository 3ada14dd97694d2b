"""Which engine replied and judged, and how far its judge can be trusted, in a line under scores."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.analysis.provenance import Standing, provenance, provenance_text, speaker_name
from core.store.headline import TURN_JUDGE
from core.store.rows import RunRow
from core.store.store import Store
from pages.components.plain_text import plain
from pages.i18n.translate import t

ICONS: dict[Standing, str] = {
    "trusted": ":material/verified:",
    "measured": ":material/straighten:",
    "not_trusted": ":material/gpp_maybe:",
}


def show_provenance(store: Store, run: RunRow, judge: str = TURN_JUDGE, version: str = "", name: str = "") -> None:
    """Say it of a run and a judge; `name` leads the line if several runs are shown."""
    origin = provenance(store, run, judge, version)
    text = plain(provenance_text(t, origin))
    icon = ICONS[origin.standing]
    mark = f":orange[{icon}]" if origin.standing == "not_trusted" else icon
    st.caption(f"{mark} {f'**{plain(name)}**　' if name else ''}{text}")


def show_engines(store: Store, runs: Sequence[RunRow], judge: str) -> None:
    """Which engines replied in these runs, and which gave the judge's scores."""
    origins = [provenance(store, run, judge) for run in runs]
    if origins:
        replied, judged = (
            t("common.comma").join(speaker_name(t, speaker) for speaker in dict.fromkeys(names))
            for names in zip(*((origin.replied, origin.judged) for origin in origins), strict=True)
        )
        st.caption(f":material/straighten: {plain(t('agreement.engines', replied=replied, judged=judged))}")


def show_trust_badge(store: Store, run: RunRow, judge: str) -> None:
    """Whether the judge behind a score can be trusted, as a badge that explains it on hover."""
    origin = provenance(store, run, judge)
    text, why = t(f"home.judge_{origin.standing}"), plain(provenance_text(t, origin))
    st.badge(text, icon=ICONS[origin.standing], color="gray", help=why)
