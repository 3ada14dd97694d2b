"""Charts of clarifying questions: differences with their notes apart, and thresholds of a run without questions."""

from __future__ import annotations

from core.analysis.ablation import Ablation
from core.analysis.clarification import Rate
from core.analysis.threshold_sweep import SweepPoint, ThresholdSweep
from core.base.translate import translator
from core.charts.clarification import ablation_chart, sweep_chart
from core.charts.questions_time_cost import questions_asked

t = translator("ja")


def point(clarity: int, recall: float, needless: float = 0.0) -> SweepPoint:
    hits = round(3 * recall), round(13 * needless)
    return SweepPoint(
        clarity_threshold=clarity,
        score_threshold=2,
        recall=Rate(hits=hits[0], n=3, scenarios=3, value=recall),
        needless=Rate(hits=hits[1], n=13, scenarios=10, value=needless),
        questions=0.2,
    )


def test_a_difference_is_written_beside_the_chart_with_its_interval_or_that_there_is_none() -> None:
    wide = Ablation(group="all", pairs=16, left_out=0, difference=0.042, low=-0.01, high=0.142)
    bare = Ablation(group="needed", pairs=3, left_out=0, difference=0.222)
    figure = ablation_chart([wide, bare], t).figure
    marks, notes = figure.data
    assert notes.text[0].startswith("<b>+4.2</b>  16 組<br>") and "−1.0 〜 +14.2" in notes.text[0]
    assert "+22.2" in notes.text[1] and "区間なし" in notes.text[1]
    furthest = max([*marks.x, 14.2])
    assert min(notes.x) > furthest and max(figure.layout.xaxis.tickvals) <= furthest * 1.15


def test_the_point_of_a_run_without_questions_is_what_would_have_been() -> None:
    own, best = point(1, 1.0), point(0, 0.0)
    sweep = ThresholdSweep(points=(own, best), conversations=16, left_out=0, reproduced=16)
    names = [[trace.name for trace in sweep_chart(sweep, own, None, t, asked).figure.data] for asked in (True, False)]
    assert "この実行のしきい値" in names[0]
    assert "ボットのしきい値（聞き返しを使った場合）" in names[1] and "この実行のしきい値" not in names[1]


def test_the_axis_of_shares_ends_at_100_percent() -> None:
    figure = questions_asked({0: 9, 1: 1}, 0, t).figure
    assert max(figure.layout.xaxis.tickvals) == 1
