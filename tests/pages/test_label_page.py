"""Label: blind until labelled, undo, skip, several reviewers, chats and files."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.analysis.trust import pools_judged_alike
from core.base.types import Score
from core.store.labels import TurnLabel, chats_of
from core.store.store import Store
from tests.support import page_app
from tests.support.page_app import healthy
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_file, a_run


def opened(language: str = "en", **asked: str) -> AppTest:
    return healthy(page_app.opened("review/label", language, **{"bot": "komachi", "reviewer": "Aya", **asked}))


def text_of(app: AppTest) -> str:
    return "\n".join(str(one.value) for kind in ("markdown", "caption") for one in getattr(app, kind)) + "\n".join(
        str(one.label) for one in app.expander
    )


def turn_of(app: AppTest) -> int:
    return int("".join(app.query_params["turn"]))


@pytest.mark.parametrize("language", ["ja", "en"])
def test_no_verdict_is_shown_before_the_reviewers_own(store: Store, language: str) -> None:
    a_run(store, "r1")
    app = opened(language, run="r1")
    first = turn_of(app)
    store.labels.save(TurnLabel(turn_id=first, reviewer="Ben", verdict="no"))
    app = opened(language, run="r1", turn=str(first))
    assert "理由" not in text_of(app) and "Ben" not in text_of(app)
    app = healthy(app.button(key="verdict-yes").click().run())
    assert turn_of(app) == first and "理由" in text_of(app) and "Ben" in text_of(app)
    assert {"ja": "採点：", "en": "Judge: "}[language] in text_of(app).replace(
        "\\", ""
    )  # which engine gave the verdict
    assert store.labels.get(first, "Aya").verdict == "yes" and store.labels.get(first, "Aya").blind


def test_next_skips_what_is_labelled_and_undo_leads_back(store: Store) -> None:
    a_run(store, "r1")
    app, seen = opened(run="r1"), list[int]()
    for name in ("yes", "no", "cannot_say"):
        seen.append(turn_of(app))
        app.button(key=f"verdict-{name}").click().run()
        app = healthy(app.button(key="move-next").click().run())
    assert len({*seen, turn_of(app)}) == 4 and app.progress[0].value == 75 if hasattr(app, "progress") else True
    app.button(key="move-undo").click().run()
    assert turn_of(app) == seen[2] and store.labels.get(seen[2], "Aya").verdict == "open"
    app.button(key="verdict-yes").click().run()
    assert not store.labels.get(seen[2], "Aya").blind  # the verdict was on show before
    app.button(key="move-next").click().run()
    left = turn_of(app)
    app.button(key="move-next").click().run()  # skipped: the only one left comes again
    assert turn_of(app) == left and store.labels.labelled("r1", "Aya") == set(seen)
    app.button(key="verdict-no").click().run()
    assert "You have labelled every turn" in healthy(app).title[0].value


def test_grades_and_texts_are_stored_before_the_verdict_too(store: Store) -> None:
    a_run(store, "r1")
    app = opened(run="r1")
    turn = turn_of(app)
    for grade in (4, 5):
        app = healthy(app.button(key=f"grade-{grade}").click().run())
    app.text_area(key=f"comment-{turn}").set_value("**x**")
    app.text_area(key=f"corrected-{turn}").set_value("25日")
    app = healthy(next(one for one in app.button if one.label == "Save comment and answer").click().run())
    found = store.labels.get(turn, "Aya")
    assert found.grades == {"understanding": 4, "relevance": 5} and found.verdict == "open"
    assert (found.comment, found.corrected) == ("**x**", "25日") and "理由" not in text_of(app)
    reloaded = opened(run="r1", turn=str(turn))  # a reload
    assert reloaded.text_area(key=f"comment-{turn}").value == "**x**"


def test_each_reviewer_has_a_way_of_his_own(store: Store) -> None:
    a_run(store, "r1")
    app = opened(run="r1")
    first = turn_of(app)
    app.button(key="verdict-yes").click().run()
    other = opened(run="r1", reviewer="Ben")
    assert turn_of(other) == first and "Aya" not in text_of(other)
    nobody = healthy(page_app.opened("review/label", "en", bot="komachi", run="r1"))
    assert not [one for one in nobody.button if str(one.key).startswith("verdict-")] and nobody.info


def test_chats_and_files_are_labelled_and_a_chat_is_judged_afterwards(store: Store) -> None:
    chat = store.chats.create("komachi")
    turn = store.chats.begin_turn(chat, "期限は？")
    store.chats.finish_turn(turn, a_turn())
    a_file(store, "f1")
    app = opened(run="chats")
    assert turn_of(app) == turn and not [one for one in app.button if one.key == "judge-now"]
    app.button(key="verdict-no").click().run()
    healthy(app.button(key="judge-now").click().run())
    assert store.labels.values(chats_of("komachi"))["turn", "understanding"].keys() == {turn}
    app = opened(run="f1")
    healthy(app.button(key="verdict-yes").click().run())
    assert "Correct" in text_of(app) or "correctness" in text_of(app)


def test_a_link_that_leads_nowhere_shows_the_next_turn(store: Store) -> None:
    a_run(store, "r1")
    app = opened(run="r1", turn="99999")
    assert app.info and turn_of(app) != 99999


@pytest.mark.parametrize("language", ["ja", "en"])
def test_labels_are_exported_and_imported_and_thumbs_become_labels(store: Store, language: str) -> None:
    chat = store.chats.create("komachi")
    turn = store.chats.begin_turn(chat, "期限は？")
    store.chats.finish_turn(turn, a_turn())
    store.chats.add_feedback(turn, "down")
    app = AppTest.from_function(shown_files, kwargs={"language": language}, default_timeout=60).run()
    assert not healthy(app).get("download_button")
    healthy(app.button(key="thumbs").click().run())
    found = store.labels.of_turn(turn)
    assert [(one.verdict, one.source) for one in found] == [("no", "thumbs")]
    assert healthy(app.run()).get("download_button")
    data = b"nr,said,who\n%s/1,yes,Ben\ngone,no,Ben\n" % chat.encode()
    app.get("file_uploader")[0].set_value(("other.csv", data, "text/csv")).run()
    for field, column in (("id", "nr"), ("label", "said"), ("reviewer", "who")):
        box = next(one for one in app.selectbox if str(one.key).startswith(f"map-{field}-"))
        box.set_value(column).run()
    healthy(app.button(key="import-labels").click().run())
    assert app.success and app.warning and store.labels.get(turn, "Ben").verdict == "yes"


def shown_files(language: str) -> None:
    import streamlit as st

    from core.store.store import open_store
    from pages.review import label_files

    st.session_state["lang"] = language
    label_files.show_box(open_store(), "chats:komachi", "Aya")


def test_the_page_says_how_many_more_labels_are_needed(store: Store) -> None:
    a_run(store, "r1", total=40)
    turns = list(store.labels.conversations("r1"))
    said = [one.value for one in opened(run="r1", reviewer="Aya").caption if "more labels" in one.value]
    assert len(said) == 1 and "30" in said[0]
    for n, turn in enumerate(turns):
        value = 0.9 if n % 4 else 0.2
        store.scores.add(
            turn, [Score(judge="turn", criterion="overall", value=value, label="", reasons="", version="v2")]
        )
        store.labels.save(TurnLabel(turn_id=turn, reviewer="Ben", verdict="yes" if n % 3 else "no"))
    said = [one.value for one in opened(run="r1", reviewer="Aya").caption if "more labels" in one.value]
    assert len(said) == 1 and "kappa" in said[0]


def test_labels_of_runs_judged_by_the_same_version_add_up(store: Store) -> None:
    for run in ("r1", "r2", "r3"):
        a_run(store, run, total=21)
    for n, turn in enumerate(store.labels.conversations("r2")):
        store.labels.save(TurnLabel(turn_id=turn, reviewer="Ben", verdict="yes" if n % 3 else "no"))
    assert pools_judged_alike(store, "komachi", "r1", "turn") == ("r1", "r2")
    said = [one.value for one in opened(run="r1", reviewer="Aya").caption if "more labels" in one.value]
    assert len(said) == 1 and "About 9 more" in said[0] and "count together" in said[0]
    for turn in store.labels.conversations("r2"):
        score = Score(judge="turn", criterion="overall", value=0.2, label="", reasons="", version="v2")
        store.scores.add(turn, [score])
    assert pools_judged_alike(store, "komachi", "r1", "turn") == ("r1",)


def test_a_criterion_without_a_grade_says_so(store: Store) -> None:
    a_run(store, "r1")
    texts = [str(one.value) for one in opened(run="r1", reviewer="Aya").markdown]
    assert sum("not graded" in text for text in texts) == 5 and not any("○" in text for text in texts)
