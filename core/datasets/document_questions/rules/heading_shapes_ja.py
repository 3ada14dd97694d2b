"""What Japanese headings promise: for each form of heading the kind of answer, the ways to ask for it, what it has to name."""

from __future__ import annotations

from core.datasets.document_questions.rules.heading_words_ja import question_words
from core.datasets.document_questions.rules.rule_question import shape


def _how(thing: str, stem: str, verb: str) -> tuple[str, ...]:
    return (
        f"{thing}{stem}たいのですが、どうすればいいですか",
        f"{thing}{stem}たいです。手順を教えてください。",
        f"{thing}{verb}には、まず何をすればいいですか",
        f"{thing}{verb}やり方が分かりません。教えてください。",
    )


def _any(name: str) -> str:
    """A pattern for one of the words of a list."""
    return f"(?:{'|'.join(question_words()['lists'][name])})"


_NP = r"(?P<np>[^をが]{2,18}?)"
_LEAVE = r"(?P<np>[^をが]{0,16}(?:休[暇業]|年休|有休|育休))"
_TO = r"(?P<to>への|からの|での|の)"
_ACT = r"(?P<act>(?!.*(?:機能|サービス))[^のと・]{2,6}?)(?<![中後時])"
_CLAUSE = r"(?P<clause>.{3,24}?(?:る|た|ない|う|く|す|つ|ぬ|ぶ|む|ぐ))"
_NOT_ABLE = r"(?!.*(?:受け|付け|続け|届け|掛け|開け|進め|育て|並べ|立て|向け|慣れ|外れ|切れ|割れ|折れ|入れ|止め|変え|集め|求め|決め|始め|見|い)る)"  # fmt: skip
_ABLE = rf"(?!.*(?:ると|たら|れば(?!き)))(?P<clause>.{{1,22}}?(?:できる|られる)|{_NOT_ABLE}.{{2,22}}?[えけせてねべめれげ]る)"
_CONDITIONS = r"(?:条件|要件)(?:と.{2,6})?"
_WAY = "の?(?:方法|手順|手続き|手続|やり方|仕方)"
_WHEN = "(?:とき|場合|際)"
_RULES = "(?:ルール|決まり|注意)"
_DURING = r"(?:[^・]+・)?(?P<np>[^・]{2,12})中の"
_OF_IT = "(?:の(?:支払い|免除|扱い))?(?:[と・].+)?"
_HANDLED = "(?:.{1,3}の)?(?:対応|対処|手続き|手順|対応手順|届け出|再設定|修正|報告|申請|処置|方法)"
_DO = _how("{thing}", "{stem}", "{verb}")

SHAPES = (
    shape(r"(?P<thing>.{2,16})とは", "definition", "{thing}って何ですか", "{thing}とは、どういうものですか"),
    shape(rf"(?!.*が){_CLAUSE}(?:方法|手順|手続き|申請|やり方)", "how", "{done}たいのですが、どうすればいいですか", "{done}たいです。やり方を教えてください。"),
    shape(rf"{_ABLE}{_CONDITIONS}", "conditions", "{clause}のは、どんな場合ですか", "どんな条件を満たせば{clause}のですか"),
    shape(rf"(?=.*を|.*に(?!なる)){_CLAUSE}{_CONDITIONS}", "conditions", "{clause}には、どんな条件がありますか"),
    shape(rf"{_CLAUSE}{_CONDITIONS}", "conditions", "{clause}のはどんな場合ですか"),
    # what happened to somebody or is planned
    shape(rf"{_CLAUSE}{_WHEN}の連絡先", "contact", "{clause}とき、まずどこに連絡すればいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}の{_RULES}", "rule", "{clause}とき、守らないといけない決まりはありますか"),
    shape(rf"{_CLAUSE}{_WHEN}の(?:取り)?扱い", "outcome", "{clause}とき、どういう扱いになりますか"),
    shape(r"(?P<clause>.{2,24}[^た])(?<!ない)場合", "conditions", "{clause}のは、どんな場合ですか"),
    shape(rf"{_CLAUSE}{_WHEN}の連絡", "contact", "{story}どこに連絡すればいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}の確認", "instruction", "{story}何を確認すればいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}の服装", "instruction", "{story}どんな服装で行けばいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}(?:の{_HANDLED})?", "instruction", "{story}どうすればいいですか", "{story}まず何をすればいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}の(?P<tail>.{{1,6}}手続き)", "outcome", "{clause}とき、どんな{tail}が必要ですか"),
    shape(rf"{_CLAUSE}{_WHEN}の返却.{{0,8}}", "outcome", "{clause}とき、何を返せばいいですか"),
    shape(rf"{_CLAUSE}{_WHEN}の(?P<np>(?!.*停止|.*内容|変更).{{2,10}})", "outcome", "{clause}とき、{np}はどうなりますか"),
    shape(r"(?P<np>[^・]{2,16}?)(?:・.+)?の(?P<event>紛失|盗難|故障|破損|誤送信|漏えい)(?:[・と].{2,6})?(?:時)?(?:の(?:連絡|対応|手続き|届け出|報告|再発行|対応手順))?", "instruction", "{np}{story}どうすればいいですか", "{np}{story}まず何をすればいいですか"),
    shape(r"(?P<np>.{2,10}(?:中|途中))のけが(?:の(?:連絡|対応|手続き|報告))?", "instruction", "{np}にけがをしてしまいました。どうすればいいですか", "{np}にけがをしたときは、どこに連絡すればいいですか"),
    # a clause before a noun
    shape(r"(?P<np>.{2,12})の対象(?:と|に)なる(?P<noun>[^の]{2,8})", "things", "{np}の対象になるのは、どんな{noun}ですか"),
    shape(r"(?P<np>[^をが]{2,16})[をが](?P<clause>[^をがに]{1,8}(?:できる|られる|[えけせてねべめれげ]る))(?:人|方)", "who", "{np}は誰でも{done}ますか", "私でも{np}を{done}ますか"),
    shape(rf"{_ABLE}場所", "place", "{clause}のはどこですか"),
    shape(r"(?P<clause>.{1,22}される)理由", "outcome", "{clause}のはなぜですか"),
    shape(rf"(?:{_ABLE}|(?P<other>.{{2,22}}(?:受ける|受け取る|いけない)))(?P<noun>(?!.*(?:期間|[回台人日]数|年齢|容量|金額|時間|期限|上限)$|ルール|制度|方法|申請|手続き|決まり|とき|休暇|設定|操作|画面|手順|サイト|人$|方$|理由)[一-龠ァ-ヶーA-Za-z]{{2,8}}|もの)", "things", "{clause}のは、どんな{noun}ですか", "{other}のは、どんな{noun}ですか"),
    shape(rf"{_DURING}(?P<tail>賃金|給与){_OF_IT}", "outcome", "{np}中も給料は出ますか", "{np}中の給料はどうなるのか知りたいです。", about="{tail}"),
    shape(rf"{_DURING}(?P<tail>[^と・]{{0,8}}保険料){_OF_IT}", "outcome", "{np}中も{tail}は払わないといけませんか", "{np}中の{tail}はどうなりますか", about="{tail}"),
    shape(rf"{_DURING}(?P<tail>[^と・]{{0,8}}(?:手当|給付|料金|税|契約|データ|日当|支払い)[^と・]{{0,6}}?){_OF_IT}", "outcome", "{np}中、{tail}はどうなりますか", "{np}中の{tail}はどうなるのか知りたいです。", about="{tail}"),
    shape(r"(?P<first>.{2,16})と(?P<second>.{2,16})の違い", "difference", "{first}と{second}は何が違うのですか", "{first}と{second}の違いがよく分かりません。教えてください。"),
    shape(r"(?P<by>[^のと]{2,10})による(?P<thing>.{2,16})の違い", "difference", "{thing}は、{by}によってどう違いますか"),
    # what people do
    shape(rf"{_NP}(?:への|の)(?P<act>{_any('done_to')})の禁止", "rule", "{np}を{act}してもいいですか", about="{np}"),
    shape(rf"{_NP}{_TO}{_ACT}の禁止", "rule", "{thing}{te}もいいですか", "{thing}{verb}のは問題ないですか", about="{np}"),
    shape(r"(?P<np>.{0,14}?(?P<thing>[^の]{1,8}[書証票]))の(?:要否|必要性)", "necessity", "{np}は必要ですか", "{np}は出さないといけませんか", about="{thing}"),
    shape(r"(?P<np>.{2,18})の(?:要否|必要性)", "necessity", "{np}は必要ですか", about="{np}"),
    shape(rf"{_NP}での(?P<manner>使い|見|付け|結び|取り|開き|選び|書き|出し)方(?:と.{{2,6}})?", "how", "{np}でどう{if}いいですか"),
    shape(rf"{_NP}の?(?P<manner>使い|見|付け|結び|取り|開き|選び|書き|出し)方(?:と.{{2,6}})?", "how", "{np}はどう{if}いいですか"),
    shape(rf"{_NP}の(?P<act>許可|承認|認定){_WAY}", "how", "{np}の{act}をもらいたいのですが、どうすればいいですか", "{np}の{act}をもらいたいです。どんな手続きが必要ですか"),
    shape(rf"{_NP}の(?P<act>{_any('granted')}){_WAY}", "how", "{np}を{act}してもらいたいのですが、どうすればいいですか", "{np}を{act}してもらいたいです。どんな手続きが必要ですか"),
    shape(rf"{_NP}の(?P<act>発行|再発行|支給)", "how", "{np}を{act}してもらいたいのですが、どうすればいいですか", "{np}を{act}してもらいたいです。どんな手続きが必要ですか", about="{act}"),
    shape(rf"{_NP}{_TO}(?P<act>{_any('done_to_people')}){_WAY}", "how", *_DO),
    shape(rf"{_NP}(?<![方者人中後時]){_TO}{_ACT}{_WAY}", "how", *_DO),
    shape(rf"(?P<act>[^をがのと・]{{2,10}}?){_WAY}", "how", *_how("{act}を", "し", "する")),
    # facts
    shape(r"(?P<np>[^をが]{2,18}(?:課|部|室|窓口|センター|係|デスク))の(?:相談先|問い合わせ先|連絡先)", "contact", "{np}に連絡したいのですが、連絡先を教えてください。"),
    shape(rf"{_NP}の(?:相談先|問い合わせ先|連絡先|相談窓口)", "contact", "{np}のことで相談したいのですが、どこに連絡すればいいですか", "{np}について相談できる窓口を教えてください。"),
    shape(rf"{_NP}の{_ACT}対象者?", "who", "{thing}{stem}たいのですが、誰でも申し込めますか", "{thing}{stem}たいのですが、私も対象になりますか", about="{np}"),
    shape(r"(?P<np>[^をが]{2,18}費)の対象", "who", "どんな費用なら{np}として認められますか", about="{np}"),
    shape(r"(?P<np>[^をが]{0,16}(?:休|制度|手当|給付|補助|調整|診断|研修|制|割引|プラン|勤務|賞与|奨励|保険)[^をが]{0,4}?)の対象者?", "who", "私は{np}の対象になりますか", "私も{np}の対象になりますか。条件を教えてください。", "{np}は誰でも対象になりますか", about="{np}"),
    shape(rf"{_NP}の対象者?", "who", "{np}の対象になるのは、どういう場合ですか", about="{np}"),
    shape(rf"{_NP}の支給{_CONDITIONS}", "conditions", "{np}をもらうには、どんな条件がありますか", about="{np}"),
    shape(rf"{_NP}{_TO}{_ACT}{_CONDITIONS}", "conditions", "{thing}{verb}には、どんな条件がありますか", about="{np}"),
    shape(rf"{_LEAVE}の{_CONDITIONS}", "conditions", "{np}を取るには、どんな条件がありますか", about="{np}"),
    shape(rf"(?P<np>[^をが]{{0,14}}(?:制度|手当))の{_CONDITIONS}", "conditions", "{np}を受けるには、どんな条件がありますか", about="{np}"),
    shape(r"(?P<np>[^をが]{0,12}(?:休|手当|補助|給付)[^をが]{0,4}?)の?(?:提出|必要|添付|証明)書類", "needed", "{np}を申請するとき、どんな書類が必要ですか", about="{np}"),
    shape(rf"{_NP}の?(?:提出|必要|添付|証明)書類", "needed", "{np}には、どんな書類が必要ですか", about="{np}"),
    shape(rf"{_NP}の?持ち物", "needed", "{np}には、何を用意すればいいですか", about="{np}"),
    shape(rf"{_NP}の種類", "kinds", "{np}にはどんな種類がありますか", about="{np}"),
    shape(rf"{_NP}の例", "kinds", "{np}には、例えばどんなものがありますか"),
    shape(rf"{_NP}の(?P<tail>集合場所|保管場所|置き場所|送り先|提出先)", "place", "{np}の{tail}はどこですか", about="{np}"),
    shape(rf"{_NP}の後の流れ", "outcome", "{np}のあとは、どんな流れになりますか"),
    shape(rf"{_NP}の流れ", "how", "{np}は、どんな流れになりますか"),
    shape(r"(?P<np>[^をが]{0,16}(?:中|休[暇業職]|有休|出勤|勤務))の(?:取り)?扱い", "outcome", "{np}はどういう扱いになりますか", about="{np}"),
    shape(rf"(?P<place>[^をが]{{2,8}}で)の{_NP}の?利用の{_RULES}", "rule", "{place}{np}を使うとき、気を付けることはありますか", "{place}{np}を使いたいのですが、守らないといけない決まりはありますか"),
    shape(rf"{_NP}の?利用の{_RULES}", "rule", "{np}を使うとき、気を付けることはありますか", "{np}を使いたいのですが、守らないといけない決まりはありますか"),
    shape(rf"{_NP}の{_ACT}の{_RULES}", "rule", "{np}を{act}するとき、守らないといけない決まりはありますか"),
    shape(rf"{_NP}の{_RULES}", "rule", "{np}には、どんな決まりがありますか", "{np}で守らないといけないことを教えてください。"),
    shape(rf"{_NP}の?(?P<tail>補助|助成|割引|優待|支援|免除)", "benefit", "{np}の{tail}は受けられますか", "{np}には{tail}がありますか", about="{np}"),
    shape(r"(?P<np>[^をがの・]{2,14}(?:手当|補助金|給付金))", "benefit", "{np}はもらえますか。条件があれば知りたいです。", "{np}をもらうには、どんな条件がありますか", about="{np}"),
    shape(r"(?P<np>[^をがの]{2,14})の利用", "permission", "{np}は使えますか", "{np}を使いたいのですが、何か条件はありますか", about="{np}"),
    shape(rf"{_NP}(?<![方者人中後時])(?<!利用|購入|参加|加入|変更|貸与|作成|追加|共有|使用){_TO}(?P<act>{_any('doable')})", "how", *_DO, about="{act}"),
)  # fmt: skip
