"""Which engine replied and judged, and how far its judge can be trusted, in a line under scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.analysis.provenance import (
    Provenance,
    Standing,
    provenance,
    provenance_summary,
    provenance_text,
    speaker_name,
)
from core.base.types import TURN_JUDGE
from core.store.rows import RunRow
from core.store.store import Store
from pages.components.plain_text import plain
from pages.i18n.translate import t

ICONS: dict[Standing, str] = {
    "trusted": ":material/verified:",
    "measured": ":material/straighten:",
    "not_trusted": ":material/gpp_maybe:",
}


def show_provenance(store: Store, run: RunRow, judge: str = TURN_JUDGE, version: str = "") -> None:
    """Say it of a run and a judge; figures measured on public data are in the help."""
    _show_line(provenance(store, run, judge, version))


def show_provenance_of_each(store: Store, runs: Mapping[str, RunRow], judge: str) -> None:
    """Say it of several runs by name, once of those of which the same is to be said."""
    names: dict[Provenance, list[str]] = {}
    for name, run in runs.items():
        names.setdefault(provenance(store, run, judge), []).append(name)
    for origin, same in names.items():
        _show_line(origin, "" if len(same) > 1 else same[0])


def show_who_replied(store: Store, run: RunRow) -> None:
    """Say which engine replied, above figures in which no judge has a part."""
    replied = speaker_name(t, provenance(store, run, TURN_JUDGE).replied)
    st.caption(f":material/smart_toy: {plain(t('provenance.replied', replied=replied))}")


def _show_line(origin: Provenance, name: str = "") -> None:
    text, details = provenance_summary(t, origin)
    icon = ICONS[origin.standing]
    mark = f":orange[{icon}]" if origin.standing == "not_trusted" else icon
    st.caption(
        f"{mark} {f'**{plain(name)}**　' if name else ''}{plain(text)}", help=plain(details) if details else None
    )


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
