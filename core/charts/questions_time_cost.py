"""What conversations took: clarifying questions, seconds by stage, money by role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median, quantiles

from core.analysis.clarification import mean_questions
from core.analysis.formatting import percent, seconds_text, short_label
from core.base.calls import Spending
from core.base.translate import Translate
from core.charts.style import INDIGO, PERSIMMON, Bars, Chart, apply_style, empty_chart, error_bars, horizontal_bars

STAGES = ("clarify", "rewrite", "retrieve", "answer")
TICKS = [0, 0.25, 0.5, 0.75, 1]  # of shares: the room for notes is beyond 100 %
MAX_BARS = 5  # clarifying questions that have a bar of their own


def questions_asked(questions: Mapping[int, int], unknown: int, t: Translate) -> Chart:
    """How many conversations had how many clarifying questions.

    questions: {asked: conversations}; unknown: conversations of which no decision is known (a file, an external bot),
    which are in no bar.
    """
    total = sum(questions.values())
    if not total:
        return empty_chart(t, "charts.asked_unknown")
    counts = [questions.get(n, 0) for n in range(MAX_BARS)] + [sum(c for n, c in questions.items() if n >= MAX_BARS)]
    counts = counts[: max(place for place, count in enumerate(counts) if count) + 1]
    names = [t("charts.asked_n" if n < MAX_BARS else "charts.asked_more", n=n) for n in range(len(counts))]
    shares = [count / total for count in counts]
    notes = [
        f"<b>{percent(share)}</b>  {t('charts.n', n=f'{count:,}')}" for share, count in zip(shares, counts, strict=True)
    ]
    title = t(
        "charts.asked_title", share=percent(1 - shares[0]), mean=f"{mean_questions(questions):.1f}", n=f"{total:,}"
    )
    if unknown:
        title += f"  ({t('charts.asked_without', n=f'{unknown:,}')})"
    figure = horizontal_bars(Bars(names, shares, INDIGO, notes), _beyond(shares))
    figure.update_xaxes(range=[0, max(shares) * 1.5], tickvals=TICKS, tickformat=".0%", title=None)
    return apply_style(figure, title, 94 + 38 * len(counts))


def seconds_by_stage(stages: Sequence[Mapping[str, float]], t: Translate) -> Chart:
    """Median seconds that a turn spends in each stage; the whisker holds the middle half of the turns.

    stages: one {stage: seconds} per turn that was read; a stage that a turn did not have is not counted.
    """
    seconds = {name: [turn[name] for turn in stages if name in turn] for name in STAGES}
    seconds = {name: values for name, values in seconds.items() if len(values) > 1}
    if not seconds:
        return empty_chart(t, "charts.seconds_none")
    medians = [median(values) for values in seconds.values()]
    lows, _, highs = zip(*(quantiles(values, n=4, method="inclusive") for values in seconds.values()), strict=True)
    whiskers = error_bars(medians, list(zip(lows, highs, strict=True)))
    names = [t(f"charts.stage_{name}") for name in seconds]
    notes = [
        f"<b>{seconds_text(middle, t)}</b>  {t('charts.turns', n=f'{len(values):,}')}"
        for middle, values in zip(medians, seconds.values(), strict=True)
    ]
    longest = medians.index(max(medians))
    colors = [PERSIMMON if place == longest else INDIGO for place in range(len(medians))]
    ends = _beyond([max(pair) for pair in zip(medians, highs, strict=True)])
    figure = horizontal_bars(Bars(names, medians, colors, notes), ends, whiskers)
    figure.update_xaxes(range=[0, max(highs) * 2 or 1], title=None, ticksuffix=t("charts.second"))
    title = t("charts.seconds_title", stage=names[longest], seconds=seconds_text(medians[longest], t))
    return apply_style(figure, title, 94 + 38 * len(medians))


def cost_by_role(
    spent: Mapping[str, Spending], conversations: int, money: Callable[[float], str], t: Translate
) -> Chart:
    """What each role's calls to a model cost per conversation, the dearest first; calls without a price are counted.

    conversations: that the calls were made for; money: an amount in words.
    """
    priced = {role: spending for role, spending in spent.items() if spending.calls > spending.unpriced}
    if not priced or not conversations:
        return empty_chart(t, "charts.cost_none")
    order = sorted(priced, key=lambda role: -priced[role].cost)
    costs = [priced[role].cost / conversations for role in order]
    notes = [
        f"<b>{short_label(money(cost))}</b>  {t('charts.calls', n=f'{priced[role].calls:,}')}"
        for role, cost in zip(order, costs, strict=True)
    ]
    total = sum(spending.cost for spending in priced.values())
    words = {"each": short_label(money(total / conversations)), "all": short_label(money(total))}
    title = t("charts.cost_title", **words, n=f"{conversations:,}")
    if missing := sum(spending.unpriced for spending in spent.values()):
        title += f"  ({t('charts.cost_unpriced', n=f'{missing:,}')})"
    names = [t(f"models.role_{role}") for role in order]
    figure = horizontal_bars(Bars(names, costs, INDIGO, notes), _beyond(costs))
    figure.update_xaxes(range=[0, max(costs) * 2.1 or 1], title=None, showticklabels=False)
    return apply_style(figure, title, 94 + 38 * len(order))


def _beyond(ends: Sequence[float]) -> list[float]:
    """Where the notes beside bars begin."""
    return [end + max(ends) * 0.03 for end in ends]
