"""Questions straight from a bot's documents: answered by a section, open on purpose, or out of scope; each checked."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz

from core.base.errors import no_usable_reply
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, usable_reply
from core.base.types import Language
from core.datasets.document_questions.open_questions import Attributes, choices_of
from core.datasets.document_questions.out_of_scope import answering, out_of_scope, topics
from core.datasets.document_questions.rules.table_rows import around_row, plain_answer
from core.datasets.document_questions.section import Section, WrittenQuestion, section_of
from core.datasets.document_questions.write_questions import CheckAbsent, WriteOutOfScope, WriteQuestions
from core.datasets.duplicates import Questions, copies_heading
from core.datasets.items import DroppedQuestion, Item, SourceSentence
from core.documents.documents import Document
from core.documents.passages import passages
from core.retrieval.lexical import Lexical
from core.text.language import script
from core.text.normalize import normalize

OUT_OF_SCOPE_SHARE = 0.2  # of the questions
OPEN_SHARE = 0.15  # of the questions; they leave out what the answer depends on
MAX_SAME_FRAME_SHARE = 0.12  # of the answered questions that may begin, or end, with the same words
MAX_RANK = 2  # a question whose own section ranks below this does not say what it is about
MAX_TRIES = 2  # replies of a model on one section
MAX_UNUSABLE = 10  # sections without any usable reply, after which the run fails
CHECKED_PASSAGES = 4  # that an out-of-scope question is checked against


class QuestionSet(FrozenModel):
    """The questions, and those that failed a check."""

    items: tuple[Item, ...]
    dropped: tuple[DroppedQuestion, ...] = ()


class DocumentQuestionOptions(FrozenModel):
    """How many questions to generate, and for which bot."""

    count: int = 100
    seed: int = 0
    language: Language = "ja"
    by_model: bool = False  # the engine calls a model, so only as many sections are sent to it as are needed
    attributes: Attributes = ()  # (name, values) of what the bot knows about its users
    description: str = ""  # of the bot
    prefix: str = "q"  # of the questions' ids


class _Candidate(NamedTuple):
    """A question written for a section."""

    section: Section
    written: WrittenQuestion
    place: int  # among the section's questions
    rank: int  # of the section among all sections that the question's words find


class _Job(NamedTuple):
    """What every step works with."""

    engine: Engine
    options: DocumentQuestionOptions
    sections: Sequence[Section]
    lexical: Lexical  # index of the sections
    seen: Questions  # existing questions and those picked so far
    dropped: list[DroppedQuestion]


def generate_questions(
    engine: Engine,
    documents: Sequence[Document],
    existing: Iterable[str],
    options: DocumentQuestionOptions,
    report_progress: Callable[[int], None] = lambda done: None,
) -> QuestionSet:
    """`options.count` questions from documents, in an order drawn by the seed; fewer if the documents give no more.

    Questions in `existing` are not repeated. report_progress gets the number of questions so far and may raise Stopped.
    """
    sections = [section_of(passage) for document in documents for passage in passages(document)]
    job = _Job(engine, options, sections, _index(sections), Questions(existing), [])
    out_of_scope_count = round(options.count * OUT_OF_SCOPE_SHARE)
    answered_count = options.count - out_of_scope_count
    candidates = _find(job, answered_count, report_progress)
    opened = _pick_open(job, candidates, round(options.count * OPEN_SHARE))
    answered = [*_pick_answered(job, candidates, opened, answered_count - len(opened)), *opened]
    most_unanswered = round(len(answered) * OUT_OF_SCOPE_SHARE / (1 - OUT_OF_SCOPE_SHARE))
    wanted = min(out_of_scope_count, most_unanswered)
    items = [*answered, *_pick_out_of_scope(job, wanted, lambda number: report_progress(len(answered) + number))]
    report_progress(len(items))
    named = [item.model_copy(update={"id": f"{options.prefix}-{number:03}"}) for number, item in enumerate(items, 1)]
    return QuestionSet(items=tuple(named), dropped=tuple(job.dropped))


def _by_turns(sections: Sequence[Section], seed: int) -> list[Section]:
    """The sections, one of each document by turns, in an order drawn by the seed."""
    rng = random.Random(seed)
    of_document: dict[str, list[Section]] = defaultdict(list)
    for section in rng.sample(list(sections), len(sections)):
        of_document[section.document].append(section)
    queues, order = list(of_document.values()), list[Section]()
    while any(queues):
        order += [queue.pop() for queue in queues if queue]
    return order


def _index(sections: Sequence[Section]) -> Lexical:
    language = script("\n".join(section.text for section in sections[:20]))
    heads = [f"{section.title}\n{section.heading}" for section in sections]
    return Lexical([section.text for section in sections], language, heads)


def _find(job: _Job, wanted: int, report_progress: Callable[[int], None]) -> list[_Candidate]:
    """The questions of the sections, in an order drawn by the seed; a model is called until there are enough.

    Raises BadInput (`no_usable_reply`) if none of the first replies can be used.
    """
    candidates: list[_Candidate] = []
    places = {section: place for place, section in enumerate(job.sections)}
    for asked, section in enumerate(_by_turns(job.sections, job.options.seed), 1):
        report_progress(min(len(candidates), wanted))
        candidates += [
            _Candidate(section, written, place, _rank(job.lexical, written.question, places[section]))
            for place, written in enumerate(_write(job, section))
        ]
        if job.options.by_model and len(candidates) >= round(wanted * 1.3):
            break
        is_useless = not candidates and all(question.why == "no_reply" for question in job.dropped)
        if job.options.by_model and is_useless and asked == min(MAX_UNUSABLE, len(places)):
            raise no_usable_reply(asked)
    return candidates


def _rank(lexical: Lexical, question: str, place: int) -> int:
    """The rank of a section for a question: one that another section answers as well names too little."""
    scores = lexical.scores(question)
    return 1 + int((scores > float(scores[place])).sum())


def _write(job: _Job, section: Section) -> list[WrittenQuestion]:
    """The section's questions that pass the checks; a model gets a second try, with the reasons for the failures."""
    good: list[WrittenQuestion] = []
    bad: list[DroppedQuestion] = []
    for attempt in range(MAX_TRIES):
        prompt = WriteQuestions(
            title=section.title,
            heading=section.heading,
            text=section.text,
            attributes=job.options.attributes,
            avoid=tuple(f"{written.question} ({written.why})" for written in bad),
            language=job.options.language,
            seed=attempt,
        )
        reply = usable_reply(job.engine, prompt)
        if reply is None:
            bad.append(_dropped("", "no_reply", section))
        failed = [(written, why_unusable(written, section)) for written in (reply.questions if reply else ())]
        good += [written for written, why in failed if not why]
        bad += [_dropped(written.question, why, section) for written, why in failed if why]
        if not job.options.by_model or good:
            break
    job.dropped.extend(bad)
    return good


def why_unusable(written: WrittenQuestion, section: Section) -> str:
    """Why a question cannot be used; "" if it can."""
    if not written.question.strip():
        return "empty"
    if not written.reference.strip() or written.reference not in section.text:
        return "not_in_document"
    if copies_heading(written.question, section.topic) and not section.asked:
        return "copies_heading"
    if len(written.reference) > 20 and fuzz.ratio(normalize(written.question), normalize(written.reference)) >= 97:
        return "copies_sentence"
    return ""


def _dropped(question: str, why: str, section: Section) -> DroppedQuestion:
    return DroppedQuestion(question=question, why=why, document=section.document, heading=section.heading)


def _pick_open(job: _Job, candidates: Sequence[_Candidate], wanted: int) -> list[Item]:
    """Questions with what the answer depends on left out; the right choice is the hidden fact of the simulated user."""
    picked: list[Item] = []
    documents: Counter[str] = Counter()
    asked: set[tuple[str, str]] = set()
    for candidate in candidates:
        section, question = candidate.section, candidate.written.open_question
        if len(picked) == wanted:
            break
        if documents[section.document] >= max(2, wanted // 5) or (section.document, section.heading) in asked:
            continue
        choices = _choices(job, candidate) if question else ()
        if len(choices) < 2 or candidate.written.value not in choices or job.seen.like(question):
            continue
        documents[section.document] += 1
        asked.add((section.document, section.heading))
        job.seen.add(question)
        picked.append(_open_item(candidate, choices, job.options.language))
    return picked


def _choices(job: _Job, candidate: _Candidate) -> tuple[str, ...]:
    """What the open question can mean; for a model's question all its values, if its section has several of them."""
    written, section = candidate.written, candidate.section
    if job.options.by_model and sum(value in section.text for value in written.values) > 1:
        return written.values
    return choices_of(written.values, written.reference, section, job.sections)


def _open_item(candidate: _Candidate, choices: tuple[str, ...], language: Language) -> Item:
    written = candidate.written
    wish = "{0}の場合について知りたい: {1}" if language == "ja" else "I want to know this for {0}: {1}"
    opened = {
        "kind": "vague",
        "question": written.open_question,
        "intent": wish.format(written.value, written.question),
        "facts": f"{written.attribute}: {written.value}",
        "needs_asking": True,
        "choices": choices,
    }
    return _item(candidate).model_copy(update=opened)


def _item(candidate: _Candidate) -> Item:
    written, section = candidate.written, candidate.section
    texts = (written.reference, *around_row(written.reference, section))
    return Item(
        id="",
        kind="faq",
        question=written.question,
        answer=plain_answer(written.reference, section, written.question, written.value),
        evidence=tuple(SourceSentence(document=section.document, text=text) for text in texts),
        documents=(section.document,),
        heading=section.heading,
        needs_asking=False,
    )


def _pick_answered(job: _Job, candidates: Sequence[_Candidate], opened: Sequence[Item], wanted: int) -> list[Item]:
    """The surest questions, each reference once, spread over sections, documents and ways to ask."""
    used = {source.text for item in opened for source in item.evidence}
    ranked = [candidate for candidate in candidates if candidate.rank <= MAX_RANK]
    if not job.options.by_model:
        ranked.sort(key=lambda candidate: (candidate.place, candidate.rank))
    picked: list[Item] = []
    chosen: Counter[tuple[str, str]] = Counter()
    documents: Counter[str] = Counter()
    frames: Counter[str] = Counter()
    for limit in range(1, wanted + 1):  # of the questions of one document
        for candidate in ranked:
            section, written = candidate.section, candidate.written
            place = (section.document, section.heading)
            if len(picked) == wanted:
                return picked
            if written.reference in used or documents[section.document] >= limit or chosen[place] * 4 > limit:
                continue
            frame = _frame(written.question)
            max_same_frame = max(2, limit * MAX_SAME_FRAME_SHARE * wanted)
            if not job.options.by_model and limit < wanted and any(frames[part] >= max_same_frame for part in frame):
                continue
            used.add(written.reference)
            if job.seen.like(written.question) is not None:
                job.dropped.append(_dropped(written.question, "duplicate", section))
                continue
            documents[section.document] += 1
            chosen[place] += 1
            frames.update(frame)
            job.seen.add(written.question)
            picked.append(_item(candidate))
    return picked


def _frame(question: str) -> tuple[str, str]:
    """The beginning and end of a question. Many with the same ones read as if a machine wrote them."""
    if script(question) == "en":
        asked = question.split()
        return "^" + " ".join(asked[:3]), " ".join(asked[-4:])
    return question[:6], question[-12:]


def _pick_out_of_scope(job: _Job, wanted: int, report_progress: Callable[[int], None]) -> list[Item]:
    """Out-of-scope questions that no section answers, each checked. report_progress gets the number so far."""
    if not job.sections or wanted <= 0:
        return []
    picked: list[Item] = []
    for question, document in _out_of_scope(job, wanted):
        if len(picked) == wanted:
            break
        report_progress(len(picked))
        if job.seen.like(question):
            continue
        if answering(question, job.sections) or _answered(job, question):
            job.dropped.append(DroppedQuestion(question=question, why="not_absent", document=document))
            continue
        job.seen.add(question)
        picked.append(Item(id="", kind="out_of_scope", question=question, documents=(document,), needs_asking=False))
    return picked


def _out_of_scope(job: _Job, wanted: int) -> Iterator[tuple[str, str]]:
    """(question, nearest document): questions of a model, then those of `out_of_scope.<language>.toml`."""
    sections, options = job.sections, job.options
    places = topics(sections)
    if options.by_model and places:
        rng = random.Random(options.seed)
        names = rng.sample(sorted(places), min(len(places), 2 * wanted))
        headings = [tuple(section.topic for section in sections if section.document == places[name]) for name in names]
        prompt = WriteOutOfScope(
            description=options.description,
            topics=tuple(zip(names, headings, strict=True)),
            count=round(wanted * 1.3),
            language=options.language,
        )
        reply = usable_reply(job.engine, prompt)
        for question in reply.questions if reply else ():
            yield question.question.strip(), places.get(question.topic, "")
    yield from out_of_scope(sections, options.language, options.seed, job.lexical)


def _answered(job: _Job, question: str) -> bool:
    """Whether the nearest passages answer a question, as a model sees it."""
    if not job.options.by_model:
        return False
    sections, scores = job.sections, job.lexical.scores(question)
    nearest = sorted(range(len(sections)), key=lambda place: -float(scores[place]))[:CHECKED_PASSAGES]
    shown = tuple(f"{sections[place].heading}\n{sections[place].text}" for place in nearest)
    reply = usable_reply(job.engine, CheckAbsent(question=question, passages=shown, language=job.options.language))
    return reply is not None and reply.answered
