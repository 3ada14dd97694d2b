"""How a conversation looks: messages, sources, why the bot asked or searched, the judge's verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.base.types import Answer, Clarify, Hit, Turn
from core.charts.names import criterion_name, label_text
from core.store.records import ScoreRow
from pages.components.judge_picker import judge_label
from pages.components.plain_text import line, plain
from pages.i18n.translate import stored_error_text, t

SCORES = ("clarity", "is_question", "is_consultation", "in_internal_docs", "ask_person")
_CITATION = re.compile(r"\[(\d{1,2})\]")


def person_says(text: str) -> None:
    """A message of the person (or of a simulated user)."""
    with st.chat_message("user", avatar=":material/person:"):
        st.markdown(plain(text))


def reply_text(text: str) -> str:
    """The bot's words as safe Markdown, citations kept as quiet marks."""
    return re.sub(r"\\\[(\d{1,2})\\\]", r":gray[\\[\1\\]]", strong(text))


def strong(text: str) -> str:
    """`plain`, but what a document prints in bold stays bold (its marks go where Markdown could not read them)."""
    return re.sub(r"\\\*\\\*(?=\S)(.+?)(?<=\S)\\\*\\\*", _bold, plain(text))


def _bold(found: re.Match[str]) -> str:
    words = found[1]
    return f"**{words}**" if words[0].isalnum() and words[-1].isalnum() else words


def bot_says(turn: Turn) -> None:
    """The bot's reply with its sources and the reasons behind it; call inside a chat message."""
    st.markdown(reply_text(turn.reply.text))
    if turn.route is None:
        seen(turn)
        told_by(turn)
        return
    match turn.reply:
        case Answer(cited=cited) if cited:
            sources(turn.hits or (), cited)
        case _:
            pass
    why(turn)


def seen(turn: Turn) -> None:
    """What a bot that exists already says it saw."""
    if not turn.passages:
        return
    st.caption(f":material/menu_book: {t('external_bot.saw')}")
    for number, passage in enumerate(turn.passages, 1):
        names = dict.fromkeys(name for name in (passage.title, passage.document) if name)
        with st.expander(f"\\[{number}\\] {line(' · '.join(names) or passage.text, 90)}", type="compact"):
            passage_text(passage.text)


def told_by(turn: Turn) -> None:
    """An expander with what a bot that exists already tells beside its words, and what it does not."""
    count = None if turn.passages is None else t("external_bot.saw_n", n=len(turn.passages))
    rows = (
        ("external_bot.asked", yes_no(turn.asked_back)),
        *((("external_bot.answered", yes_no(turn.reply.answered)),) if isinstance(turn.reply, Answer) else ()),
        ("external_bot.saw", count or t("common.unknown")),
    )
    with st.expander(t("external_bot.reported"), icon=":material/hub:", type="compact"):
        st.markdown("\n".join(f"- {t(key)}{t('external_bot.colon')}**{value}**" for key, value in rows))
        st.caption(t("external_bot.stages_unknown"))
        st.caption(t("decision.time", seconds=f"{sum(turn.seconds.values()):.2f}"))


def yes_no(value: bool | None) -> str:
    """Yes, no or unknown."""
    return t("common.unknown" if value is None else "common.yes" if value else "common.no")


def sources(hits: Sequence[Hit], cited: Sequence[int]) -> None:
    """Document, heading and text of each cited passage, by its number."""
    shown = [(number, hits[number - 1]) for number in cited if 0 < number <= len(hits)]
    if not shown:
        return
    st.caption(f":material/menu_book: {t('decision.sources')}")
    for number, hit in shown:
        with st.expander(f"\\[{number}\\] {place(hit)}", type="compact"):
            passage_text(hit.passage.text)


def place(hit: Hit) -> str:
    """Title and heading of a passage on one line."""
    passage = hit.passage
    parts = [passage.title] if passage.heading in ("", passage.title) else [passage.title, passage.heading]
    return line(" › ".join(parts), 90)


def passage_text(text: str) -> None:
    """The text of a document as it is written: no formula, link or HTML of it is drawn."""
    with st.container(border=True):
        if not _table(text):
            st.markdown(strong(text))


def _table(text: str) -> bool:
    """Draws Markdown tables in the text as tables; false where there is none."""
    blocks = re.split(r"((?:^\|.*\|[ \t]*$\n?){2,})", text, flags=re.MULTILINE)
    if len(blocks) == 1:
        return False
    for block in blocks:
        rows = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in block.strip().splitlines()]
        if block.lstrip().startswith("|") and len(rows) > 1:
            body = [row for row in rows[1:] if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]
            st.markdown("\n".join(_row(row) for row in [rows[0], ["---"] * len(rows[0]), *body]))
        elif block.strip():
            st.markdown(strong(block.strip()))
    return True


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell if cell == "---" else strong(cell) for cell in cells) + " |"


def why(turn: Turn) -> None:
    """An expander with everything that was decided in this turn."""
    asked = isinstance(turn.reply, Clarify)
    with st.expander(
        t("decision.asked" if asked else "decision.searched"), icon=":material/psychology_alt:", type="compact"
    ):
        _decision(turn)
        _assessment(turn)
        if turn.query:
            st.markdown(f"**{t('decision.query')}**  \n{plain(turn.query)}")
        if turn.topics:
            st.markdown(f"**{t('decision.topics')}**")
            _topics(turn)
        if turn.hits:
            st.markdown(f"**{t('decision.passages')}**")
            _hits(turn)
        st.caption(t("decision.time", seconds=f"{sum(turn.seconds.values()):.2f}"))


def _decision(turn: Turn) -> None:
    if turn.route is None:
        return
    st.markdown(f"**{t('decision.row')}**  \n{t(f'decision.row_{turn.route.row}')}")
    if turn.route.limit_reached:
        st.caption(t("decision.limit"))
    if turn.contact:
        st.caption(t("decision.contact", name=plain(turn.contact.name), reach=plain(turn.contact.reach)))


def _assessment(turn: Turn) -> None:
    rows = [f"| {t('decision.statement')} | {t('decision.degree')} | |", "|---|---|---|"]
    for name in SCORES:
        score = getattr(turn.assessment, name)
        rows.append(f"| {t(f'decision.{name}')} | **{score}** | {t(f'decision.score_{score}')} |")
    st.markdown("\n".join(rows))
    st.caption(t("decision.scale"))


def _topics(turn: Turn) -> None:
    rows = [{"score": t.score, "section": f"{t.title} › {t.heading}"} for t in turn.topics[:8]]
    _scored_table(rows)


def _hits(turn: Turn) -> None:
    cited = turn.reply.cited if isinstance(turn.reply, Answer) else ()
    rows = [
        {
            "number": f"[{number}]" + (f" {t('decision.cited')}" if number in cited else ""),
            "score": hit.score,
            "section": f"{hit.passage.title} › {hit.passage.heading}",
            "document": hit.passage.document,
        }
        for number, hit in enumerate(turn.hits or (), 1)
    ]
    _scored_table(rows)


def _scored_table(rows: list[dict[str, object]]) -> None:
    columns = {
        "number": st.column_config.TextColumn("", width="small"),
        "section": st.column_config.TextColumn(t("decision.section"), width="large"),
        "document": st.column_config.TextColumn(t("decision.document")),
        "score": st.column_config.ProgressColumn(
            t("decision.closeness"), format="%.2f", min_value=0, max_value=1, width=110
        ),
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=columns, width="stretch")


def verdict(scores: Sequence[ScoreRow], line_at: float, again: Sequence[ScoreRow] = ()) -> None:
    """Each judge's scores of a turn with their reasons; what could not be scored says why. `again`: repeated verdicts."""
    for judge in dict.fromkeys(score.judge for score in scores):
        mine = [score for score in scores if score.judge == judge]
        _verdict(judge, mine, line_at)
        head = next((score for score in mine if score.criterion == "overall"), mine[0])
        marks = [_short_mark(one) for one in again if (one.judge, one.criterion) == (judge, head.criterion)]
        if marks:
            st.caption(t("judging.repeated", marks=" · ".join(marks)))


def _verdict(judge: str, scores: Sequence[ScoreRow], line_at: float) -> None:
    if judge != "turn":
        _short_verdict(judge, scores)
        return
    overall = next((score for score in scores if score.criterion == "overall"), scores[0])
    marked = overall.value is not None
    parts = " · ".join(f"{_criterion(score)} {_short_mark(score)}" for score in scores if score is not overall)
    told = t("transcripts.verdict", label=plain(overall.label), parts=parts)
    label = told if marked else t("transcripts.verdict_none")
    low = marked and overall.value is not None and overall.value < line_at
    icon = ":material/priority_high:" if low else ":material/gavel:"
    with st.expander(f":orange[{label}]" if low else label, icon=icon, type="compact"):
        st.markdown("\n".join(f"- **{_criterion(score)} {_short_mark(score)}** {_reasons(score)}" for score in scores))


def _short_verdict(judge: str, scores: Sequence[ScoreRow]) -> None:
    """A judge with few criteria: its labels in the line, its reasons beneath."""
    marks = " · ".join(_short_mark(score) for score in scores)
    with st.expander(f"{plain(judge_label(judge))}: {marks}", icon=":material/gavel:", type="compact"):
        st.markdown("\n".join(f"- **{_criterion(score)} {_short_mark(score)}** {_reasons(score)}" for score in scores))


def _criterion(score: ScoreRow) -> str:
    return plain(criterion_name(score.criterion, t))


def _short_mark(score: ScoreRow) -> str:
    if score.value is None:
        return "–"
    return plain(label_text(t, score.judge, score.label, score.reasons))


def _reasons(score: ScoreRow) -> str:
    return " ".join(plain(score.reasons or stored_error_text(score.error)).split())
