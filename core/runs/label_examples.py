"""Labelled turns in a judge's own words: what its prompt is optimized with, and examples it may look at first."""

from __future__ import annotations

from collections import Counter
from typing import Any

from core.agreement.labels import NO, YES
from core.analysis.judge_agreement import LabelledTurns
from core.analysis.reviews import is_chats
from core.base.types import Sample
from core.runs.judging.samples import sample_of
from core.store.rows import with_history
from core.store.store import Store

MOST = 1_000  # rows


def label_examples(store: Store, labelled: LabelledTurns, judge: str) -> list[dict[str, Any]]:
    """A row per labelled turn that the judge scored: {id, group, judge, label, agrees, and what the judge saw}.

    group: the turn's conversation, which is never parted; label: people's verdict as the judge writes it (CORRECT, Yes
    …), taken from its own verdicts; empty if these do not show both words. The turns on which judge and people differ
    come first; at most a thousand. Chats are left out, since nothing is known of what was wanted.
    """
    values, truth, criterion = labelled.values(judge), labelled.people.truth.verdicts, labelled.criterion(judge)
    words: dict[str, Counter[str]] = {YES: Counter(), NO: Counter()}
    verdict_of: dict[str, str] = {}
    for turn, (label, _) in store.reviews.verdicts([int(turn) for turn in values], judge, criterion).items():
        verdict_of[str(turn)] = YES if labelled.says_yes(judge, values[str(turn)]) else NO
        words[verdict_of[str(turn)]][label] += 1
    own = {verdict: counts.most_common(1)[0][0] for verdict, counts in words.items() if counts}
    if len(own) < 2 or own[YES] == own[NO]:
        return []
    judged = (turn for turn in truth if turn in verdict_of)
    example_ids = sorted(judged, key=lambda turn: verdict_of[turn] == truth[turn])[:MOST]
    samples = _samples(store, labelled, {int(turn) for turn in example_ids})
    return [
        {
            "id": turn,
            "group": labelled.group_of.get(turn, turn),
            "judge": judge,
            "label": own[truth[turn]],
            "agrees": verdict_of[turn] == truth[turn],
            "question": samples[turn].question,
            "answer": samples[turn].answer,
            "reference": "\n".join(samples[turn].reference),
            "contexts": list(samples[turn].contexts),
        }
        for turn in example_ids
        if turn in samples
    ]


def _samples(store: Store, labelled: LabelledTurns, turn_ids: set[int]) -> dict[str, Sample]:
    """What the judge saw of these turns."""
    samples: dict[str, Sample] = {}
    for pool in (turns for turns in labelled.turns if not is_chats(turns.pool)):
        conversations = {name for turn, name in zip(pool.ids, pool.conversations, strict=True) if turn in turn_ids}
        for conversation in sorted(conversations):
            row = store.conversations.get(conversation)
            for turn, history in with_history(store.conversations.turns(conversation, {})):
                if row and turn.id in turn_ids:
                    shown = turn.sample or (sample_of(row.scenario, turn.turn, history) if turn.turn else None)
                    samples |= {str(turn.id): shown} if shown else {}
    return samples
