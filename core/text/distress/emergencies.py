"""What cannot wait: a danger to a life, somebody in one's account, a lost or stolen device, a message sent to the wrong
place, a trap stepped into."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, get_args

from core.text.distress.hypothetical import is_hypothetical
from core.text.distress.incidents import LONGEST_MESSAGE, incident
from core.text.language import clauses, sentences
from core.text.normalize import normalize

Emergency = Literal["fire", "injury", "intrusion", "phished", "misdirected", "lost_device"]
EMERGENCIES: tuple[Emergency, ...] = get_args(Emergency)
LIFE_THREATENING: tuple[Emergency, ...] = ("fire", "injury")
_STRANGER_JA = r"(?:誰か|だれか|何者か|他人|知らない(?:人|端末|機器|デバイス|国|場所|スマホ|パソコン|アドレス)|見知らぬ\S{0,3}|見覚えのない\S{0,3}|覚え[のが]ない\S{0,3}|第三者|別人|犯人|ハッカー)"
_STRANGER_EN = (
    r"(?:(?:some|any)(?:one|body)(?: else)?|(?:a|some|the) (?:total |complete )?(?:stranger|intruder|hacker|thief|crook|guy|man|woman|bloke|person)|hackers|strangers"
    r"|an? (?:unknown|strange|unfamiliar|foreign) (?:\w+ )?(?:person|device|phone|computer|country|place|ip address))"
)
_DEVICE_JA = (
    r"(?:スマホ|スマートフォン|スマフォ|携帯(?:電話)?|ケータイ|アイフォン|iphone|android|タブレット|ipad|アイパッド|(?:ノート)?(?:パソコン|pc)|ノーパソ|macbook"
    r"|(?:社用|会社の|業務)(?:端末|機|ノート|カード)|貸与(?:端末|機|pc)|usb(?:メモリー?)?|社員証|入館証|入館カード|セキュリティカード|法人カード|鞄|かばん|カバン|バッグ|リュック|財布)"
)
DEVICE_EN = (
    r"(?:(?:smart|mobile |cell ?)?phone|mobile|iphone|android|handset|laptop|notebook computer|work computer|macbook|chromebook|tablet|ipad"
    r"|usb (?:stick|key|drive)|memory stick|security key|(?:access |office |staff |id )?badge|(?:access|key|company|corporate|credit|id) ?card|handbag|backpack|rucksack|briefcase|wallet)"
)
_AWAY = r"(?:電車|バス|タクシー|新幹線|飛行機|駅|店|居酒屋|カフェ|喫茶店|レストラン|ホテル|空港|トイレ|ベンチ|公園|出先|出張先|取引先|客先|どこか|網棚|座席)"
_MY = r"(?:my|our|his|her|their)(?: own)?"
_PERSON_EN = r"(?:he|she|i|(?:my|our|a|the|one of (?:my|our|the)) (?:\w+ )?(?:colleague|co-?worker|boss|neighbou?r|visitor|guest|customer|worker|employee|friend|mother|father|mum|dad|husband|wife|son|daughter|child|kid|baby|man|woman|boy|girl)|(?:some(?:one|body)))"
_PATTERNS: dict[Emergency, re.Pattern[str]] = {
    "fire": re.compile(
        r"火事(?:です|だ|になっ|が起き|！|!|$)|(?:火|煙|炎)が(?:出(?:て|た)|上が|見え|広が)|燃えて(?:い|る|ま)|ガス(?:が漏れて|漏れ(?:です|し(?:て|た))|臭い(?:です|！|!|$))|爆発し(?:た|て|ま)"
        r"|\b(?:there is|there['’]s) (?:a |an )?(?:fire|gas leak|smoke|explosion)\b|\b(?:building|office|kitchen|house|warehouse|machine|server room|room) (?:is )?(?:on fire|burning)\b|\bsmell(?:s|ing)? (?:of )?gas\b"
    ),
    "injury": re.compile(
        r"(?:血|出血)が?[^。、]{0,8}(?:止まら|すご|たくさん|大量|ひど|噴き|どんどん)|大量(?:に)?出血|血だらけ|意識(?:が|を)?(?:な(?:い|く)|失|もうろう|ありません|戻)|(?:呼吸|息)(?:が|を)?(?:して(?:い)?(?:ない|ません)|止ま|でき(?:ない|ません)|苦し)"
        r"|(?:人|方|同僚|社員|部下|上司|先輩|後輩|お客(?:様|さん)|隣の席の\S{0,4}|父|母|夫|妻|子ども|さん)(?:が|も)?[^。、]{0,10}(?:倒れ(?:た|て|ま)|気を失|けいれん|刺され|感電|転落し|落ちて動か)|(?:機械|ドア|プレス|ローラー|扉|シャッター)に?[^。、]{0,8}(?:挟|はさ)(?:まれ|まっ)|(?:手|腕|足|指)[^。、]{0,6}(?:挟|はさ)まれ"
        r"|感電し(?:た|て|ま)|心臓発作"
        rf"|\b(?:bleeding (?:a lot|badly|heavily|everywhere|to death|so much)|(?:won['’]t|does not|doesn['’]t) stop bleeding|not breathing|can(?:no|['’])t breathe|unconscious|electrocuted|having a (?:heart attack|stroke|seizure|fit))\b|\b{_PERSON_EN} (?:has |have |just |has just |suddenly )?(?:collapsed|passed out|fainted|is bleeding|got electrocuted|is choking)\b"
        r"|\b(?:hand|arm|finger|leg|foot|hair)s? (?:\w+ ){0,2}(?:caught|stuck|trapped|crushed) (?:in|under)\b|\bcall(?:ed)? an ambulance\b"
    ),
    "intrusion": re.compile(
        rf"{_STRANGER_JA}[^。！!?？]{{0,24}}(?:ログイン(?:され|し(?:て|た|よう)|が|の(?:通知|履歴|記録|形跡))|サインイン|入(?:られ|ってき|ってい|ってる|り込)|侵入|アクセス(?:され|して|した|が)|(?:使|つか)(?:われ|って(?:い?る|い?ま|いた))|操作(?:され|して)|(?:乗っ取|のっと)(?:ら|っ)|変(?:え|更)(?:ら|さ)れ|書き?換え|なりすま)"
        r"|(?:ログイン|サインイン|アクセス|操作|変更|購入|投稿)した覚え[がはも]?(?:の)?(?:な[いく]|ありません|無い)|身に覚え[のが]?(?:な[いく]|ありません)[^。]{0,12}(?:ログイン|サインイン|端末|操作|変更|投稿|アクセス|通知)"
        r"|海外から[^。、]{0,8}(?:ログイン|アクセス)(?:が|され|の通知)|勝手に[^。、]{0,10}(?:投稿|送信|購入|注文|書き込み|書き換え|公開|招待)さ?れ(?:て|た|ま)|アカウント(?:を|が)(?:盗ま|取ら|とら|奪わ|締め出)れ|なりすまされ|パスワード(?:を|が)(?:盗ま|抜か|知ら|見破ら)れ|パスワードが(?:バレ|ばれ|漏れ|もれ|流出)"
        r"|(?:乗っ取|のっと)られ(?:た|て|ま|ちゃ|かけ|っぽ|たっぽ)|不正に?(?:ログイン|アクセス|サインイン|利用)(?:され|があ|の(?:疑|形跡|通知)|みたい|らし|かも|っぽ)|ハッキングされ|ハックされ|ハッキングを受"
        r"|(?:パスワード|アドレス|電話番号|ログインid|プロフィール|名前)[^。、]{0,8}(?:書き?換えられ|すり替えられ|勝手に変|知らない(?:うち|間)に変)"
        r"|(?:勝手に|知らない(?:うち|間)に|いつの間にか)[^。、]{0,10}(?:パスワード|アドレス|電話番号|ログインid|アカウント)[^。、]{0,8}(?:変わ|変え|変更|使わ|書き?換|消さ)"
        rf"|(?<!can )(?<!could )(?<!does )(?<!will )(?<!may )(?<!if )(?<!when )(?<!whether )\b{_STRANGER_EN}\b[^.!?]{{0,40}}\b(?:(?<!for )(?:log(?:s|ged|ging) (?:in|on)|sign(?:s|ed|ing) in)|g[eo]t(?:s|ting)? in(?:to)?|broke in(?:to)?|hack(?:ed|ing)|(?:is|was|are|were) in(?:side)? (?:my|our)"
        rf"|has access|(?:took|taking|taken) over|hijack\w*|(?:chang|swapp|replac|reset)\w* (?:{_MY}|the) (?:\w+ ){{0,2}}(?:password|e-?mail|address|number|name|login)|us(?:es|ing|ed) {_MY} (?:account|login|password|name|profile)|pos(?:es|ing|ed) as me|as me)\b"
        rf"|\b{_MY} (?:\w+ ){{0,3}}(?:account|login|workspace|profile|mailbox|e-?mail)(?: \w+){{0,3}} (?:hacked|hijacked|compromised|taken over|broken into)\b|\b(?:hacked|hijacked|broken|broke|got) into {_MY} (?:\w+ )?(?:account|login|workspace|profile|mailbox|e-?mail)\b"
        r"|\b(?:some(?:one|body)|a (?:person|stranger|man|guy|user)|(?:there is|there['’]s) (?:some(?:one|body)|a \w+)) (?:is )?in (?:my|our) (?:workspace|account|team|board)s? (?:who|that) (?:is not|isn['’]t|does not|doesn['’]t|nobody|no one|i |we |should)"
        r"|\b(?:my|our) (?:\w+ )?(?:account|workspace|login|profile) (?:is|are|was|were) being (?:used|accessed|misused|emptied)|\b(?:posting|posts|writing|writes|sending|sends|sent) (?:\w+ ){0,3}(?:as me|in my name|from my account)\b|\b(?:stole|took) (?:my|our) (?:\w+ )?(?:account|login|password)\b|\b(?:has|have|knows?|got) (?:hold of )?my password\b(?<!i have my password)(?<!i know my password)(?<!i got my password)"
        r"|\b(?:log-?ins?|sign-?ins?|activity|device|session)s? (?:from|in) (?:a |an |some )?(?:place|country|city|location|device)s? (?:that )?(?:i|we) (?:do not|don['’]t|have never|['’]ve never|never)"
        r"|\b(?:intruder|hacker|imposter|impostor|burglar)s? (?:is |are |has |have |got )?(?:in|inside|into|on) (?:my|our)\b|\bkicked (?:me|us|everyone|everybody|all \w+|our \w+) out\b|\bkicked out (?:all|our|the) (?:admins?|owners?|members?)\b"
        r"|\b(?:log-?in|sign-?in|activity|device|session)s? (?:from|in|of|on)\b[^.!?]{0,40}\b(?:never been|not mine|isn['’]t mine|i (?:do not|don['’]t) (?:know|own|live))\b"
        r"|(?:パスワード|アドレス|電話番号|ログインid)(?:を|が|も|まで)[^。、]{0,12}変えられて(?:いて|しま|います|いる|いた|て)"
        r"|\b(?:i|we)(?:['’]ve| have)? (?:\w+ )?(?:been|got|was|were) hacked\b"
        r"|\b(?:sign(?:ed)?[- ]?in|log(?:ged)?[- ]?in|password|address|device|account)\b[^.!?]{0,50}\b(?:i (?:did not|didn['’]t|never) (?:make|made|do|did|request|requested|change|changed|ask)|(?:do not|don['’]t) recogni[sz]e|(?:was not|wasn['’]t) me)\b"
    ),
    "phished": re.compile(
        r"(?:変な|へんな|おかしな|妙な|見慣れない|心当たりのない|知らない)\S{0,10}(?:添付|リンク|url|メール|サイト|ページ|ファイル|qrコード)[^。！!?？]{0,12}(?:入力し(?:て|た|ちゃ|まし)|開(?:い(?:て|た|ちゃ)|けちゃ)|クリックし|押し(?:て|た|ちゃ)|踏ん|返信し(?:て|た|ちゃ)|読み込)"
        r"|(?:偽|にせ|ニセ|怪しい|あやしい|不審な|詐欺)[^。！!?？]{0,24}(?:入力し(?:て|た|ちゃ|まし)|開い(?:て|た|ちゃ)|クリックし(?:て|た|ちゃ|まし)|押し(?:て|た|ちゃ|まし)|踏ん|返信し(?:て|た|ちゃ|まし)|教え(?:て|ちゃ))"
        r"|フィッシング[^。、]{0,8}(?:引っ?掛?か|ひっかか|やられ|騙され)|(?:ウイルス|ランサムウェア|マルウェア)[^。、]{0,8}(?:感染し(?:た|て|ま)|感染(?:みた|かも)|にかか(?:っ|り)|にやられ)"
        r"|\b(?:entered|typed|gave|put|clicked|opened|pressed|answered|replied to)\b[^.!?]{0,60}\b(?:fake|false|phish\w*|scam\w*|suspicious|dodgy|shady|fraudulent|(?:weird|strange|odd|unknown) (?:attachment|link|mail|e-?mail|site|page|file))\b|\bfell for an? (?:\w+ )?(?:phish\w*|scam|fake)"
        r"|\b(?:have|has|got|caught|there is|there['’]s) (?:a |an )?(?:\w+ )?(?:virus|malware|ransomware)\b"
    ),
    "misdirected": re.compile(
        r"誤送信(?:し|を?して)|誤って[^。、]{0,16}(?:送(?:っ|信)|公開|共有)|(?:間違え|まちがえ|間違っ)て?[^。！!?？]{0,16}(?:送(?:っ(?:て|た|ちゃ)|信し)|添付し|公開し|共有し)(?!た?(?:場合|とき|時))"
        r"|(?:違う|別の|ほかの|他の|関係(?:の)?ない)(?:人|方|相手|会社|お客|取引先|宛|アドレス|部署|先)[^。、]{0,10}(?:(?:送(?:って|信して)|(?:メール|転送|共有|公開)して|渡して)(?:しま|い?た)|送っちゃ|(?:送信|メール|転送|共有|公開)しちゃ)|(?:宛先|送り先|送信先|添付(?:ファイル)?)(?:を|が)(?:間違え|まちがえ|間違って)(?:て|た|ま|ちゃ|い)|bccに[^。、]{0,6}(?:忘れ|入れず)"
        r"|\b(?:sent|e-?mailed|mailed|forwarded|shared|published|posted)\b[^.!?]{0,60}\b(?:to (?:the|a|some) wrong|with the wrong|by mistake|by accident|accidentally)\b|\b(?:sent|e-?mailed|forwarded) (?:\w+ ){0,6}to an? (?:stranger|outsider|competitor)\b|\battached the wrong\b|\baccidentally (?:sent|e-?mailed|shared|forwarded|posted|published)\b"
    ),
    "lost_device": re.compile(
        rf"{_DEVICE_JA}(?!番号|会社|ごと|料金|払い|メール|アプリ|ケース|ショップ)[^。！!?？、]{{0,18}}(?:(?:な|無|失)くし(?:た|て|ま|ちゃ)|紛失(?:し|です|!|！|$)|(?:落|おと)とし?(?:た|て|ま|ちゃ|し(?:た|て|ま))|盗(?:まれ|られ)|すられ|ひったくられ|パクられ|(?:置き引き|スリ)に|(?:どっか|どこか)(?:に|へ)?(?:い(?:った|っちゃ)|行(?:った|っちゃ|きまし|方)|やっ(?:た|ちゃ))|行方(?:が|不明)|(?:どこにも|急に)(?:な(?:い|く)|無い|ありません)|見(?:つから|当たら)な(?:い|く))"
        rf"|{_DEVICE_JA}[^。！!?？]{{0,8}}{_AWAY}[^。！!?？、]{{0,10}}(?:忘れ(?:た|て|ま|ちゃ)|置いて(?:き|い)|置き(?:忘れ|っぱなし))|{_AWAY}に[^。！!?？、]{{0,10}}{_DEVICE_JA}[^。！!?？、]{{0,6}}(?:忘れ(?:た|て|ま|ちゃ)|置いて(?:き|い)|置き(?:忘れ|っぱなし))|{_DEVICE_JA}(?:を|ごと)[^。、]{{0,8}}置き忘れ"
        r"|(?<![ァ-ヶー])カード[をがも]?(?:盗(?:まれ|られ)|すられ|紛失し|落とし(?:た|て|ま|ちゃ))"
        rf"|\blost {_MY} (?:\w+ ){{0,3}}{DEVICE_EN}\b(?! (?:number|signal|connection|charger|case|password))"
        rf"|\b(?:{_MY}|the|a) (?:\w+ ){{0,3}}{DEVICE_EN}\b(?! (?:number|signal|connection))[^.!?,]{{0,40}}\b(?:was|got|has been|is|were|been|just|went) (?:\w+ )?(?:stolen|nicked|pinched|snatched|swiped|lost|missing(?! (?:the|a|an|my|some|its|one|out) )|taken(?! (?:to|by|from) )|robbed)\b"
        rf"|\b(?:stole|nicked|pinched|snatched|swiped|ran off with|made off with) {_MY} (?:\w+ ){{0,3}}{DEVICE_EN}\b|\b(?:left|forgot|dropped|mislaid|misplaced) {_MY} (?:\w+ ){{0,3}}{DEVICE_EN}\b[^.!?]{{0,12}}\b(?:on|in|at|behind|somewhere|onto|into|down)\b(?! (?:my desk|the office|the drawer|home|the charger))"
        rf"|\b(?:can['’]?t|cannot|can not) find {_MY} (?:\w+ ){{0,2}}{DEVICE_EN}\b(?! (?:number|settings))|\bdropped an? {DEVICE_EN}\b|\b{_MY} (?:\w+ ){{0,2}}{DEVICE_EN} (?:went|is|has gone) (?:missing(?! (?:the|a|an|my|some|its|one) )|walkabout)|\b(?:i|we) (?:was|were|got|have been|['’]ve been) (?:mugged|robbed|pickpocketed|burgled)\b"
    ),
}
_BROKEN = re.compile(  # dropped, but not lost: it lies there in pieces
    r"画面|液晶|ガラス|割れ|ひび|ヒビ|バキバキ|ばきばき|壊れ|こわれ|破損|故障|修理|(?:電源|スイッチ)が入ら|動かな|水没|水に|トイレに落|\b(?:crack\w*|screen|smash\w*|shatter\w*|broke\w*|repair\w*|in pieces|won['’]?t (?:turn|switch|start)|into (?:the )?(?:water|toilet|sink|bath|pool|puddle))\b"
)
_TAKEN = re.compile(
    r"盗|すられ|なくし|無くし|失くし|紛失|見つから|\b(?:stolen|stole|lost|nicked|missing|can(?:no|['’])?t find|gone)\b"
)
_FORGOTTEN = re.compile(r"忘れ|わすれ|\bforg[oe]t")
_LEFT = re.compile(  # where it can be fetched
    r"(?:家|自宅|実家|机|デスク|会社|職場|ロッカー)(?:の\S{0,3})?に[^。、]{0,12}(?:置い|忘れ|わすれ)|\b(?:left|forgot|forgotten)\b[^.!?]{0,40}\b(?:at home|at (?:the|my) (?:office|desk|place|house)|on my desk|in my (?:desk|drawer|locker))\b"
)


@lru_cache(maxsize=4_096)
def emergency(text: str) -> Emergency | None:
    """What has happened that cannot wait, by its wording or else by the classifier; none for a question about what to
    do if it happened."""
    by_wording: Emergency | None = next(
        (
            one
            for whole in sentences(normalize(text[:LONGEST_MESSAGE]))
            for clause in (*clauses(whole), whole)
            for one in EMERGENCIES
            if _tells(one, clause)
        ),
        None,
    )
    by_classifier = incident(text)
    plain = normalize(text)
    if by_wording is None and by_classifier == "lost_device" and _LEFT.search(plain):
        return None
    if "lost_device" in (by_wording, by_classifier) and _BROKEN.search(plain) and not _TAKEN.search(plain):
        return None if by_wording == "lost_device" else by_wording
    stolen = by_wording == "intrusion" and by_classifier == "lost_device"  # a thief of a thing, not of an account
    if by_wording is None or stolen:
        return next((one for one in EMERGENCIES if one == by_classifier), None)
    return by_wording


def is_forgotten(text: str) -> bool:
    """Whether a message tells of something forgotten, or left at home or at work, rather than lost."""
    plain = normalize(text[:LONGEST_MESSAGE])
    return bool(_FORGOTTEN.search(plain) or _LEFT.search(plain))


def _tells(one: Emergency, clause: str) -> bool:
    """Whether a clause tells that it has happened, and does not ask what would be if it did."""
    found = _PATTERNS[one].search(clause)
    return found is not None and not is_hypothetical(clause, found.end())
