"""Labelled rows: answers of a file, turns that people labelled, a bot's scenarios; and the two halves of them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from core.agreement.labels import NO, YES
from core.analysis.label_pools import is_chats
from core.analysis.labelled_turns import LabelledTurns
from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.tables import Cells, guess_columns
from core.base.types import Language, Sample, Scenario
from core.runs.judging.answer_files import NAMES, answer_of_row, unique_ids
from core.runs.judging.samples import sample_of
from core.store.rows import with_history
from core.store.store import Store
from core.text.language import language_of

MAX_LABEL_EXAMPLES = 1_000  # rows of labelled turns
MIN_ROWS = 12  # labelled rows and conversations: six in each half, the fewest that have an interval
_LABELS = ("label", "human_label", "verdict", "ラベル", "判定")
_CONVERSATIONS = ("group", "conversation_id", "session_id", "thread_id", "conversation", "会話")


class LabelledRow(FrozenModel):
    """A row on which a prompt is tried, with the right result."""

    id: str
    # A person's verdict in the judge's own words; "ask" or "search" for a clarifier; "" if the scenario's reference counts
    label: str
    sample: Sample
    scenario: Scenario | None = None  # None for an answer of a file
    conversation: str = ""  # rows of one conversation stay together; "" for a row by itself

    @property
    def cluster(self) -> str:
        """The key of the rows that stay together: the conversation, else the row alone."""
        return f"conversation {self.conversation}" if self.conversation else f"row {self.id}"


class Halves(NamedTuple):
    """The rows that variants are made from and chosen on, and those that only the final comparison sees."""

    development: tuple[LabelledRow, ...]
    held_out: tuple[LabelledRow, ...]


def halve(rows: Sequence[LabelledRow], seed: int) -> Halves:
    """Two halves of conversations with about as many of each label; the same rows give the same halves in any order.

    Conversations are dealt by size and label, those alike in an order drawn by the seed, each to the side on which it
    leaves labels and rows closest to even. Raises BadInput for fewer than twelve rows or conversations.
    """
    if len(rows) < MIN_ROWS:
        message = f"There are {len(rows)} labelled rows; {MIN_ROWS} are needed. Add some and try again."
        raise BadInput(message, "too_few_labelled", n=len(rows), needed=MIN_ROWS)
    together: dict[str, list[LabelledRow]] = {}
    for row in rows:
        together.setdefault(row.cluster, []).append(row)
    if len(together) < MIN_ROWS:
        message = f"The labelled rows are of {len(together)} conversations; {MIN_ROWS} are needed."
        raise BadInput(f"{message} Label turns of more.", "too_few_conversations", n=len(together), needed=MIN_ROWS)
    sides: tuple[list[LabelledRow], list[LabelledRow]] = ([], [])
    surplus: Counter[str] = Counter()  # of each label in the first half than in the second
    for group in sorted(together.values(), key=lambda group: _order(group, seed)):
        labels = Counter(row.label for row in group)
        first, second = (_unevenness(surplus, labels, sign) for sign in (1, -1))
        side = 0 if first <= second else 1
        sides[side].extend(group)
        for label, n in labels.items():
            surplus[label] += n if side == 0 else -n
    return Halves(_mixed(sides[0], seed), _mixed(sides[1], seed))


def _mixed(rows: Sequence[LabelledRow], seed: int) -> tuple[LabelledRow, ...]:
    """The rows in drawn order, one of each conversation before the second of any."""
    drawn = sorted(rows, key=lambda row: _draw(seed, row.id))
    seen: Counter[str] = Counter()
    place: dict[str, int] = {}
    for row in drawn:
        place[row.id] = seen[row.cluster]
        seen[row.cluster] += 1
    return tuple(sorted(drawn, key=lambda row: place[row.id]))


def _order(group: Sequence[LabelledRow], seed: int) -> tuple[int, list[str], str]:
    """Large conversations first, then by their labels, then by the draw."""
    return -len(group), sorted(row.label for row in group), _draw(seed, group[0].conversation or group[0].id)


def _unevenness(surplus: Counter[str], labels: Counter[str], sign: int) -> int:
    """How uneven labels and rows are if a conversation with these labels goes to the first half (1) or the second."""
    after = {label: surplus[label] + sign * labels[label] for label in {*surplus, *labels}}
    return sum(map(abs, after.values())) + abs(sum(after.values()))


def labelled_answers(cells: Sequence[Cells]) -> list[LabelledRow]:
    """The answers of a table with people's labels, those without a label left out.

    Raises BadInput if question, answer or label has no column.
    """
    columns = list(dict.fromkeys(name for row in cells for name in row))
    mapping = guess_columns(columns, NAMES)
    column = next((name for name in columns if name.strip().lower() in _LABELS), None)
    lacking = [name for name, there in (("answer", mapping.get("answer")), ("label", column)) if not there]
    if lacking or column is None:
        message = f"The file has no column {lacking[0]!r}. Add one; the columns are {', '.join(columns) or 'none'}."
        raise BadInput(message, "no_label_column", column=lacking[0], columns=", ".join(columns))
    with_label = [(number, row) for number, row in enumerate(cells, 1) if column in row]
    answers = [answer_of_row(row, mapping, number) for number, row in with_label]
    ids = unique_ids([one.id for one in answers])
    return [
        LabelledRow(id=name, label=label, sample=one.sample, conversation=_conversation(row))
        for name, one, (_, row) in zip(ids, answers, with_label, strict=True)
        if (label := str(row[column] or "").strip())
    ]


def label_examples(store: Store, labelled: LabelledTurns, judge: str) -> list[dict[str, Any]]:
    """A row per labelled turn that the judge scored: {id, group, judge, label, agrees, and what the judge saw}.

    group: the turn's conversation, which is never parted; label: people's verdict as the judge writes it (CORRECT, Yes
    …), taken from its own verdicts; empty if these do not show both words. The turns on which judge and people differ
    come first; at most a thousand. Chats are left out, since nothing is known of what was wanted.
    """
    values, truth, criterion = labelled.values(judge), labelled.people.truth.verdicts, labelled.criterion(judge)
    words: dict[str, Counter[str]] = {YES: Counter(), NO: Counter()}
    verdict_of: dict[str, str] = {}
    for turn, (label, _) in store.labels.verdicts([int(turn) for turn in values], judge, criterion).items():
        verdict_of[str(turn)] = YES if labelled.says_yes(judge, values[str(turn)]) else NO
        words[verdict_of[str(turn)]][label] += 1
    own = {verdict: counts.most_common(1)[0][0] for verdict, counts in words.items() if counts}
    if len(own) < 2 or own[YES] == own[NO]:
        return []
    judged = (turn for turn in truth if turn in verdict_of)
    example_ids = sorted(judged, key=lambda turn: verdict_of[turn] == truth[turn])[:MAX_LABEL_EXAMPLES]
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


def clarify_rows(scenarios: Iterable[Scenario]) -> list[LabelledRow]:
    """The scenarios that say whether the bot should ask."""
    known = (scenario for scenario in scenarios if scenario.needs_asking is not None)
    return [_row(scenario, "ask" if scenario.needs_asking else "search") for scenario in known]


def answer_rows(scenarios: Iterable[Scenario], language: Language, with_intent: bool = False) -> list[LabelledRow]:
    """The scenarios in a language that have a reference answer; with_intent: only those with a hidden intent."""
    return [
        _row(scenario, "")
        for scenario in scenarios
        if scenario.reference.strip()
        and language_of(scenario.question, language) == language
        and (scenario.intent.strip() or not with_intent)
    ]


def _row(scenario: Scenario, label: str) -> LabelledRow:
    reference = (scenario.reference,) if scenario.reference.strip() else ()
    sample = Sample(question=scenario.question, answer="", reference=reference, intent=scenario.intent)
    return LabelledRow(id=scenario.id, label=label, sample=sample, scenario=scenario)


def _conversation(row: Cells) -> str:
    """What the row's conversation is called; messages in a column of that name are none."""
    names = {name.strip().lower(): name for name in reversed(row)}
    for wanted in _CONVERSATIONS:
        value = row.get(names.get(wanted, ""))
        if isinstance(value, str | int) and (text := str(value).strip()) and not text.startswith(("[", "{")):
            return text
    return ""


def _draw(seed: int, name: str) -> str:
    return hashlib.sha256(f"{seed}:{name}".encode()).hexdigest()
