"""The page "what to fix": its finding, its list, and what can be done there, in both languages."""

from __future__ import annotations

import threading
import zlib
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.analysis.failures.entries import Failures
from core.analysis.failures.find import find_failures
from core.analysis.failures.sentences import fix_summary
from core.base.bot_folder import load_bot
from core.base.errors import BadInput, Stopped
from core.base.prompt_files import save_prompt
from core.base.translate import translator
from core.base.types import Sample, Scenario
from core.judges.base import Example, JudgeOptions
from core.llm.embedded import EmbeddedEngine
from core.prompts.catalog import find_prompt
from core.runs.plan import Plan
from core.runs.replay import Replacement, ReplayJob, ReplayRequest, ReplayResult
from core.simulation.scenarios import read_scenarios
from core.store.store import open_store
from pages.components.services import Loading, services
from tests.support.failing_turns import EXPENSES, LINE, VAGUE, answering, asking, run_with_failures, scores
from tests.support.page_app import healthy, is_foreign, opened, press, shown, title_of, wait_for_services

PAGE = "results/failures"
NOTHING = Replacement(stage="nothing")
REFUSED = answering("わかりません。", ("expenses.md", LINE), answered=False)


@pytest.fixture
def run(folder: Path) -> str:
    """A run with two needless refusals, a needless question and an answer whose cause is not clear."""
    silent = Scenario(id="n", question="**太字** $x$ は?", kind="faq")
    conversations: list[Any] = [
        (EXPENSES, [(REFUSED, scores(0.2))]),
        (EXPENSES, [(REFUSED, scores(0.4))]),
        (EXPENSES, [(asking(), scores(0.6))]),
        (silent, [(answering("5日です。[1]", ("care.md", "年に5日です。")), scores(0.4))]),
        (VAGUE, [(asking(said=VAGUE.question), scores(1.0))]),
    ]
    return run_with_failures(open_store(), conversations)


def key_of(cause: str, document: str, scenario: str) -> str:
    """An entry as the address names it."""
    return f"{zlib.crc32(repr((cause, document, scenario)).encode()):08x}"


def opened_entry(run: str, language: str = "ja", cause: str = "refused") -> AppTest:
    """The page with the entry of the expenses open."""
    mark = key_of(cause, "expenses.md", "q1")
    return healthy(opened(PAGE, language, bot="komachi", run=run, entry=mark))


@pytest.mark.parametrize("language", ["ja", "en"])
def test_before_any_run_the_page_leads_to_one(folder: Path, language: str) -> None:
    app = healthy(opened(PAGE, language, bot="komachi"))
    assert len(app.info) == 1 and not [text for text in shown(app) if is_foreign(text, language)]


@pytest.mark.parametrize(("language", "message"), [("ja", "5 ターン中 4 ターン"), ("en", "4 of 5 scored turns")])
def test_the_page_opens_on_its_finding(run: str, language: str, message: str) -> None:
    wait_for_services()
    assert services().index_of(load_bot("komachi"))
    app = healthy(opened(PAGE, language, bot="komachi", run=run))
    title = title_of(app)
    assert message in title and "交通費の精算" in title and ".md" not in title
    labels = [box.label for box in app.expander]
    assert "1.4" in labels[0]  # the two refusals together stand first
    assert not [text for text in shown(app) if is_foreign(text, language)]


def test_documents_are_named_by_title_and_file(run: str) -> None:
    wait_for_services()
    index = services().index_of(load_bot("komachi"))
    assert index
    app = healthy(opened(PAGE, bot="komachi", run=run))
    title = next(p.title for p in index.passages if p.document == "expenses.md")
    named = f"{title} · expenses.md"
    assert title != "expenses.md" and any(named in str(text.value).replace("\\", "") for text in app.markdown)
    assert any(named in option for option in app.selectbox(key="document_box").options)


def test_a_run_without_failures_says_so(folder: Path) -> None:
    good = answering("翌月の10日までです。[1]", ("expenses.md", LINE))
    run_with_failures(open_store(), [(EXPENSES, [(good, scores(1.0)), (good, scores(None))])])
    app = healthy(opened(PAGE, bot="komachi"))
    assert len(app.success) == 1 and any("未採点の 1 ターン" in text.value for text in app.caption)


def test_the_cause_of_the_address_is_the_one_shown(run: str) -> None:
    app = healthy(opened(PAGE, bot="komachi", run=run, cause="asked"))
    assert [head.value for head in app.subheader] == ["聞き返しの誤り"]
    app.selectbox(key="cause_box").set_value("all").run()
    assert len(healthy(app).subheader) == 3 and "".join(app.query_params["cause"]) == "all"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_an_entry_shows_turn_passages_reference_and_reasons(run: str, language: str) -> None:
    app = opened_entry(run, language)
    texts = [str(text.value) for text in app.markdown]
    assert any("わかりません" in text for text in texts)
    assert any("翌月の10日までです" in text for text in texts)
    near = {"ja": "模範解答に最も近い", "en": "closest to the reference answer"}[language]
    assert any(near in box.label for box in app.expander)
    assert not [text for text in shown(app) if is_foreign(text, language)]


def test_an_entry_highlights_verdicts_below_the_alert_mark_and_shows_repeated_ones(folder: Path) -> None:
    wrong = answering("わかりません。", ("expenses.md", LINE), answered=False)
    fair = scores(0.8, correctness=False)  # below the pass mark, not below the alert mark
    run = run_with_failures(open_store(), [(EXPENSES, [(wrong, fair)])])
    turn = open_store().conversations.turns(f"{run}-1")[0]
    open_store().scores.add(turn.id, scores(0.4), repeat=2)
    app = opened_entry(run)
    assert not [box.label for box in app.expander if ":orange" in box.label]
    assert any("繰り返しの採点" in text.value for text in app.caption)


def test_a_mark_is_set_shown_and_taken_off(run: str) -> None:
    app, key = opened_entry(run), key_of("refused", "expenses.md", "q1")
    app.text_input(key=f"note-{key}").set_value("期限の節を足した")
    healthy(press(app, f"mark-{key}"))
    marks = open_store().fixed_entries.of_bot("komachi")
    assert [(one.cause, one.note) for one in marks] == [("refused", "期限の節を足した")]
    assert "修正後はまだ実行されていません" in str(app.dataframe[-1].value.iloc[0].to_dict())
    run_with_failures(open_store(), [(EXPENSES, [(REFUSED, scores(0.2))])], "run-2")
    reopened = healthy(opened(PAGE, bot="komachi", run=run))
    assert "再発しています" in str(reopened.dataframe[-1].value.iloc[0].to_dict())
    healthy(press(reopened, "remove-mark"))
    assert open_store().fixed_entries.of_bot("komachi") == []


@pytest.mark.parametrize(("language", "label"), [("ja", "修正した内容"), ("en", "What was fixed")])
def test_the_note_of_a_mark_is_shown_beside_it_and_in_the_list_of_marks(run: str, language: str, label: str) -> None:
    note = "**期限**の節を足した"
    open_store().fixed_entries.add("komachi", ("refused", "expenses.md", "q1"), run, note)
    app = opened_entry(run, language)
    assert any(label in one.value and "\\*\\*期限\\*\\*の節を足した" in one.value for one in app.caption)
    assert app.dataframe[-1].value[label].tolist() == [note]


def replayed(app: AppTest, turn: int) -> AppTest:
    """Press the button, and look again when the replay is over."""
    press(app, f"replay-{turn}")
    job = services().replays.get(turn)
    assert job and job.wait(60)
    return app.run()


def test_a_replay_shows_both_replies_and_what_changed_and_outlasts_the_page(run: str) -> None:
    turn = open_store().conversations.turns("run-1-1")[0].id
    app = healthy(replayed(opened_entry(run), turn))
    for seen in (app, opened_entry(run)):
        both = seen.dataframe[0].value
        assert list(both.columns)[-2:] == ["前", "やり直し後"] and len(both) == 6
        assert any("10日" in str(text.value) for text in seen.markdown)


def test_a_replay_is_judged_as_the_run_was(folder: Path) -> None:
    bot = load_bot("komachi")
    save_prompt(bot, "judges/turn.en", find_prompt("judges/turn").default("en") + "Own rule.")
    shown_first = Example(sample=Sample(question="期限は？", answer="10日です。"), label="5")
    plan = Plan(bot=bot.id, judge_language="en", strict=True, examples={"turn": (shown_first,)})
    run = run_with_failures(open_store(), [(EXPENSES, [(REFUSED, scores(0.2))])], plan=plan)
    turn = open_store().conversations.turns("run-1-1")[0].id
    replayed(opened_entry(run), turn)
    job = services().replays.get(turn)
    assert job and job.request.options == JudgeOptions(
        language="en",
        guidelines=bot.guidelines,
        strict=True,
        examples=plan.examples,
        prompts=load_bot(bot.id).prompts,
    )
    assert job.request.options.prompts


def test_a_replay_that_cannot_be_done_is_reported_in_one_sentence(run: str) -> None:
    wait_for_services()
    app = opened_entry(run)
    turn = open_store().conversations.turns("run-1-1")[0].id
    app.selectbox(key=f"stage-{turn}-ja").set_value("rewrite").run()
    app.text_input(key=f"given-rewrite-{turn}").set_value(" ").run()
    replayed(app, turn)
    assert not app.exception and len(app.error) == 1 and "空です" in app.error[0].value


class BlockedReplay(ReplayJob):
    """A replay that ends with `outcome` once `may_end` is set."""

    outcome: Exception = Stopped("The reply is not wanted any more.", "stopped")

    def __init__(self, request: ReplayRequest, may_end: threading.Event) -> None:
        super().__init__(open_store(), services().indexes, request)
        self.may_end = may_end

    def work(self) -> ReplayResult:
        self.may_end.wait(60)
        raise self.outcome


def requested(replacement: Replacement = NOTHING) -> ReplayRequest:
    """A replay of the run's first turn."""
    turn = open_store().conversations.turns("run-1-1")[0]
    return ReplayRequest(EmbeddedEngine(), load_bot("komachi"), turn, replacement, ("turn",), JudgeOptions())


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_slow_replay_does_not_hold_the_page_and_can_be_called_off(run: str, language: str) -> None:
    going, request = threading.Event(), requested()
    job = services().replays.begin(BlockedReplay(request, going))
    assert services().replays.begin(BlockedReplay(request, going)) is job
    with pytest.raises(BadInput) as raised:
        services().replays.begin(BlockedReplay(requested(Replacement(stage="rewrite", query="something else")), going))
    assert raised.value.key == "replay_busy"
    turn = request.turn.id
    app = opened_entry(run, language)
    assert next(button for button in app.button if button.key == f"replay-{turn}").disabled
    assert any("このページを離れても続きます" in text or "continues if you leave" in text for text in shown(app))
    assert not [text for text in shown(app) if is_foreign(text, language)]
    if language == "ja":  # a test has only this language for the names of choices
        app.button(key=f"replay-stop-{turn}").click().run()
        assert not job.pending
    job.stop()
    going.set()
    assert job.wait(60) and not job.running
    texts = shown(opened_entry(run, language))
    assert any("中止しました" in text or "cancelled" in text for text in texts)
    assert not [text for text in texts if is_foreign(text, language)]


def test_what_breaks_in_a_replay_is_reported_without_a_traceback(run: str) -> None:
    going = threading.Event()
    going.set()
    broken = BlockedReplay(requested(), going)
    broken.outcome = ZeroDivisionError("division by zero")
    assert services().replays.begin(broken).wait(60)
    app = opened(PAGE, bot="komachi", run=run, entry=key_of("refused", "expenses.md", "q1"))
    assert not app.exception and len(app.error) == 1 and "処理に失敗しました" in app.error[0].value


def reruns_when_ready(app: AppTest) -> bool:
    """Whether the page is drawn once more if the index came while its first drawing was under way."""
    checked, at = [], services()

    def late(bot: str) -> bool:
        checked.append(bot)
        return len(checked) == 1  # at the first look only

    at.is_loading = late  # type: ignore[method-assign]
    healthy(app.run())
    del at.is_loading
    at.loading["komachi"] = Loading("ready", 10, 10)
    return len(checked) > 4  # of two drawings


@pytest.mark.parametrize("language", ["ja", "en"])
def test_while_the_index_is_built_the_page_says_what_is_unknown(run: str, language: str) -> None:
    wait_for_services()
    services().loading["komachi"] = Loading("loading", 3, 10)
    app = healthy(opened(PAGE, language, bot="komachi", run=run))
    shown_text = app.info[0].value
    names = {
        "ja": ("検索クエリの誤り", "資料が見つからない", "10 件中 3 件"),
        "en": ("Bad search query", "Passage not found", "3 of 10"),
    }
    assert all(name in shown_text for name in names[language]) and not is_foreign(shown_text, language)
    assert reruns_when_ready(app)
    assert not [one for one in healthy(app.run()).info if names[language][0] in one.value]


def test_a_turn_is_frozen_as_a_scenario_and_the_same_one_is_noticed(run: str, folder: Path) -> None:
    app = opened_entry(run)
    turn = open_store().conversations.turns("run-1-1")[0].id
    press(app, "シナリオを追加")
    assert len(app.error) == 1 and "q1" in app.error[0].value
    app.text_area(key=f"question-{turn}-ja").set_value("交通費の精算はいつまで?")
    app.text_area(key=f"reference-{turn}-ja").set_value("翌月の10日です。")
    press(app, "シナリオを追加")
    stored = read_scenarios(load_bot("komachi", folder / "knowledge"))[-1]
    assert (stored.id, stored.reference, stored.persona) == ("q1-2", "翌月の10日です。", "calm")
    assert any("q1\\-2" in text.value for text in app.success)


def test_a_frozen_scenario_keeps_the_bot_s_own_persona_and_names_one_that_is_gone(run: str, folder: Path) -> None:
    bot = load_bot("komachi", folder / "knowledge")
    with open_store().db.write() as connection:
        connection.exec_driver_sql("UPDATE conversations SET persona_id = 'neighbour', persona_name = '隣人'")
    assert any("隣人」は、現在のボットにはありません" in one.value for one in opened_entry(run).caption)
    own = '[[personas]]\nid = "neighbour"\n[personas.ja]\nname = "隣人"\n'
    (bot.folder / "personas.toml").write_text(own, "utf-8")
    app = opened_entry(run)
    turn = open_store().conversations.turns("run-1-1")[0].id
    app.text_area(key=f"question-{turn}-ja").set_value("交通費の精算はいつまで?")
    press(app, "シナリオを追加")
    assert read_scenarios(bot)[-1].persona == "neighbour"


def test_judges_that_would_decide_score_the_run_at_a_click(run: str) -> None:
    app = healthy(opened(PAGE, bot="komachi", run=run, cause="unclear"))
    assert [head.value for head in app.subheader] == ["原因不明"]
    healthy(press(app, "fix-judge"))
    job = services().judging_jobs.get(run)
    assert job and job.wait(60)
    found = {one.judge for one in open_store().tables.of_run(run).versions}
    assert "groundedness" in found


def test_a_long_list_is_cut_into_pages(folder: Path) -> None:
    conversations: list[Any] = [
        (EXPENSES.model_copy(update={"id": f"q{n}", "question": f"{n} 番の期限は?"}), [(REFUSED, scores())])
        for n in range(45)
    ]
    run_with_failures(open_store(), conversations)
    app = healthy(opened(PAGE, bot="komachi"))
    assert len([box for box in app.expander if "番の期限" in box.label]) == 20
    app.selectbox(key="from_box").set_value("40").run()
    assert len([box for box in healthy(app).expander if "番の期限" in box.label]) == 5


@pytest.mark.parametrize(
    ("language", "doubt"),
    [("ja", "言葉の重なりが食い違っています"), ("en", "A judge found the answer incorrect, although")],
)
def test_an_entry_says_where_a_judge_and_the_words_disagree(folder: Path, language: str, doubt: str) -> None:
    says = answering("翌月の10日までです。[1]", ("expenses.md", LINE))
    lacks = answering("翌月の5日までです。[1]", ("expenses.md", LINE))
    wrong = scores(0.4, correctness=False, sufficiency=True)
    other = EXPENSES.model_copy(update={"id": "q9"})
    run = run_with_failures(open_store(), [(EXPENSES, [(says, wrong)]), (other, [(lacks, wrong)])])
    for scenario, there in (("q1", True), ("q9", False)):
        mark = key_of("not_used", "expenses.md", scenario)
        app = healthy(opened(PAGE, language, bot="komachi", run=run, entry=mark))
        assert any(doubt in text.value for text in app.caption) is there
        assert not [text for text in shown(app) if is_foreign(text, language)]


def test_the_title_is_the_finding_of_the_exports(folder: Path) -> None:
    asked = asking()
    run = run_with_failures(open_store(), [(EXPENSES, [(asked, scores(0.2))]), (EXPENSES, [(REFUSED, scores(0.6))])])
    found = find_failures(open_store(), run)
    light = Failures(tuple(turn._replace(document="expenses.md") for turn in found.turns), found.scored, 0)
    title = title_of(healthy(opened(PAGE, bot="komachi", run=run)))
    assert title == fix_summary(light, translator("ja")) and "expenses" not in title


def test_marks_of_questions_that_other_runs_asked_stand_under_their_own_runs(folder: Path) -> None:
    store = open_store()
    first = run_with_failures(store, [(EXPENSES, [(REFUSED, scores(0.2))]), (VAGUE, [(asking(), scores(0.2))])])
    store.fixed_entries.add("komachi", ("refused", "expenses.md", "q1"), first)
    store.fixed_entries.add("komachi", ("asked", "", "q2"), first)
    run_with_failures(store, [(EXPENSES, [(REFUSED, scores(0.2))])], "run-2")
    run_with_failures(store, [(VAGUE, [(asking(), scores(1.0))])], "run-3")
    table = healthy(opened(PAGE, bot="komachi", run=first)).dataframe[-1].value
    assert list(table.columns)[-2:] == ["run-3", "run-2"]  # the newest leftmost
    cells = {row["run-3"]: row["run-2"] for row in table.to_dict("records")}
    assert cells == {"": "再発しています", "直っています": ""}
