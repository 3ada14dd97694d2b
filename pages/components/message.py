"""The messages of a conversation, with sources, why the bot asked or searched, and the judges' scores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.formatting import NO_VALUE, seconds_text
from core.analysis.names import criterion_name, judge_name, label_text, reasoning_lines
from core.base.means import is_below
from core.base.settings import settings
from core.base.types import ASSESSMENT_SCORES, TURN_JUDGE, Answer, Clarify, Passage, Turn
from core.store.main_scores import main_criterion
from core.store.rows import ScoreRow
from core.text.markdown import is_table_line, table_rows
from pages.components.plain_text import line, markdown_table, plain
from pages.components.widgets import show_rows
from pages.i18n.translate import stored_error_text, t

USER_ICON, BOT_ICON = ":material/person:", ":material/support_agent:"


def draw_user_message(text: str) -> None:
    with st.chat_message("user", avatar=USER_ICON):
        st.markdown(plain(text))


def reply_text(text: str) -> str:
    """The bot's text as safe Markdown, its citations in grey."""
    return re.sub(r"\\\[(\d{1,2})\\\]", r":gray[\\[\1\\]]", _with_bold(text))


def _with_bold(text: str) -> str:
    """`plain`, but bold stays bold (the asterisks are dropped if Markdown would not read them)."""
    return re.sub(r"\\\*\\\*(?=\S)(.{1,400}?)(?<=\S)\\\*\\\*", _bold, plain(text))


def _bold(match: re.Match[str]) -> str:
    words = match[1]
    return f"**{words}**" if words[0].isalnum() and words[-1].isalnum() else words


def draw_reply(text: str) -> None:
    """Draw the bot's text, maybe of a file; call inside a chat message."""
    st.markdown(reply_text(text) if text.strip() else f":gray[{t('transcripts.empty_answer')}]")


def bot_message() -> DeltaGenerator:
    return st.chat_message("assistant", avatar=BOT_ICON)


def draw_exchange(user_text: str, reply_text: str) -> None:
    """Draw a message and its reply without sources and reasons."""
    draw_user_message(user_text)
    with bot_message():
        draw_reply(reply_text)


def draw_bot_message(turn: Turn) -> None:
    """Draw the bot's reply with its sources and the reasons for it; call inside a chat message."""
    draw_reply(turn.reply.text)
    if turn.route is None:
        draw_numbered_passages(t("external_bot.saw"), dict(enumerate(turn.passages or (), 1)))
        _show_external_report(turn)
        return
    cited = turn.reply.cited if isinstance(turn.reply, Answer) else ()
    found = {number: hit.passage for number, hit in enumerate(turn.hits or (), 1)}
    draw_numbered_passages(t("decision.sources"), {number: found[number] for number in cited if number in found})
    _show_decision(turn)


def draw_numbered_passages(label: str, passages: Mapping[int, Passage]) -> None:
    """Draw passages by their numbers, under a label; nothing if there are none."""
    if passages:
        st.caption(f":material/menu_book: {label}")
    for number, passage in passages.items():
        draw_numbered_passage(number, passage)


def _show_external_report(turn: Turn) -> None:
    """Show what an external bot reports besides its reply, and what it leaves open."""
    count = None if turn.passages is None else t("external_bot.saw_n", n=len(turn.passages))
    rows = (
        ("external_bot.asked", yes_no(turn.asked_back)),
        *((("external_bot.answered", yes_no(turn.reply.answered)),) if isinstance(turn.reply, Answer) else ()),
        ("external_bot.saw", count or t("common.unknown")),
    )
    with st.expander(t("external_bot.reported"), icon=":material/hub:", type="compact"):
        st.markdown("\n".join(f"- {t(key)}{t('common.colon')}**{value}**" for key, value in rows))
        st.caption(t("external_bot.stages_unknown"))
        st.caption(t("decision.time", time=seconds_text(sum(turn.seconds.values()), t)))


def yes_no(value: bool | None) -> str:
    return t("common.unknown" if value is None else "common.yes" if value else "common.no")


def draw_numbered_passage(number: int, passage: Passage, badge: str = "") -> None:
    """Draw a passage in an expander labelled with its number, its name and a badge (Markdown)."""
    with st.expander(f"{passage_name(number, passage)}{badge}", type="compact"):
        draw_passage(passage.text)


def passage_name(number: int, passage: Passage) -> str:
    """A passage's number and name: title and heading, or (it has no heading) title and document, or else its text."""
    names = dict.fromkeys((passage.label,) if passage.heading else (passage.title, passage.document))
    return f"\\[{number}\\] {line(' · '.join(filter(None, names)) or passage.text, 90)}"


def draw_passage(text: str) -> None:
    """Draw the text of a document letter by letter, with its Markdown tables as tables."""
    with st.container(border=True):
        for block in re.split(r"((?:^\|.*\|[ \t]*$\n?){2,})", text, flags=re.MULTILINE):
            lines = block.strip().splitlines()
            if is_table_line(block) and len(lines) > 1:
                st.markdown(markdown_table(*([_with_bold(cell) for cell in row] for row in table_rows(lines))))
            elif block.strip():
                st.markdown(_with_bold(block.strip("\n")))


def _show_decision(turn: Turn) -> None:
    """Show why the bot asked or searched: the rule or what overrode it, the assessment, the query and its passages."""
    asked = isinstance(turn.reply, Clarify)
    label = t("decision.asked" if asked else "decision.searched")
    with st.expander(label, icon=":material/psychology_alt:", type="compact"):
        if turn.route:
            rule = t(f"decision.rule_{turn.route.rule}")
            if turn.route.override:
                st.markdown(f"**{t(f'decision.override_{turn.route.override}')}**")
                st.caption(t("decision.rule_overridden", rule=rule))
            else:
                st.markdown(f"**{t('decision.rule')}**  \n{rule}")
            if turn.route.limit_reached:
                st.caption(t("decision.limit"))
            if turn.route.reason == "profile" and not turn.route.override:
                st.caption(t("decision.by_profile"))
            if turn.contact:
                st.caption(t("decision.contact", name=plain(turn.contact.name), reach=plain(turn.contact.reach)))
        _draw_assessment(turn)
        if turn.earlier:
            st.markdown(f"**{t('chat.earlier_sent')}**")
            st.code(turn.earlier, language=None, wrap_lines=True)
        if turn.query:
            st.markdown(f"**{t('decision.query')}**  \n{plain(turn.query)}")
        if turn.sections:
            sections = turn.sections[:8]
            rows = [{"score": hit.score, "section": f"{hit.title} › {hit.heading}"} for hit in sections]
            _draw_hits("decision.sections", rows)
        if turn.hits:
            _draw_hits("decision.passages", _hit_rows(turn))
        st.caption(t("decision.time", time=seconds_text(sum(turn.seconds.values()), t)))


def _draw_assessment(turn: Turn) -> None:
    """Draw the scores in words, what applies most first."""
    scores: dict[str, int] = {name: getattr(turn.assessment, name) for name in ASSESSMENT_SCORES}
    rows = [
        (t(f"decision.{name}"), t("decision.degree_of", words=t(f"decision.score_{score}"), score=score))
        for name, score in sorted(scores.items(), key=itemgetter(1))
    ]
    st.markdown(markdown_table((t("decision.statement"), t("decision.degree")), *rows))
    st.caption(t("decision.scale"))


def _hit_rows(turn: Turn) -> list[dict[str, object]]:
    cited = turn.reply.cited if isinstance(turn.reply, Answer) else ()
    return [
        {
            "number": f"[{number}]" + (f" {t('decision.cited')}" if number in cited else ""),
            "score": hit.score,
            "section": f"{hit.passage.title} › {hit.passage.heading}",
            "document": hit.passage.document,
        }
        for number, hit in enumerate(turn.hits or (), 1)
    ]


def _draw_hits(title: str, rows: list[dict[str, object]]) -> None:
    st.markdown(f"**{t(title)}**")
    columns = {
        "number": st.column_config.TextColumn("", width="small"),
        "section": st.column_config.TextColumn(t("decision.section"), width="large"),
        "document": st.column_config.TextColumn(t("failures.document")),
        "score": st.column_config.ProgressColumn(t("scores.score"), format="%.2f", min_value=0, max_value=1, width=110),
    }
    show_rows(rows, column_config=columns, width="stretch")


def draw_verdicts(scores: Sequence[ScoreRow], repeated: Sequence[ScoreRow] = ()) -> None:
    """Draw each judge's scores of a turn with reasons or errors. `repeated`: further scores by the same judges."""
    for judge in dict.fromkeys(score.judge for score in scores):
        own = [score for score in scores if score.judge == judge]
        criterion = main_criterion([score.criterion for score in own])
        main_score = next(score for score in own if score.criterion == criterion)
        label, is_alert = _verdict_label(judge, own, main_score)
        icon = ":material/priority_high:" if is_alert else ":material/gavel:"
        with st.expander(f":orange[{label}]" if is_alert else label, icon=icon, type="compact"):
            st.markdown("\n".join(f"- **{_criterion(score)} {_label(score)}** {_reasons(score)}" for score in own))
            _draw_reasoning(own)
        same = (score for score in repeated if (score.judge, score.criterion) == (judge, main_score.criterion))
        if labels := list(map(_label, same)):
            st.caption(t("judging.repeated", labels=" · ".join(labels)))


def _draw_reasoning(scores: Sequence[ScoreRow]) -> None:
    """Draw the steps, claims and conclusion behind a judge's scores."""
    lines = [text for score in scores if score.reasoning for text in reasoning_lines(score.reasoning, t)]
    if lines:
        st.caption(f":material/checklist: {t('transcripts.reasoning')}")
        st.markdown("\n".join(f"1. {plain(text)}" for text in lines))


def _verdict_label(judge: str, scores: Sequence[ScoreRow], main_score: ScoreRow) -> tuple[str, bool]:
    """The scores on one line, and whether they are below the alert mark (which only counts for the turn judge)."""
    if judge != TURN_JUDGE:
        return f"{plain(judge_name(judge, t))}{t('common.colon')}{' · '.join(map(_label, scores))}", False
    if main_score.value is None:
        return t("common.unscored"), False
    parts = " · ".join(f"{_criterion(score)} {_label(score)}" for score in scores if score is not main_score)
    is_alert = is_below(main_score.value, settings().alert_mark)
    return t("transcripts.verdict", label=plain(main_score.label), parts=parts), is_alert


def _criterion(score: ScoreRow) -> str:
    return plain(criterion_name(score.criterion, t))


def _label(score: ScoreRow) -> str:
    if score.value is None and not score.label:
        return NO_VALUE
    return plain(label_text(t, score.judge, score.label, score.reasons))


def _reasons(score: ScoreRow) -> str:
    return " ".join(plain(score.reasons or stored_error_text(score.error)).split())
