"""A run as one HTML file for people who do not have Kiku: it opens anywhere, and asks nothing of any network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from plotly import offline as plotly_offline

from core.analysis.failures.entries import Failures
from core.analysis.failures.sentences import fix_rows, fix_summary, points_lost_note
from core.analysis.formatting import percent, percent_range
from core.analysis.names import judge_and_criterion, judge_name
from core.analysis.run_means import JudgeScores, MeanScore
from core.analysis.run_totals import RunTotals
from core.base.translate import Translate
from core.base.types import TURN_JUDGE
from core.charts import scores as charts
from core.charts.heat_maps import heat_map
from core.charts.style import Chart, Marks, colors_text
from core.charts.titles import run_title
from core.charts.turns import turn_lines
from core.export.layout import Layout
from core.store.export_records import ExportedConversation, ExportedTurn, iterate_turn_scores

HERE = Path(__file__).parent
MAX_LISTED = 15  # scenarios, and entries of what to fix, listed
MOST_LINES = 60  # means listed
SCRIPTS = "<!-- scripts -->"  # where they stand in the template; what people said cannot hold it, since it is escaped
offline: Any = plotly_offline  # comes without types


class RenderedChart(NamedTuple):
    """A chart of the report: its finding in words, and what Plotly draws, as JSON that no tag can end."""

    name: str
    finding: str
    drawing: str
    height: int


def write_html(
    out: BinaryIO,
    layout: Layout,
    conversations: Iterable[ExportedConversation],
    totals: RunTotals,
    failures: Failures,
) -> None:
    """Score, charts, what to fix, what went worst and the worst conversations in full; `conversations` is gone through once.

    What people and models said is text, never markup.
    """
    words = _words(layout, conversations, totals, failures)
    plotly, drawing = str(offline.get_plotlyjs()).encode(), (HERE / "report.js").read_bytes()
    page = _template().render(policy=_policy(plotly, drawing), css=(HERE / "report.css").read_text("utf-8"), **words)
    before, after = page.split(SCRIPTS)  # the template would hold Plotly's five megabytes several times
    out.write(before.encode("utf-8", "replace"))
    for script in (plotly, drawing):
        out.writelines((b"<script>", script, b"</script>\n"))
    out.write(after.encode("utf-8", "replace"))


def _words(
    layout: Layout, conversations: Iterable[ExportedConversation], totals: RunTotals, failures: Failures
) -> dict[str, Any]:
    """What fills the template, without the looks and the scripts."""
    run, t = layout.run, layout.t
    shown = {conversation.id: conversation for conversation in conversations if conversation.id in totals.worst}
    fixes = list(fix_rows(failures, t))
    return {
        "t": t,
        "run": run,
        "layout": layout,
        "percent": percent,
        "title": f"{run.name or run.bot} – {t('export.report')}",
        "language": t("export.language_code"),
        "finding": _finding(layout, totals),
        "incomplete": totals.incomplete,
        "has_score": totals.score is not None,
        "run_error": layout.error_text(run.error),
        "began": layout.moment(run.created_at),
        "judge": judge_name(layout.judge, t),
        "figures": _figures(layout, totals),
        "lines": _lines(layout, totals)[:MOST_LINES],
        "fix": fixes[:MAX_LISTED],
        "fixes": len(fixes),
        "fix_finding": fix_summary(failures, t),
        "points_lost": points_lost_note(failures, t),
        "lowest": totals.lowest[:MAX_LISTED],
        "charts": _charts(layout, totals),
        "colors": [*colors_text(_marks(layout), t).values(), t("charts.color_pale"), t("charts.color_grey")],
        "worst": [(score, shown[name]) for name, score in totals.worst.items() if name in shown],
        "turn_scores": partial(iterate_turn_scores, judge=layout.judge, criterion=layout.criterion),
        "sources": _sources,
    }


@cache
def _template() -> Any:
    """The page's template; every hole is escaped, and one that is not filled is an error."""
    escaped = select_autoescape(("html",))
    environment = Environment(loader=FileSystemLoader(HERE), autoescape=escaped, undefined=StrictUndefined)
    return environment.get_template("report.html")


def _policy(*scripts: bytes) -> str:
    """What the browser may do with the file: run these scripts, draw, and no more; nothing is loaded from anywhere."""
    hashes = (base64.b64encode(hashlib.sha256(text).digest()).decode() for text in scripts)
    allowed = " ".join(f"'sha256-{one}'" for one in hashes)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; form-action 'none'; base-uri 'none'"


def _finding(layout: Layout, totals: RunTotals) -> str:
    """The report's title: the score against the pass mark; of an incomplete run, how far it came."""
    pass_mark = layout.pass_mark if layout.judge == TURN_JUDGE else None
    return run_title(totals.incomplete, totals.score, judge_name(layout.judge, layout.t), pass_mark, layout.t)


def _figures(layout: Layout, totals: RunTotals) -> list[tuple[str, str]]:
    """The numbers on top, each of how many."""
    t, counts = layout.t, totals.summary
    score, interval = _mean(totals.score)
    figures = [
        (t("scores.score"), f"{score} ({interval})" if interval else score),
        (t("scores.conversations"), _n_of(t, counts.scored_conversations, counts.conversations)),
        (t("scores.failed"), _n_of(t, counts.failed, counts.conversations)),
        (t("scores.unscored_turns"), _n_of(t, counts.unscored, counts.turns)),
    ]
    if counts.unfinished_turns:
        figures.append((t("export.count_unfinished"), f"{counts.unfinished_turns:,}"))
    return [*figures, (t("export.count_invalid"), f"{totals.invalid:,}")] if totals.invalid else figures


def _n_of(t: Translate, n: int, of: int) -> str:
    return t("scores.n_of", n=f"{n:,}", all=f"{of:,}")


def _lines(layout: Layout, totals: RunTotals) -> list[tuple[str, str, str, int]]:
    """Means by criterion: name, mean, interval, of how many."""
    t = layout.t
    return [
        (judge_and_criterion(judge, criterion, t), *_mean(score), score.n if score else 0)
        for (judge, criterion), score in totals.criteria.items()
    ]


def _mean(score: MeanScore | None) -> tuple[str, str]:
    """A mean and its interval, "" if there is none."""
    interval = score.interval if score else None
    ends = percent_range(interval.low, interval.high) if interval else ""
    return percent(score and score.mean), ends


def _charts(layout: Layout, totals: RunTotals) -> list[RenderedChart]:
    """The charts of the results page that this run has something for."""
    if totals.summary.turns == totals.summary.unscored:
        return []
    judged, t = JudgeScores(totals.frame, layout.judge, layout.lower_criteria), layout.t
    marks = _marks(layout)
    line = marks.pass_mark
    drawn = {"criteria": charts.criterion_bars(judged, marks, t)}
    if totals.personas:
        drawn["by_persona"] = charts.by_group(judged, "persona_name", marks, t)
    drawn["distribution"] = charts.distribution(judged, marks, t)
    if totals.kinds:
        drawn["by_kind"] = charts.by_group(judged, "kind", marks, t)
    if totals.frame["turn"].max() > 1:
        drawn["by_turn"] = turn_lines(judged, line, t)
    drawn["map"] = heat_map(judged, marks, t)
    return [_rendered_chart(layout, name, chart) for name, chart in drawn.items()]


def _marks(layout: Layout) -> Marks:
    """The marks that colours tell; without a pass mark only a perfect score is at it."""
    return Marks(
        1.0 if layout.pass_mark is None else layout.pass_mark, 0.0 if layout.alert_mark is None else layout.alert_mark
    )


def _rendered_chart(layout: Layout, name: str, chart: Chart) -> RenderedChart:
    """A chart on no ground of its own; nothing in it can be clicked."""
    figure: Any = chart.figure
    figure.update_layout(template="none", paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)")
    unclickable = f"<br><i>{layout.t('charts.map_open')}</i>"
    for trace in figure.data:
        if unclickable in (getattr(trace, "hovertemplate", None) or ""):
            trace.hovertemplate = trace.hovertemplate.replace(unclickable, "")
    drawing = figure.to_json().replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    heading = layout.t("export.map") if name == "map" else layout.t(f"scores.{name}")
    return RenderedChart(heading, chart.finding, drawing, int(figure.layout.height))


def _sources(turn: ExportedTurn) -> tuple[str, ...]:
    """Document and heading of each cited passage, if the record tells."""
    record: Any = json.loads(turn.record) if turn.record else None
    hits: list[Any] = record["hits"] or [] if record else []
    numbers: list[int] = record["reply"].get("cited") or [] if record else []
    shown = ((number, hits[number - 1]["passage"]) for number in numbers if 0 < number <= len(hits))
    return tuple(f"[{number}] {passage['title']} › {passage['heading']}" for number, passage in shown)
