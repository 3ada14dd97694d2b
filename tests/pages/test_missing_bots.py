"""Results of bots that are gone or broken, links that lead nowhere, and bots that exist already."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.base.bot_folder import load_bot
from core.base.types import Sample
from core.runs.judging.answer_files import FileAnswer
from core.runs.judging.jobs import FileRun, store_answers
from core.runs.plan import Plan
from core.store.store import open_store
from pages.components.plain_text import plain
from pages.components.services import services
from pages.i18n.translate import t, words
from tests.support.page_app import healthy, is_foreign, opened, shown, text_of
from tests.support.small_bot import BOT
from tests.support.stored_runs import a_file, a_run, a_score

RESULTS = ("results/scores", "results/failures", "results/compare", "results/clarification", "results/transcripts")
CRITERIA = (("turn", "overall"), ("turn", "correctness"), ("correctness", "correctness"))
PYTHON = '\n[external]\nkind = "python"\ncallable = "desk:reply"\n'


def finished_run(bot: str = "komachi") -> str:
    """A finished run of everybody about everything."""
    runner = services().runner
    run = runner.start(Plan(bot=bot, seed=1, cross=True))
    assert runner.wait(run, 120)
    return run


def other_bot(folder: Path, extra_toml: str = "") -> Path:
    """A second bot in the knowledge folder."""
    other = folder / "knowledge" / "other"
    shutil.copytree(folder / "knowledge" / "komachi", other)
    (other / "bot.toml").write_text(BOT.replace("小町", "別の窓口") + extra_toml, "utf-8")
    return other


@pytest.mark.parametrize("page", RESULTS)
def test_runs_of_a_bot_whose_folder_is_gone_can_still_be_read(folder: Path, page: str) -> None:
    other_bot(folder)
    run, second = finished_run(), finished_run()
    shutil.rmtree(folder / "knowledge" / "komachi")
    app = healthy(opened(page, "ja", run=run))
    assert "komachi" in app.query_params["bot"]
    assert words()["run_picker.deleted_bot_note"]["ja"] in text_of(app)
    named = [app.query_params.get(name, "") for name in ("run", "a", "b")]
    assert {one if isinstance(one, str) else one[0] for one in named} <= {run, second, ""}
    assert not [text for text in shown(app) if is_foreign(text, "ja")]


@pytest.mark.parametrize("page", RESULTS)
def test_runs_of_an_unreadable_bot_are_shown_with_the_way_to_repair_it(folder: Path, page: str) -> None:
    run = finished_run()
    finished_run()
    (folder / "knowledge" / "komachi" / "bot.toml").write_text('name = "broken', "utf-8")
    app = healthy(opened(page, "en", bot="komachi", run=run))
    assert words()["run_picker.deleted_bot_settings"]["en"] in text_of(app)
    assert app.title and "komachi/bot" in text_of(app)


@pytest.mark.parametrize("page", RESULTS)
def test_a_bot_that_left_nothing_to_read_stops_the_page_with_a_sentence(folder: Path, page: str) -> None:
    a_run(open_store(), "old")
    shutil.rmtree(folder / "knowledge" / "komachi")
    app = opened(page, "ja", bot="komachi")
    assert not app.exception
    assert [str(one.value) for one in app.error] == [words()["run_picker.deleted_bot_note"]["ja"]]


@pytest.mark.parametrize("page", RESULTS)
def test_a_link_to_a_run_or_bot_that_is_not_there_says_so(folder: Path, page: str) -> None:
    finished_run(), finished_run()
    compare = page == "results/compare"
    app = healthy(opened(page, "ja", bot="komachi", **{"b" if compare else "run": "komachi-gone"}))
    said = t("compare_link.unknown", side="B") if compare else t("transcripts.unknown_run")
    assert any(str(one.value).startswith(said) for one in app.info)
    app = healthy(opened(page, "ja", bot="**nobody**"))
    assert any("nobody" in str(one.value) and "**nobody**" not in str(one.value) for one in app.info)


def external_bot(folder: Path) -> None:
    """An external bot, with scenarios that say whether asking is needed; it fails on expenses."""
    other = other_bot(folder, PYTHON)
    code = "def reply(message, history, conversation):\n    if '交通費' in message:\n        raise ValueError('**boom**')\n"
    (other / "desk.py").write_text(code + "    return '年に5日です。'\n", "utf-8")


def test_the_clarification_page_says_what_an_external_bot_does_not_return(folder: Path) -> None:
    external_bot(folder)
    finished_run("other")
    app = healthy(opened("results/clarification", "ja", bot="other"))
    assert app.title[0].value == words()["clarification.finding_unknown"]["ja"]
    assert words()["clarification.external_bot"]["ja"] in [str(one.value) for one in app.info]
    assert not [button for button in app.button if button.key in ("ablation-start", "sweep-try")]
    assert words()["clarification.confusion"]["ja"] not in text_of(app)


def test_an_external_bot_is_simulated_without_a_switch_that_does_nothing(folder: Path) -> None:
    external_bot(folder)
    label = words()["clarification.allowed"]["ja"]
    for bot, is_off in (("komachi", False), ("other", True)):
        switches = healthy(opened("simulate/run", "ja", bot=bot)).toggle
        assert [one.disabled for one in switches if one.label == label] == [is_off]


def test_side_by_side_names_the_speaker_if_one_bot_is_external(folder: Path) -> None:
    external_bot(folder)
    speaks = words()["external_bot.speaks"]["ja"].split("{place}")[1][:6]
    embedded = words()["common.no_model"]["ja"]
    both = text_of(healthy(opened("talk/side_by_side", "ja", bot="other")))
    assert speaks in both and embedded not in both
    mixed = text_of(healthy(opened("talk/side_by_side", "ja", bot="komachi", **{"with": "bot", "other": "other"})))
    assert speaks in mixed and embedded in mixed


def test_a_comparison_shows_the_error_of_a_failed_conversation_as_a_sentence(folder: Path) -> None:
    external_bot(folder)
    finished_run("other"), finished_run("other")
    text = text_of(healthy(opened("results/compare", "ja", bot="other")))
    assert "boom" in text and "external_raised" not in text and "details" not in text


def test_files_of_answers_and_changed_external_bots_are_never_the_same_bot_twice(folder: Path) -> None:
    for run, answer in (("one", "10日です。"), ("two", "不明です。")):
        answered = FileAnswer(id="1", sample=Sample(question="期限は？", answer=answer, reference=("10日",)))
        file = FileRun(run, load_bot("komachi"), "answers.csv", ["turn", "correctness"], [answered])
        value = 1.0 if run == "one" else 0.2
        scores = [a_score(value, judge, name) for judge, name in CRITERIA]
        for mark, turn in store_answers(open_store(), file):
            open_store().scores.add(turn, scores)
            open_store().conversations.finish(mark, "")
        open_store().runs.finish(run, "done")
    app = opened("results/compare", "ja", bot="komachi", a="one", b="two")
    assert not app.exception and words()["compare.noise_same_seed"]["ja"] not in text_of(app)
    assert "-80" in app.title[0].value.replace("−", "-")
    names = next(one for one in app.selectbox if one.label == words()["compare.by"]["ja"]).options
    assert len(set(names)) == len(names) and "採点者「正確さ」" in names
    external_bot(folder)
    first, newer = finished_run("other"), finished_run("other")
    app = healthy(opened("results/compare", "ja", bot="other", a=first, b=newer))
    assert words()["compare.noise_same_seed"]["ja"] not in text_of(app)


def test_what_to_fix_says_when_asking_was_switched_off_and_names_no_document_for_it(folder: Path) -> None:
    runner = services().runner
    assert runner.wait(runner.start(Plan(bot="komachi", seed=1, cross=True, clarify=False, scenarios=("q2",))), 120)
    app = healthy(opened("results/failures", "ja", bot="komachi"))
    assert words()["failures.asking_off"]["ja"] in [str(one.value) for one in app.info]
    assert words()["failures.cause_asked"]["ja"] in app.title[0].value and ".md" not in app.title[0].value
    finished_run()
    later = healthy(opened("results/failures", "ja", bot="komachi"))
    assert words()["failures.asking_off"]["ja"] not in [str(one.value) for one in later.info]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_home_leads_to_what_to_fix_once_there_are_results(folder: Path, language: str) -> None:
    def links() -> set[str]:
        found = healthy(opened("home/home", language)).get("page_link")
        return {str(one.proto.label) for one in found}

    new = {words()[key][language] for key in ("scores.to_failures", "home.compare")}
    assert not new & links()
    finished_run()
    assert new <= links()


def test_a_text_that_turns_the_writing_round_ends_that_where_it_ends() -> None:
    assert plain("\u202eabc") == "\u202eabc\u202c"
    assert plain("\u2067\u202eabc\u2069 d") == "\u2067\u202eabc\u2069 d"
    assert plain("\u2066\u202eabc", links=False) == "\u2066\u202eabc\u202c\u2069"
    assert plain("مرحبا") == "مرحبا"


def test_home_takes_no_file_of_answers_for_the_latest_result(folder: Path) -> None:
    a_file(open_store(), "file")
    assert words()["home.no_run"]["ja"] in text_of(healthy(opened("home/home", "ja")))
    a_run(open_store(), "run")
    assert words()["home.no_run"]["ja"] not in text_of(healthy(opened("home/home", "ja")))


@pytest.mark.parametrize("page", [page for page in RESULTS if page != "results/compare"])
def test_a_link_to_a_run_of_another_bot_says_so_where_the_bot_has_none(folder: Path, page: str) -> None:
    run = finished_run()
    shutil.copytree(folder / "knowledge" / "komachi", folder / "knowledge" / "tamaki")
    app = healthy(opened(page, "ja", bot="tamaki", run=run))
    assert any("別のボット「小町" in str(one.value) for one in app.info), [one.value for one in app.info]


def test_a_button_pressed_for_a_bot_that_is_gone_starts_nothing_for_another(folder: Path) -> None:
    other = other_bot(folder)
    app = healthy(opened("simulate/run", "ja", bot="other"))
    other.rename(folder / "knowledge" / "renamed")
    app.button(key="start").click().run()
    assert not open_store().runs.all()
    assert t("run_picker.unknown_bot", bot=plain("other")) in text_of(healthy(app))
