"""A run as one HTML file for people who do not have Kiku: it opens anywhere, and asks nothing of any network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from plotly import offline as plotly_offline

from core.analysis.aggregate import pass_verdict
from core.analysis.failures.sentences import CompactFindings, fix_rows, fix_summary
from core.analysis.formatting import percent
from core.analysis.names import criterion_name, judge_name
from core.analysis.streaming import RunTally, RunTotals, SummaryRow, run_totals
from core.base.translate import translated_stored_error
from core.charts import scores as charts
from core.charts.heat_maps import heat_map
from core.charts.titles import incomplete_title
from core.charts.turns import turn_lines
from core.export.layout import Layout
from core.store.export_records import ExportedConversation, ExportedTurn, iterate_turn_scores

HERE = Path(__file__).parent
LOWEST = 15  # scenarios, and entries of what to fix, listed
MOST_LINES = 60  # means listed
SCRIPTS = "<!-- scripts -->"  # where they stand in the template; what people said cannot hold it, since it is escaped
offline: Any = plotly_offline  # comes without types


class Chart(NamedTuple):
    """A chart of the report: its finding in words, and what Plotly draws, as JSON that no tag can end."""

    name: str
    finding: str
    drawing: str
    height: int


class RenderedTurn(NamedTuple):
    """A turn of a conversation shown in full."""

    number: int
    user: str
    reply: str
    failed: bool
    check: str
    is_failure: bool
    sources: tuple[str, ...]


class RenderedConversation(NamedTuple):
    """A conversation shown in full."""

    conversation: ExportedConversation
    score: str
    ended: str
    error: str
    turns: list[RenderedTurn]


def write_html(
    out: BinaryIO,
    layout: Layout,
    conversations: Iterable[ExportedConversation],
    findings: CompactFindings,
    lower: frozenset[str] = frozenset(),
) -> None:
    """Score, charts, what to fix (`findings`), what went worst and the worst conversations in full; `conversations` is gone through once.

    lower: the criteria of which lower is better. What people and models said is text, never markup.
    """
    words = _words(layout, conversations, findings, lower)
    plotly, drawing = str(offline.get_plotlyjs()).encode(), (HERE / "report.js").read_bytes()
    page = _template().render(policy=_policy(plotly, drawing), css=(HERE / "report.css").read_text("utf-8"), **words)
    before, after = page.split(
        SCRIPTS
    )  # kept out of the template, which would hold Plotly's five megabytes several times
    out.write(before.encode("utf-8", "replace"))
    for script in (plotly, drawing):
        out.writelines((b"<script>", script, b"</script>\n"))
    out.write(after.encode("utf-8", "replace"))


def _words(
    layout: Layout, conversations: Iterable[ExportedConversation], findings: CompactFindings, lower: frozenset[str]
) -> dict[str, Any]:
    """What fills the template, without the looks and the scripts."""
    tally = RunTally(layout.judge, layout.criterion, layout.pass_mark)
    for conversation in conversations:
        tally.add(conversation)
    frame = tally.frame(tally.judge)
    found = run_totals(tally, frame)
    run, t = layout.run, layout.t
    return {
        "t": t,
        "run": run,
        "percent": percent,
        "title": f"{run.name or run.bot} – {t('export.report')}",
        "language": t("export.language_code"),
        "finding": _finding(layout, found),
        "part": found.part(run.status),
        "run_error": translated_stored_error(t, run.error),
        "began": layout.moment(run.created_at),
        "judge": judge_name(tally.judge, t),
        "provenance": layout.provenance,
        "figures": _figures(layout, found),
        "lines": _lines(layout, found)[:MOST_LINES],
        "fix": list(islice(fix_rows(findings, t), LOWEST)),
        "fixes": len(findings.worst),
        "fix_finding": fix_summary(findings, t),
        "lowest": found.lowest[:LOWEST],
        "charts": _charts(layout, frame, lower, found.summary.turns - found.summary.unscored),
        "worst": [_shown(layout, score, conversation) for score, conversation in tally.worst()],
    }


@cache
def _template() -> Any:
    """The page's template; every hole is escaped, and one that is not filled is an error."""
    finder = FileSystemLoader(HERE)
    return Environment(loader=finder, autoescape=select_autoescape(("html",)), undefined=StrictUndefined).get_template(
        "report.html"
    )


def _policy(*scripts: bytes) -> str:
    """What the browser may do with the file: run these scripts, draw, and no more; nothing is loaded from anywhere."""
    hashes = (base64.b64encode(hashlib.sha256(text).digest()).decode() for text in scripts)
    allowed = " ".join(f"'sha256-{one}'" for one in hashes)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; form-action 'none'; base-uri 'none'"


def _finding(layout: Layout, found: RunTotals) -> str:
    """The report's title: the score against the pass mark; of a run that is not whole, how far it came."""
    t, score = layout.t, found.score.value
    if part := found.part(layout.run.status):
        return incomplete_title(part, score, t)
    if score is None:
        return t("scores.unscored")
    if layout.pass_mark is None or found.summary.judge != "turn":
        return t("scores.by_judge", judge=judge_name(found.summary.judge, t), score=percent(score))
    words = {"score": percent(score), "line": percent(layout.pass_mark)}
    return t(f"scores.{pass_verdict(found.score.interval, layout.pass_mark)}", **words)


def _figures(layout: Layout, found: RunTotals) -> list[tuple[str, str]]:
    """The numbers on top, each of how many."""
    t, counts = layout.t, found.summary
    sure = found.score.interval
    score = "–" if found.score.value is None else percent(found.score.value)
    if sure:
        score += f" ({percent(sure.low)}–{percent(sure.high)})"
    figures = [
        (t("scores.score"), score),
        (t("scores.conversations"), t("scores.n_of", n=counts.scored_conversations, all=counts.conversations)),
        (t("scores.failed"), t("scores.n_of", n=counts.failed, all=counts.conversations)),
        (t("scores.unscored_turns"), t("scores.n_of", n=counts.unscored, all=counts.turns)),
    ]
    if counts.unfinished_turns:
        figures.append((t("export.count_unfinished"), str(counts.unfinished_turns)))
    return [*figures, (t("export.count_invalid"), str(found.invalid))] if found.invalid else figures


def _lines(layout: Layout, found: RunTotals) -> list[tuple[str, str, int, str]]:
    """Means by criterion: name, mean, of how many, interval."""
    t = layout.t
    named = [
        (f"{judge_name(judge, t)}{t('export.colon')}{criterion_name(line.name, t)}", line)
        for judge, line in found.criteria
    ]
    return [(name, *_mean(line)) for name, line in named]


def _mean(line: SummaryRow) -> tuple[str, int, str]:
    sure = f"{percent(line.interval.low)}–{percent(line.interval.high)}" if line.interval else ""
    return "–" if line.value is None else percent(line.value), line.n, sure


def _charts(layout: Layout, frame: Any, lower: frozenset[str], scored: int) -> list[Chart]:
    """The charts of the results page that this run has something for."""
    if not scored:
        return []
    t, judge, line = layout.t, layout.judge, layout.pass_mark if layout.pass_mark is not None else 1.0
    drawn = {"criteria": charts.criterion_bars(frame, line, t, judge, lower)}
    if any(frame["persona_name"].unique()):
        drawn["by_persona"] = charts.by_group(frame, "persona_name", line, t, judge, lower)
    drawn["distribution"] = charts.distribution(frame, line, t, judge, lower)
    if any(frame["kind"].unique()):
        drawn["by_kind"] = charts.by_group(frame, "kind", line, t, judge, lower)
    if frame["turn"].max() > 1:
        drawn["by_turn"] = turn_lines(frame, line, t, judge)
    drawn["map"] = heat_map(frame, t, judge, lower)
    return [_chart(layout, name, figure) for name, figure in drawn.items()]


def _chart(layout: Layout, name: str, figure: Any) -> Chart:
    """A chart without its title (which stands above it as text), on no ground of its own; nothing in it can be clicked."""
    finding = unescape(str(figure.layout.title.text or ""))
    top = max(24, (figure.layout.margin.t or 60) - 36)
    figure.update_layout(title_text="", margin_t=top, height=figure.layout.height - 36, template="none")
    figure.update_layout(paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)")
    unclickable = f"<br><i>{layout.t('charts.map_open')}</i>"
    for trace in figure.data:
        if unclickable in (getattr(trace, "hovertemplate", None) or ""):
            trace.hovertemplate = trace.hovertemplate.replace(unclickable, "")
    drawing = figure.to_json().replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    heading = layout.t("export.map") if name == "map" else layout.t(f"scores.{name}")
    return Chart(heading, finding, drawing, int(figure.layout.height))


def _shown(layout: Layout, score: float, conversation: ExportedConversation) -> RenderedConversation:
    turns = [
        _rendered_turn(layout, turn, value, conversation)
        for turn, value in iterate_turn_scores(conversation, layout.judge, layout.criterion)
    ]
    return RenderedConversation(
        conversation,
        percent(score),
        layout.ended(conversation),
        translated_stored_error(layout.t, conversation.error),
        turns,
    )


def _rendered_turn(
    layout: Layout, turn: ExportedTurn, value: float | None, conversation: ExportedConversation
) -> RenderedTurn:
    check = layout.check(turn, value)
    return RenderedTurn(
        turn.number,
        turn.user_text,
        layout.reply_text(turn),
        bool(turn.error),
        check,
        layout.is_below_alert(value),
        _sources(turn),
    )


def _sources(turn: ExportedTurn) -> tuple[str, ...]:
    """Document and heading of each cited passage, if the record tells."""
    record: Any = json.loads(turn.record) if turn.record else None
    hits: list[Any] = record["hits"] or [] if record else []
    numbers: list[int] = record["reply"].get("cited") or [] if record else []
    shown = ((number, hits[number - 1]["passage"]) for number in numbers if 0 < number <= len(hits))
    return tuple(f"[{number}] {passage['title']} › {passage['heading']}" for number, passage in shown)
