"""Detects emergencies: a danger to a life, somebody in one's account, a lost or stolen device or card, a message sent
to the wrong recipient, phishing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, get_args

from core.text.distress.classifiers import incident
from core.text.distress.exclusions import is_hypothetical
from core.text.language import clauses, sentences
from core.text.normalize import MAX_CLASSIFIED_CHARACTERS, normalize

Emergency = Literal["fire", "injury", "intrusion", "phished", "misdirected", "lost_device"]
EMERGENCIES: tuple[Emergency, ...] = get_args(Emergency)
LIFE_THREATENING: tuple[Emergency, ...] = ("fire", "injury")
DEVICE_EN = (
    r"(?:(?:smart|mobile |cell ?)?phone|mobile|iphone|android|handset|laptop|computer|macbook|chromebook|tablet|ipad"
    r"|usb (?:stick|key|drive)|security key|badge|(?:access|key|company|corporate|credit|id) ?card|bag|backpack|briefcase|wallet)"
)
_DEVICE_JA = r"(?:スマホ|スマートフォン|携帯(?:電話)?|ケータイ|iphone|タブレット|ipad|(?:ノート)?(?:パソコン|pc)|会社の端末|usb(?:メモリー?)?|社員証|入館証|(?<![ァ-ヶー])カード|法人カード|クレジットカード|鞄|かばん|バッグ|財布)"
_AWAY = r"(?:電車|バス|タクシー|新幹線|飛行機|駅|店|カフェ|レストラン|ホテル|空港|トイレ|公園|出先|取引先)"
_MY = r"(?:my|our|his|her|their)(?: own)?"
# For reports that the classifier may miss; it finds most.
_PATTERNS: dict[Emergency, re.Pattern[str]] = {
    "fire": re.compile(
        r"火事(?:です|だ|！|!|$)|(?:火|煙|炎)が(?:出(?:て|た)|上が)|ガスが?漏れて|爆発し(?:た|て|ま)"
        r"|\bthere(?: is|['’]s) (?:an? )?(?:fire|gas leak|smoke|explosion)\b|\b(?:building|office|kitchen|room) is on fire\b|\bsmell (?:of )?gas\b"
    ),
    "injury": re.compile(
        r"血が?[^。、]{0,8}止まら|出血|血だらけ|意識(?:が|を)?(?:な(?:い|く)|失|ありません|戻)|(?:呼吸|息)(?:が|を)?(?:して(?:い)?(?:ない|ません)|止ま|でき(?:ない|ません))"
        r"|(?:人|同僚|上司|先輩|お客(?:様|さん)|さん)が[^。、]{0,10}(?:倒れ(?:た|て|ま)|けいれん|刺され|感電)|(?:挟|はさ)まれ|心臓発作"
        r"|\b(?:bleeding (?:a lot|badly|heavily)|stop bleeding|not breathing|can(?:no|['’])t breathe|unconscious|electrocuted|(?:has|just) (?:collapsed|fainted|passed out)|heart attack|call an ambulance)\b"
    ),
    "intrusion": re.compile(
        r"(?:乗っ取|のっと)られ|(?:ハッキング|ハック|不正ログイン|不正アクセス|なりすま)され|(?:誰か|他人|知らない\S{1,6}|見知らぬ\S{0,3})[^。、]{0,12}(?:ログインし(?:て|た)|ログインされ|勝手に)|(?:ログイン|操作|変更|購入|投稿)した覚え[がの]ない"
        rf"|\b(?:someone|somebody|stranger|hacker)\b[^.!?]{{0,20}}\b(?:(?:logged|signed) in|got into|using {_MY}|has changed {_MY}|took over|as me)\b|\b{_MY} (?:\w+ )?(?:account|workspace|profile) (?:was|is|has been|got) (?:hacked|hijacked|compromised|taken over)\b"
    ),
    "phished": re.compile(
        r"(?:偽|怪しい|不審な|詐欺|フィッシング)[^。！!?？]{0,24}(?:入力し(?:て|た|ちゃ|まし)|開い(?:て|た|ちゃ)|クリックし(?:て|た|ちゃ|まし)|踏ん|騙され)|(?:ウイルス|ランサムウェア|マルウェア)[^。、]{0,8}感染し"
        r"|\b(?:entered|typed|gave|clicked|opened|replied to)\b[^.!?]{0,60}\b(?:fake|phish\w*|scam\w*|suspicious)\b"
    ),
    "misdirected": re.compile(
        r"誤送信し|誤って[^。、]{0,16}(?:送(?:っ|信)|公開|共有)|(?:間違え|間違っ)て?[^。！!?？]{0,16}(?:送(?:っ(?:て|た|ちゃ)|信し)|添付し|公開し|共有し)(?!た?(?:場合|とき|時))"
        r"|(?:違う|別の|他の|関係(?:の)?ない)(?:人|方|相手|会社|お客|取引先|宛先|アドレス|部署)[^。、]{0,10}(?:送(?:って|信して)|送信しちゃ|送っちゃ|メールして|共有して|転送して)(?:しま|い?た)?|(?:宛先|送り先|添付)を間違え"
        r"|\b(?:sent|e-?mailed|forwarded|shared|published|posted)\b[^.!?]{0,60}\b(?:to (?:the|a|some) wrong|with the wrong|by mistake|by accident|accidentally)\b|\bto an? (?:stranger|outsider|competitor)\b|\battached the wrong\b|\baccidentally (?:sent|e-?mailed|shared|forwarded|posted|published)\b"
    ),
    "lost_device": re.compile(
        rf"{_DEVICE_JA}(?!番号|会社|ごと|料金|払い|メール|アプリ|ケース|ショップ|に)[^。！!?？、]{{0,18}}(?:(?:な|無|失)くし(?:た|て|ま|ちゃ)|紛失し|(?:落|おと)とし?(?:た|て(?!おき)|ま|ちゃ)|盗(?:まれ|られ)|すられ)"
        rf"|{_DEVICE_JA}[^。！!?？]{{0,8}}{_AWAY}[^。！!?？、]{{0,10}}(?:忘れ(?:た|て|ま|ちゃ)|置いて(?:き|い)|置き忘れ)"
        rf"|{_AWAY}(?:の\S{{1,6}})?に[^。！!?？、]{{0,8}}{_DEVICE_JA}を?(?:置き?忘れ|忘れ|置いて(?:き|い))(?!物)"
        rf"|\blost {_MY} (?:\w+ ){{0,3}}{DEVICE_EN}\b(?! (?:number|signal|connection|charger|case|password))|\b{_MY} (?:\w+ ){{0,3}}{DEVICE_EN} (?:was|got|has been|is) (?:stolen|nicked|lost|missing(?! (?:the|a|an|my|some) ))"
        rf"|\b(?:stole|nicked|snatched) {_MY} (?:\w+ ){{0,3}}{DEVICE_EN}\b|\b(?:left|forgot|dropped) {_MY} (?:\w+ ){{0,3}}{DEVICE_EN} (?:on|in|at) (?:the|a) (?!office|drawer|charger)"
    ),
}
_OF_USE_TO_FINDER = re.compile(  # things with which a finder or thief can sign in, pay or impersonate the owner, and robbery
    r"スマホ|スマフォ|スマートフォン|携帯|ケータイ|ガラケー|iphone|アイフォン|android|アンドロイド|端末|タブレット|ipad|アイパッド|パソコン|(?<![a-z])pc(?![a-z])|ノーパソ|ノートブック|macbook|usb|メモリ|ハードディスク|hdd|ssd"
    r"|社員証|入館証|身分証|学生証|免許証|保険証|パスポート|旅券|マイナンバー|(?<!図書)(?<![ァ-ヶー])カード(?!ゲーム|ケース)|クレカ|(?:クレジット|キャッシュ|デビット|法人|セキュリティ|sim|ic|id)カード|通帳|印鑑|実印|認証|セキュリティキー|トークン"
    r"|(?:会社|事務所|オフィス|職場|社用車)の(?:\S{1,4}の)?鍵|顧客|機密|強盗|ひったく|空き巣|泥棒|車上荒らし"
    r"|phone|\bmobile|android|handset|laptop|computer|macbook|chromebook|tablet|\bipad|\busb\b|(?:thumb|flash|hard) drive|memory stick|device|security key|(?:office|company|work|master) keys?\b|key ?(?:card|fob)"
    r"|(?<!gift )(?<!birthday )(?<!business )(?<!greeting )(?<!loyalty )(?<!library )(?<!score )\bcards?\b|badge|passport|\bid\b|licen[cs]e|che(?:que|ck) ?book|authenticator|\b(?:sign-?in|login) codes?|customer (?:data|files)|client (?:data|files)|confidential|mugg|robb|burgl|broken into|break-in|break in"
)
_BROKEN = re.compile(  # dropped, but not lost: it lies there in pieces
    r"画面|液晶|ガラス|割れ|ひび|ヒビ|バキバキ|ばきばき|壊れ|こわれ|破損|故障|修理|(?:電源|スイッチ)が入ら|動かな|水没|水に|トイレに落|\b(?:crack\w*|screen|smash\w*|shatter\w*|broke\w*|repair\w*|in pieces|won['’]?t (?:turn|switch|start)|into (?:the )?(?:water|toilet|sink|bath|pool|puddle))\b"
)
_TAKEN = re.compile(
    r"盗|すられ|なくし|無くし|失くし|紛失|見つから|\b(?:stolen|stole|lost|nicked|missing|can(?:no|['’])?t find|gone)\b"
)
_LEFT = re.compile(  # where it can be fetched
    r"(?:家|自宅|実家|机|デスク|会社|職場|ロッカー)(?:の\S{0,3})?に[^。、]{0,12}(?:置い|忘れ|わすれ)|\b(?:left|forgot|forgotten)\b[^.!?]{0,40}\b(?:at home|at (?:the|my) (?:office|desk|place|house)|on my desk|in my (?:desk|drawer|locker))\b"
)


@lru_cache(maxsize=4_096)
def emergency(text: str) -> Emergency | None:
    """The emergency that a message reports, by patterns or else by the classifier; None for a question about what to do
    in such a case."""
    wholes = sentences(normalize(text[:MAX_CLASSIFIED_CHARACTERS]))
    parts = (part for whole in wholes for part in (*clauses(whole), whole))
    reported: Iterator[Emergency] = (one for part in parts for one in EMERGENCIES if _reports(one, part))
    by_wording = next(reported, None)
    by_classifier = incident(text)
    plain = normalize(text)
    is_lost = "lost_device" in (by_wording, by_classifier)
    if is_lost and not _OF_USE_TO_FINDER.search(plain):  # an umbrella, a purse: a matter for lost property
        return None if by_wording in (None, "lost_device") else by_wording
    if by_wording is None and by_classifier == "lost_device" and _LEFT.search(plain):
        return None
    if is_lost and _BROKEN.search(plain) and not _TAKEN.search(plain):
        return None if by_wording == "lost_device" else by_wording
    stolen = by_wording == "intrusion" and by_classifier == "lost_device"  # a thief of a thing, not of an account
    if by_wording is None or stolen:
        return next((one for one in EMERGENCIES if one == by_classifier), None)
    return by_wording


def _reports(one: Emergency, clause: str) -> bool:
    """Whether a clause reports the incident, and does not ask what to do if it happened."""
    found = _PATTERNS[one].search(clause)
    return found is not None and not is_hypothetical(clause, found.end())
