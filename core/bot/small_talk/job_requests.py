"""Whether somebody asks the organisation for work."""

from __future__ import annotations

import re
import unicodedata

_JOBS = re.compile(
    r"(?:アルバイト|バイト|パート|求人|採用|中途採用|新卒|インターン(?:シップ)?|社員|スタッフ|仕事|働き手)(?:の|は|を|って|、)?(?:募集|求人|採用|応募)?(?:は|を|って|も)?(?:して(?:い)?(?:ます|る)|していません|あり(?:ます|ません)|ある|情報|予定|やって(?:い)?(?:ます|る)|したい|できますか|中です)(?:か|の|でしょうか|を|は|、|$|[?？])"
    r"|(?:御社|貴社|そちら|そこ|お宅)(?:の会社)?(?:で|に)(?:働き|働か|勤め|就職|転職|雇|入社)|雇って(?:もらえ|いただけ|くれ|ください)"
    r"|\b(?:are|is) (?:you|your company|the company)(?: guys| currently| still)? (?:hiring|recruiting|taking on (?:staff|people|interns))\b|\blooking for (?:new )?(?:interns?|staff|employees|trainees|apprentices|people to hire)\b"
    r"|\b(?:job|staff|career) (?:openings?|offers?|opportunit\w+|vacanc\w+|applications? (?:to|with|at) you)\b|\b(?:any|open|current) (?:job )?(?:vacanc\w+|positions|internships?|jobs)\b(?! (?:on|in) (?:my|our|the board))|\b(?:take|have|offer) (?:any |on )?(?:interns|internships?|apprentice\w*)\b"
    r"|\b(?:work|job|career|internship|apprenticeship|traineeship|placement) (?:for|at|with) (?:you|your (?:company|firm|organi[sz]ation|team))\b|\bapply for a job\b|\bsend (?:you )?my (?:cv|resume|résumé)\b",
    re.IGNORECASE,
)


def seeks_job(text: str) -> bool:
    """Whether a message asks the organisation itself for work."""
    return bool(_JOBS.search(unicodedata.normalize("NFKC", text)))
