"""Reviewers side by side: labels and agreement between them, and judges against choices of the better reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.agreement.agreement import JudgeAgreement, PairAgreement, ReviewerAgreement
from core.agreement.intervals import MIN_GROUPS, Statistic
from core.analysis.labelled_turns import LabelledTurns
from core.analysis.names import judge_name
from core.analysis.preferences import PreferenceCounts, preference_agreement, preference_counts
from core.analysis.trust import ends_text, figure_text, value_text
from core.chats.chats import judge_chat_turns
from core.store.store import Store
from pages.components.appearance import show_errors, show_figure
from pages.components.session import engine
from pages.components.widgets import show_rows
from pages.i18n.translate import language, t


def show_statistic(
    place: DeltaGenerator, name: str, statistic: Statistic, share: bool = False, help_text: str | None = None
) -> None:
    """A value in a frame; under it its interval, or that there are too few labels for one."""
    label, value = t(f"agreement.{name}"), value_text(statistic, share)
    show_figure(place, label, value, _interval_note(statistic, share), help_text)


def _interval_note(statistic: Statistic, share: bool) -> str:
    if statistic.low is None or statistic.high is None:
        return t("agreement.few") if statistic.value is not None else t("agreement.undefined")
    return ends_text(statistic.low, statistic.high, share)


def figure_cells(agreement: JudgeAgreement | PairAgreement, names: Sequence[str]) -> dict[str, object]:
    """Measures of agreement with their intervals as cells of a table."""
    return {t(f"agreement.{name}"): figure_text(getattr(agreement, name), name != "kappa") for name in names}


def show_counts(labelled: LabelledTurns) -> None:
    """Labels, reviewers, ties, and the share of Yes, on one line."""
    people = labelled.people
    sources = Counter(label.source for label in labelled.labels)
    seen = sum(not label.blind for label in labelled.labels)
    parts = [
        t("agreement.count_labels", n=f"{people.labels:,}"),
        t("agreement.count_turns", n=f"{len(people.truth.verdicts):,}"),
        t("agreement.count_reviewers", n=len(people.reviewers)),
        t("agreement.count_yes", share=figure_text(people.yes_share, share=True)),
    ]
    some = {name: sources[name] for name in ("thumbs", "better_of_two", "import")}
    some |= {"ties": len(people.truth.ties), "cannot": len(people.truth.undecided), "seen": seen}
    parts += [t(f"agreement.count_{name}", n=n) for name, n in some.items() if n]
    st.caption(" · ".join(parts))


def show_reviewers(people: ReviewerAgreement) -> None:
    """Alpha and agreement between reviewers, and each pair of them."""
    st.subheader(t("agreement.reviewers"), anchor=False)
    if not people.shared:
        st.caption(t("agreement.one_reviewer"))
        return
    left, middle, _ = st.columns(3)
    show_statistic(left, "alpha", people.alpha, help_text=t("agreement.alpha_help"))
    show_statistic(middle, "pairs_percent", people.percent, share=True)
    st.caption(t("agreement.shared", n=f"{people.shared:,}"))
    rows = [
        {
            t("agreement.pair"): " · ".join(pair.reviewers),
            t("agreement.n"): pair.n,
            **figure_cells(pair, ("percent", "kappa")),
        }
        for pair in people.pairs
        if pair.n
    ]
    if len(rows) > 1:
        show_rows(rows)


def show_preferences(store: Store, bot: str) -> None:
    """Each judge's order of the two replies against people's choice; nothing if nothing was chosen."""
    chosen = store.preferences.of_bot(bot)
    if not chosen:
        return
    counts = preference_counts(store, chosen)
    st.subheader(t("agreement.preferences"), anchor=False)
    st.caption(t("agreement.preferences_lead", n=f"{counts.all:,}", alike=f"{counts.alike:,}"))
    rows = [
        {
            t("agreement.judge"): judge_name(judge, t),
            t("agreement.n"): agreement.n,
            t("agreement.preferences_same"): agreement.same,
            t("agreement.preferences_opposite"): agreement.opposite,
            t("agreement.preferences_ties"): agreement.ties,
            t("agreement.preferences_share"): figure_text(agreement.share, share=True),
        }
        for judge, agreement in preference_agreement(store, chosen).items()
    ]
    if rows:
        show_rows(rows)
        st.caption(t("agreement.intervals_from", n=MIN_GROUPS))
    _show_unscored(store, counts)


def _show_unscored(store: Store, counts: PreferenceCounts) -> None:
    if not counts.unscored:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(t("agreement.preferences_unscored", n=f"{len(counts.unscored):,}"), width="content")
        if st.button(t("agreement.preferences_score"), icon=":material/gavel:", key="score-pairs"):
            with show_errors(), st.spinner(""):
                judge_chat_turns(store, engine(), counts.unscored, language())
                st.rerun()
