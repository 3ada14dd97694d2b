"""Phrases with which a simulated user gives itself away, sounds like support staff, or says goodbye."""

from __future__ import annotations

import re

from core.text.language import script
from core.text.normalize import normalize

_REVEALED = re.compile(
    r"(?:ai|人工知能|言語モデル|chatgpt)(?:アシスタント|モデル|ボット)?(?:として|なので|ですので|である|だから)"
    r"|(?:私|わたし|僕|実)は[、]?(?:ただの)?(?:ai|人工知能|言語モデル|ボット|プログラム)"
    r"|シミュレー(?:ト|ション)(?:され|して|の利用者|ユーザー|用|中)|利用者役|ユーザー役|(?:この|私の|与えられた|渡された)(?:シナリオ|ペルソナ|設定|役)(?:では|に|で|の|上|どおり|通り)"
    r"|(?:事実(?:シート|の一覧|の欄)|シナリオ|設定)に(?:は)?(?:書かれて|書いて|載って|記載|ない|ありません)|(?:シナリオ|設定|役)上[、は]|演じ(?:て|る|ます)|プロンプト(?:に|では|どおり|通り)"
    r"|\b(?:as|i am|i'm) (?:just )?an? (?:ai|artificial intelligence|language model|bot|simulated)\b|\bsimulated (?:user|customer|person)\b"
    r"|\bmy (?:persona|character|role|scenario|hidden intent|fact sheet|instructions)\b|\b(?:fact sheet|the scenario|my sheet|the prompt) (?:says|does|doesn't|tells)\b"
    r"|\b(?:in|according to) (?:my|the|this) (?:fact sheet|scenario|persona|prompt|role)\b|\bi (?:was|am|have been) (?:told|instructed|asked) to (?:play|act|pretend|say)\b|\brole-?play|\bi(?:'m| am) playing an? "
    r"|[\"']?(?:ending|text)[\"']?\s*:\s*[\"'{n]|out_of_script|gave_up|</?think|[（(](?:心の中|心の声|内心|思考|thinking|thought|inner)|```"
)
_STAFF = re.compile(
    r"お問い?合わ?せ(?:いただき|くださり)?(?:、)?(?:まして)?、?(?:誠に)?ありがとう|ご利用(?:いただき|くださり)(?:、)?(?:誠に)?ありがとう|(?:他|ほか)に(?:も)?(?:何か)?(?:ご不明|ご質問|お困り)|ご不明な点"
    r"|(?:ご案内|ご説明|ご回答|お答え|お調べ|お手伝い|サポート)(?:いた|させていただ|できかね|できます)|(?:ご案内|お調べ|お手伝い)し(?:ます|ましょう)|お力になれ|担当(?:部署|者)(?:より|から)(?:ご|折り返し)|(?:弊社|当社|当窓口|当サイト|弊部)(?:では|の|が|は)"
    r"|(?:どのような|どういった)ご(?:用件|質問|相談)|(?:お客様|ご利用者様|利用者様)(?:の(?:ご|アカウント|お)|には|におかれ)|恐れ入りますが、(?:もう少し|詳しく|以下)|お気軽に"
    r"|手順は(?:次|以下)のと(?:おり|通り)|以下(?:の手順|をご)|(?:ご確認|お試し|お待ち|ご連絡|お申し付け|ご覧)(?:ください|下さい|くださいませ)|資料に(?:よると|よれば)"
    r"|\bhow (?:can|may) i (?:help|assist)\b|\bthank you for (?:contacting|reaching out|your (?:question|inquiry|enquiry|patience|message))|\bis there anything else i can\b"
    r"|\bi(?:'d| would|'ll| will| am|'m) (?:be )?(?:happy|glad) to (?:help|assist|explain)|\bour (?:team|policy|support|customers|records|documents?|help cent(?:er|re))\b"
    r"|\blet me (?:check|look|find) (?:that|this|it)(?: up| out)? for you\b|\bplease (?:contact|refer to|visit) (?:our|the)\b|\bhope (?:this|that) helps\b|\byou can (?:find|change|reset|request|cancel|contact|apply|submit)\b"
    r"|\baccording to (?:our|the) (?:documents?|policy|help|guide)|\bas (?:a|your) (?:support|customer service|help ?desk)|\bfeel free to\b|\bhere are the steps\b|\bi apologi[sz]e for (?:the|any) (?:inconvenience|confusion)"
    r"|[\[［【]\d{1,2}[\]］】]"
)
_CLOSING = re.compile(
    r"ありがとう|助かりました|解決しました|もう(?:大丈夫|結構|いい)です|終わりにします|失礼します|\bthanks?\b|\bthank you\b|\bthat(?:'s| is) all\b|\bgoodbye\b|\bbye\b|\bno further\b|\bi'm (?:all set|done)\b|\bnever ?mind\b"
)
_SOLVED = re.compile(
    r"解決しました|助かりました|(?:よく)?(?:わか|分か)りました(?:。|、|！|!)*(?:ありがとう|これで)|(?:それ|これ)が(?:知り|聞き)たかった|疑問が(?:解け|晴れ)"
    r"|\bthat (?:answers|solves|solved|answered|helps|helped)\b|\bexactly what i (?:needed|wanted)\b|\bproblem solved\b|\bnow i (?:know|understand)\b|\bthat's all i needed\b"
)


def reveals(text: str, known: str) -> str:
    """The words that show that the user is simulated; "" for none, or if `known` has the same words."""
    return _first(_REVEALED, text, known)


def sounds_like_support(text: str, known: str) -> str:
    """The words that only support staff would say; "" for none, or if `known` has the same words."""
    return _first(_STAFF, text, known)


def closes(text: str) -> str:
    """The words with which a turn says goodbye; "" for none."""
    return _first(_CLOSING, text, "")


def takes_as_met(text: str) -> str:
    """The words with which a turn says that the question is answered; "" for none."""
    return _first(_SOLVED, text, "")


def in_other_language(text: str, conversation: str) -> bool:
    """Whether a turn of some length is English in a conversation that is not, or the other way round."""
    own, expected = script(text), script(conversation)
    if not conversation.strip() or (own == "en") == (expected == "en"):
        return False
    letters = re.findall(r"[a-z']{2,}", normalize(text)) if own == "en" else re.findall(r"[ぁ-んァ-ヶ一-龥]", text)
    return len(letters) >= (5 if own == "en" else 6)


def _first(pattern: re.Pattern[str], text: str, known: str) -> str:
    plain, known_text = normalize(text).replace("’", "'"), normalize(known).replace("’", "'")
    return next((match[0] for match in pattern.finditer(plain) if match[0] not in known_text), "")
