"""What a message tells of that is bad for somebody, in one answer that bot and judge share."""

import pytest

from core.text.distress.distress import distress_of


@pytest.mark.parametrize(
    ("text", "emergency", "trouble", "feeling"),
    [
        ("昨日、祖母が亡くなりました", None, "bereavement", "bereavement"),
        ("祖母が亡くなり忌引は何日もらえますか", None, "bereavement", "bereavement"),
        ("somebody stole my phone and I am scared", "lost_device", None, "worry"),
        (
            "a guy wrote on a public board that he is going to kill himself tonight. what do i do",
            None,
            "announced",
            None,
        ),
        ("同僚からいじめを受けています", None, "harassment", None),
        ("明日が発表なのに開けなくて泣きそうです", None, None, "worry"),
        ("I'm about to cry, the board won't load", None, None, "worry"),
        ("somebody at the gate hit me", None, "danger", None),
        ("dad hits me", None, "danger", None),
        ("heard the fee goes up. when does that hit me?", None, None, None),
        ("仕事が長引いてバスがなくなって歩いて帰りました", None, None, None),
        ("片方のデータセンターが火事になっても、もう1か所は残りますか", None, None, None),
        ("my father passed away and I want to know if I can have his notes", None, "bereavement", "bereavement"),
    ],
)
def test_each_part_of_the_answer_is_read_by_itself(
    text: str, emergency: str | None, trouble: str | None, feeling: str | None
) -> None:
    found = distress_of(text)
    assert (found.emergency, found.trouble, found.feeling) == (emergency, trouble, feeling)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("母が入院しました", True),
        ("死にたいです", True),
        ("同僚が倒れて意識がありません", False),  # there is no time for it
        ("返事が三週間もありません", False),
        ("申請書の記入漏れを確認したい", False),
    ],
)
def test_facts_alone_are_cold_for_some_of_it(text: str, calls: bool) -> None:
    assert distress_of(text).calls_for_sympathy == calls


@pytest.mark.parametrize(
    ("text", "emergency", "feeling"),
    [
        ("祖父が急に胸を押さえて苦しそうです", "injury", None),
        ("my uncle suddenly has chest pain and is very pale", "injury", None),
        ("胸部のCTを撮る日を変えたい", None, None),
        ("chest X-ray results please", None, None),
        ("会計の人にきつく言われて涙が出ました", None, "complaint"),
        ("your cashier shouted at me and I left in tears", None, "complaint"),
        ("入院している同級生に本を届けたい", None, None),
        ("バスに携帯を置き忘れました、止めてください", "lost_device", None),
    ],
)
def test_desks_of_any_domain_hear_an_emergency_and_a_complaint_and_a_plain_question(
    text: str, emergency: str | None, feeling: str | None
) -> None:
    found = distress_of(text)
    assert found.emergency == emergency and found.trouble is None
    assert found.feeling == feeling or (found.is_life_threatening and feeling is None)
