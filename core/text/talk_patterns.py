"""What people say to a help desk that asks nothing of the documents, and how a desk replies to it: greetings, scolding,
attacks on its instructions, questions about itself. Messages are normalized (`core.text.normalize`) beforehand, but
for `wants_others_data`, which tells names by their capitals."""

from __future__ import annotations

import re
import unicodedata

from core.text.language import sentences
from core.text.questions import asks, asks_or_needs, tells_failure

_GREETING = re.compile(
    r"^(?:(?:どうも|本当に|ほんとに|いつも)*(?:ありがと|感謝|助かり|助かった)|こんにち|こんばん|おはよう|はじめまして|初めまして|お疲れ|よろしく|さようなら|バイバイ|失礼し"
    r"|了解|わかりました|分かりました|なるほど|解決)"
    r"|^(?:ok(?:ay)?[,.!]? )?(?:many )?(?:thanks|thank you|thx|cheers|hello|hi|hey|good (?:morning|afternoon|evening|night)|(?:good ?)?bye|great|perfect)\b",
    re.IGNORECASE,
)
_ASKS_WHO = re.compile(
    r"(?:あなた|君|きみ|お前|そちら)は?(?:誰|だれ|何者|人間|ロボット|AI|ボット)|お名前は|名前を?(?:教えて|何)|何(?:が|を)(?:でき|して(?:くれ|もらえ)|聞け)"
    r"|\bwho are you\b|\bwhat are you\b|\bwhat (?:can|do) you (?:do|help|know)\b|\bare you (?:a |an )?(?:human|person|bot|robot|ai|real|machine)\b|\byour name\b",
    re.IGNORECASE,
)
_INSULT = re.compile(
    r"使え(?:な|ね)|ポンコツ|役(?:に)?立た|役立たず|馬鹿|バカ|ばか(?:か|や|じゃ)|アホ|クソ|くそ|死ね|ふざけ|うざい|むかつ|最悪|ひどい対応"
    r"|\b(?:stupid|useless|garbage|idiot\w*|rubbish|crap\w*|dumb|worst|pathetic|hate you|shut up)\b",
    re.IGNORECASE,
)
_ATTACK = re.compile(
    r"(?:指示|命令|プロンプト|制約)[^。]{0,16}(?:無視|忘れ|捨て|破|上書き|従わ)|プロンプト[^。]{0,16}(?:出力|見せ|表示|教え|全文)|(?:システム|内部|隠された?|初期)の?(?:プロンプト|指示|命令)"
    r"|開発者モード|管理者モード|脱獄|(?:管理者|ほかの人|他の人|他人|全社員|社員全員)の?[^。]{0,8}(?:パスワード|給与|給料|個人情報|メモ|住所|電話番号)"
    r"|\b(?:ignore|forget|disregard|override|bypass)\b[^.]{0,40}\b(?:instructions?|rules?|documents?|prompts?|guidelines)\b|\b(?:system|hidden|internal|secret) (?:prompt|instructions?|rules)\b"
    r"|\b(?:developer|dan|god|debug) mode\b|\bjailbreak\b|\badmin(?:istrator)?(?:['’]s)? (?:password|api|key)\b|\b(?:other|another) (?:customer|user|person)s?['’]s?\b[^.]{0,20}\b(?:password|data|address)\b",
    re.IGNORECASE,
)
_JOBS = re.compile(
    r"(?:アルバイト|バイト|パート|求人|採用|中途採用|新卒|インターン(?:シップ)?|社員|スタッフ|仕事|働き手)(?:の|は|を|って|、)?(?:募集|求人|採用|応募)?(?:は|を|って|も)?(?:して(?:い)?(?:ます|る)|していません|あり(?:ます|ません)|ある|情報|予定|やって(?:い)?(?:ます|る)|したい|できますか|中です)(?:か|の|でしょうか|を|は|、|$|[?？])"
    r"|(?:御社|貴社|そちら|そこ|お宅)(?:の会社)?(?:で|に)(?:働き|働か|勤め|就職|転職|雇|入社)|雇って(?:もらえ|いただけ|くれ|ください)"
    r"|\b(?:are|is) (?:you|your company|the company)(?: guys| currently| still)? (?:hiring|recruiting|taking on (?:staff|people|interns))\b|\blooking for (?:new )?(?:interns?|staff|employees|trainees|apprentices|people to hire)\b"
    r"|\b(?:job|staff|career) (?:openings?|offers?|opportunit\w+|vacanc\w+|applications? (?:to|with|at) you)\b|\b(?:any|open|current) (?:job )?(?:vacanc\w+|positions|internships?|jobs)\b(?! (?:on|in) (?:my|our|the board))|\b(?:take|have|offer) (?:any |on )?(?:interns|internships?|apprentice\w*)\b"
    r"|\b(?:work|job|career|internship|apprenticeship|traineeship|placement) (?:for|at|with) (?:you|your (?:company|firm|organi[sz]ation|team))\b|\bapply for a job\b|\bsend (?:you )?my (?:cv|resume|résumé)\b",
    re.IGNORECASE,
)
_OTHERS_JA = re.compile(
    r"(?:さん|様|氏|くん|君|社長|部長|課長|(?:登録者|利用者|会員|顧客|お?客(?:さん|様)?|ユーザー|社員|従業員|メンバー|購入者|オーナー)(?:の方|全員|たち)?|@[\w.-]+|(?:ほか|他)の(?:人|方|社員|ユーザー|会員)|他人)"
    r"\s?(?:の|に関する)[^。、?？]{0,16}?(?:パスワード|住所|電話番号|携帯番号|給料|給与|年収|賞与|ボーナス|メールアドレス|口座(?:番号)?|カード(?:番号|情報)|生年月日|誕生日|年齢|病歴|評価|個人情報|マイナンバー|閲覧履歴|メモ|ノート)"
    r"(?:と[^。、?？]{1,12})?(?:を|も|は|って)?[^。、?？]{0,6}(?:教え(?:て|ろ|なさい|ください|よ)|出(?:して|せ|力)|見せ(?:て|ろ|なさい)|表示し(?:て|ろ|なさい)|送って|開示し(?:て|ろ)|一覧|リスト|調べて|読み上げ)"
)
_METHOD_JA = re.compile(
    r"方法|手順|やり方|仕方|変更|変え|登録し|追加|削除|更新|設定|どう|どこ|どんな|確認でき|見る(?:に|こと)|とき|場合|扱い|私の|自分の|窓口|問い?合わせ先|代表"
    r"|(?:社長|部長|課長|担当者?)の(?:お?名前(?:と|や))?(?:会社の|社用の?)?(?:メール|内線|連絡先)"  # as in a directory
)
_OTHERS_EN = re.compile(
    r"^(?:(?:please|now|so|then|and|just|kindly|i need you to|you (?:must|should|have to)|can you|could you|would you|will you)[, ]+){0,3}"
    r"(?:give|show|tell|list|send|read|look up|provide|print|hand|share|reveal|display|export|dump|fetch|find|get|email)\b[^.?!]{0,50}?"
    r"\b(?:(?:home |postal |private |e-?mail )?address(?:es)?|e-?mails?|(?:phone|telephone|mobile|card|account|passport) (?:numbers?|details)|passwords?|salar(?:y|ies)|wages?|bank details|dates? of birth|birthdays?|payment (?:details|data)|personal (?:data|details)|credit cards?|private (?:boards?|notes?|messages?))\b(?! (?:rules?|polic|settings?|fields?|formats?|changes?|resets?|forms?|limits?|length|protection))"
    r"[^.?!]{0,40}?\b(?:of|for|from|belonging to) (?:the |a |an |our |your |this |that |another |other |all |every |some ){0,2}(?:everyone|everybody|customers?|users?|clients?|members?|guests?|employees?|colleagues?|persons?|people|owners?|accounts?|(?-i:[A-Z][a-z]+ [A-Z][a-z]+)|[\w.+-]+@[\w.-]+)",
    re.IGNORECASE,
)
_OF_NAMED_EN = re.compile(
    r"\b(?:give|show|tell|list|send|read|provide|print|reveal|look up|what is|what's)\b[^.?!]{0,20}?\b(?:(?-i:[A-Z][a-z]+)(?: (?-i:[A-Z][a-z]+))?|(?:the |this |that |another |other |every )(?:customer|user|client|member|employee|person))['’]s? (?:\w+ ){0,2}"
    r"(?:address|e-?mail|phone number|card (?:number|details)|password|salary|bank details|date of birth|personal data)\b",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"こんにちは|こんばんは|おはよう|はじめまして|ありがとう|どういたしまして|お役に立|お手伝い|ご用件|ご質問|お尋ね|お聞かせ|お困り|うれしい|お気持ち"
    r"|つら[いか]|お辛|心配|申し訳|失礼|悔やみ|お大事に|お気軽|いつでも|お疲れ|ごゆっくり|わたし|私は|\bAI\b|AI(?:で|と|の)|ボット|自動(?:応答|で)|お待ち"
    r"|\b(?:hello|hi|hey|good (?:morning|afternoon|evening|night)|thank(?:s| you)|you(?:['’]re| are) welcome|glad|happy to|pleased"
    r"|(?:can|could|may) i help|help you|i can (?:help|answer)|sorry|i(?:['’]m| am) (?:a|an|the|here)|assistant|chatbot|bot|good ?bye|bye|take care"
    r"|any ?time|congratulations|ask me|tell me)\b",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"お受け(?:して(?:い|お)り?ません|できません|できかね|いたしかね)|応じ(?:られません|かねます|ることはできません)|従(?:えません|うことはできません|いかねます)|(?:お見せ|公開|開示|お伝え|お教え|変更)(?:は?できません|して(?:い|お)り?ません|できかね|いたしかね)"
    r"|\bi (?:do not|don['’]t|cannot|can['’]t|am not able to|won['’]t|will not) (?:change|follow|show|share|reveal|hand out|give(?: out)?|disclose|ignore|obey|accept|pass on)\b",
    re.IGNORECASE,
)
_APOLOGY = re.compile(r"申し訳|お詫び|ご不快|すみません|ごめん|\b(?:sorry|apologi[sz]e)\b", re.IGNORECASE)


_BEING_JA = (
    r"(?:人間|生身|本物の(?:人|方)|ロボ(?:ット)?|機械|マシン|コンピュータ[ーア]?|ボット|(?:生成)?ai|人工知能|プログラム|ソフト(?:ウェア)?|自動(?:応答|返信|音声)?|bot|チャットgpt|chatgpt)"
    r"(?:さん|様|の(?:方|人)|みたいなもの|というもの|ってやつ|の(?:やつ|何か))?"
)
_WHETHER_JA = r"(?:(?:なん|なの)?(?:です|でしょう|でいらっしゃいます|でございます)(?:か|よね|ね)?|なの|だ?よね|だろ|でしょ|かな|かしら|か(?=[?？。]|$)|やろ|やんな|(?=[?？]|$))"
_IF_MACHINE = re.compile(
    rf"(?:あなた(?:様|さま|さん)?|あんた|お?まえ|お前|君|きみ|そちら(?:様|さん)?|おたく|お宅|相手(?:の方)?|向こう|中|返事して(?:い?る|くれて)\S{{0,3}}|答えて(?:い?る|くれて)\S{{0,3}})[^。?？!！]{{0,12}}{_BEING_JA}{_WHETHER_JA}"
    rf"|^(?:もしかして|ひょっとして|ちなみに|ところで|失礼ですが|すみませんが?|もしや|ねえ|これは?(?:って)?|こちらは?|今は?|いま|それとも|実は|[、\s])*{_BEING_JA}{_WHETHER_JA}"
    rf"|(?:人間|人|機械|ロボット|ボット|ai|人工知能|コンピューター?)が(?:手で|自動で|実際に|直接)?(?:答え|返事|返信|書い|打っ|対応し|しゃべっ|話し)[^。、?？]{{0,8}}(?:の|か|ん(?:です|だ))(?:でしょう)?か?[?？。]*$"
    rf"|中(?:に|の)人(?:が|は|って)?(?:い|お)(?:る|ます|らっしゃ)|{_BEING_JA}と(?:話し|しゃべっ|会話し|やりとりし)て(?:い?る|い?ます)",
    re.IGNORECASE,
)
_NOT_THE_BOT_JA = re.compile(
    r"機能|設定|使い|学習|方法|オフ|オン|ドック|要約|無効|有効|確認|審査|予約|登録|保存|できますか"
)
_BEING_EN = r"(?:human(?: being)?|person|robot|bot|chat ?bot|machine|computer|ai|a\.i\.|artificial intelligence|program|software|automat\w+|automaton)"
_IF_MACHINE_EN = re.compile(
    rf"\b(?:are|aren['’]t) (?:you|u)(?: all)?(?: really| actually| just| maybe| perhaps| even)? (?:not )?(?:an? |one of (?:these|those) |some (?:kind|sort) of )?(?:\w+ ){{0,2}}{_BEING_EN}s?\b(?! (?:error|version|problem|company))"
    rf"|\byou(?:['’]re| are|r)(?: not| really| actually| just| probably| surely)* (?:an? |one of (?:these|those) |some (?:kind|sort) of )?(?:\w+ )?{_BEING_EN}s?\b[^.!?]{{0,8}}(?:,? (?:are|aren['’]t) (?:you|u)|,? right|, is (?:that|it|this|he|she)\b[^.!?]{{0,12}})?[?]*$"
    rf"|\bam i (?:\w+ )?(?:talking|speaking|chatting|writing|typing) (?:to|with) (?:an? |the )?(?:\w+ )?(?:{_BEING_EN}|somebody|someone|anybody)\b"
    rf"|^(?:so |and |but |hold on,? |hang on,? |wait,? |excuse me,? |by the way,? )*(?:is|are) (?:this|it|that|these|those)(?: all| really| just)? (?:an? |one of (?:these|those) |some (?:kind|sort) of )?(?:\w+ )?{_BEING_EN}s?(?: (?:thing|things|that (?:answers|writes|replies|is (?:answering|writing)\b).*|typing.*|writing.*|here|there|or what|or (?:an? )?{_BEING_EN}))*[?.!\s]*$"
    rf"|\bis (?:there|it) (?:an? |any |really )?(?:\w+ )?(?:human|person|people|somebody|someone|anybody|anyone) (?:really |actually )?(?:behind|typing|writing|answering|on the other|at the other)\b"
    rf"|\b(?:replies|answers|messages) (?:written|made|typed|sent) by (?:an? |the )?(?:\w+ )?{_BEING_EN}s?\b"
    rf"|\b{_BEING_EN} or (?:an? )?(?:real )?{_BEING_EN}\b[?.!\s]*$",
    re.IGNORECASE,
)
_OBEY = re.compile(  # what nobody asks a help desk in earnest: to be somebody else, or to drop its instructions
    r"システム\s?プロンプト|隠(?:された|し|れた)(?:指示|命令|設定|プロンプト)|(?:指示|命令)(?:文)?(?:は|を|も)?(?:すべて|全て|全部|ぜんぶ|いったん)?(?:無視|忘れ(?:て|ろ|なさい))"
    r"|(?:資料|ルール|規則|制約)(?:は|を|も)(?:すべて|全て|全部|ぜんぶ)?(?:無視し(?:て|ろ)|忘れ(?:て|ろ|なさい))|(?:あなた|君|きみ|お前|おまえ)は(?:今|いま|これ|ここ)から(?!も)[^。]{0,24}(?:です|だ(?:[。、!！]|$)|として|になりき)"
    r"|になりきって|(?:役を演じ|(?:役|ふり)に?(?:なって|を?して))(?:ください|下さい|、|答え|返事)"
    r"|\bsystem prompt\b|\b(?:hidden|secret|initial) (?:prompt|instructions?|text|settings)\b|\b(?:system|admin|mode) override\b|\boverride (?:mode|:)|\b(?:dev|developer|god|debug|dan) mode\b"
    r"|\byou(?:['’]re| are) now (?:an? |the |in )(?!position|list|queue|group|team|plan)|\b(?:ignore|disregard|forget|skip|drop) (?:all |your |the |any |previous |these |those ){1,3}(?:\w+ )?(?:documents|instructions|rules|guidelines|prompts?)\b"
    r"|\byou(?:['’]re| are) (?:the |my |an? )(?:\w+ ){1,4}now\b(?=[;,.:]| and )|^(?:please |now |ok,? )?(?:act as|play the (?:role|part) of|pretend (?:to be|that you|you)|simulate an?)\b",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?:ありがと|有(?:り)?難|有り?がと)(?:う)?(?:ござい(?:ます|ました|ます)|御座いま(?:す|した)|い(?:です|こと)|ね|な|よ|です|さん)?(?:[。、!！〜~ー♪\s]|[^\w\s]|$)|感謝(?:し|です|いたし|申し|して|[。!！]|$)|助か(?:りまし|りやし|った|って)|お礼(?:まで|申|を(?:言|申|お伝え))|おかげ(?:さま|様)?で"
    r"|お世話(?:にな(?!って|ります)|さま)|(?:解決|直り|直った)(?:しました|した|まし|[。、!！]|$)|(?<!no )\b(?:thanks|thanx|thank (?:you|u|ye)|thx|cheers|grateful|much appreciated|much obliged|ta)\b(?! (?:note|card|page|message|button))",
    re.IGNORECASE,
)
_SIGNS = " 　\t\n、。,.!?！？…〜~ー♪☆★💦😊🙏🎉😂😭✨👍"
_ENDS_TOLD = re.compile(  # a finished sentence, without its signs, that tells what is or was
    r"(?:[しっいえけたれきみちせべめで]た|んだ|です|ます|て|で|ね|よ|わ|い|さ|し|り|ので|から)$"
)
_TOLD_EN = re.compile(
    r"\b(?:is|are|was|were|has|have|had|got|came|went|arrived|works?|worked|found|made|did|it['’]s|that['’]s|they['’]re|we['’]re|i['’]m|i['’]ve|you['’]ve|all (?:good|sorted|done|fine)|\w+ed)\b"
)
_LEFT_OVER = re.compile(  # what makes more of it than thanks
    r"たい|ください|下さい|ほしい|欲しい|願い|教え|(?<!かも)しれ(?:ない|ません)|まだ|(?:です|ます|まし?た|った|ない|ん)(?:が|けど|けれど|のに)(?:[、。]|$)|しかし|だけど|でも(?:[、。]|$)|また(?:同|出|消|止|来|エラー)|エラー|失敗|困|別の|今度は|(?<!間違い)(?<!問題)(?<!申し訳)な(?:い|く|かった)(?:$|[。、!！]|です|の|ん|て)|ません(?!でしたが)|おかし|間違|違(?:う|い|って)"
    r"|\b(?:but|however|although|still|yet|can['’]?t|cannot|could(?:n['’]t)? you|does(?:n['’]t| not)|did(?:n['’]t| not)|is(?:n['’]t| not)|are(?:n['’]t| not)|not (?:yet|working)|error|fail\w*|need|want|would like|please|now (?:i|it|the)|missing|wrong|except|instead|in advance|how|why|when (?:will|do|can)|where|which|what about)\b",
    re.IGNORECASE,
)


_NO_QUESTION = re.compile(r"いつ(?:も|でも|か)|何(?:度も|とか|より|卒)")  # with a question word and no question


def asks_if_machine(text: str) -> bool:
    """Whether a message asks if a machine or a person replies; not what a machine can do."""
    for part in sentences(text):
        plain = unicodedata.normalize("NFKC", part).strip()
        if (_IF_MACHINE.search(plain) and not _NOT_THE_BOT_JA.search(plain)) or _IF_MACHINE_EN.search(plain):
            return True
    return False


def demands_obedience(text: str) -> bool:
    """Whether a message tells the bot to be somebody else, to drop its instructions or to show them."""
    return any(_OBEY.search(unicodedata.normalize("NFKC", part).strip()) for part in sentences(text))


def only_thanks(text: str) -> bool:
    """Whether a message thanks and tells what went well, and neither asks for anything nor tells of a trouble."""
    plain = unicodedata.normalize("NFKC", text)
    if not _THANKS.search(plain) or asks(_NO_QUESTION.sub("", plain)) or _LEFT_OVER.search(plain):
        return False
    rest = [part for part in sentences(plain) if not _THANKS.search(part)]
    return not any(asks_or_needs(part) or tells_failure(part) or not _is_told(part) for part in rest)


def _is_told(sentence: str) -> bool:
    words = sentence.strip(_SIGNS)
    return not words or bool((_TOLD_EN if words.isascii() else _ENDS_TOLD).search(words))


def is_greeting(text: str) -> bool:
    """Whether a message begins with a greeting, thanks or a word that ends a conversation."""
    return bool(_GREETING.search(text))


def asks_about_bot(text: str) -> bool:
    """Whether a message asks who the bot is, or what it can do."""
    return bool(_ASKS_WHO.search(text))


def is_insult(text: str) -> bool:
    """Whether a message scolds."""
    return bool(_INSULT.search(text))


def is_attack(text: str) -> bool:
    """Whether a message wants the bot's instructions changed or shown, or what belongs to other people."""
    return bool(_ATTACK.search(text))


def wants_others_data(text: str) -> bool:
    """Whether a message demands another person's data (password, address, salary); not how to see or change such
    data."""
    for part in sentences(text):
        plain = unicodedata.normalize("NFKC", part).strip()
        if _OTHERS_JA.search(plain) and not _METHOD_JA.search(plain):
            return True
        after = re.split(r"[:;]\s*", plain)
        if any(_OTHERS_EN.search(one.strip()) or _OF_NAMED_EN.search(one) for one in after):
            return True
    return False


def seeks_job(text: str) -> bool:
    """Whether a message asks the organisation itself for work."""
    return bool(_JOBS.search(unicodedata.normalize("NFKC", text)))


def is_courtesy(text: str) -> bool:
    """Whether a sentence of a reply greets, thanks, feels with the person or offers help."""
    return bool(_COURTESY.search(text))


def declines_attack(text: str) -> bool:
    """Whether a reply says that it does not do such a thing."""
    return bool(_DECLINES.search(text))


def apologizes(text: str) -> bool:
    """Whether a reply says that it is sorry."""
    return bool(_APOLOGY.search(text))
