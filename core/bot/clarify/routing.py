"""From an assessment to the next step: a pure function, tested as a table."""

from __future__ import annotations

from core.base.types import Assessment, ClarifySettings, Patience, Route

# How a person's patience moves (clarity threshold, low threshold).
_PATIENCE: dict[Patience, tuple[int, int]] = {"at_once": (2, -1), "balanced": (0, 0), "talk": (0, 1)}


def thresholds(settings: ClarifySettings, patience: Patience = "balanced") -> tuple[int, int]:
    """The two thresholds in force: a message is clear up to the first, a score counts as low up to the second (0 to 5)."""
    clear, low = _PATIENCE[patience]
    return min(5, settings.clarity_threshold + clear), min(5, max(0, settings.score_threshold + low))


def route(assessment: Assessment, settings: ClarifySettings, patience: Patience = "balanced", asked: int = 0) -> Route:
    """Where the turn goes; `asked` is how often the bot has asked a clarifying question in this conversation.

    Rows 1 to 6 follow the published table, tried in order. A question about the person is asked where nothing else is.
    At `max_questions` every row searches, and `limit_reached` says that a question was left unasked.
    """
    row, text, reason = _row(assessment, *thresholds(settings, patience))
    if not text and assessment.ask_user_meta_info:
        text, reason = assessment.ask_user_meta_info, "profile"
    name_contact = assessment.ask_person <= settings.score_threshold
    limited = bool(text) and asked >= settings.max_questions
    if not text or limited:
        return Route(row=row, decision="search", limit_reached=limited, name_contact=name_contact)
    return Route.model_validate(
        {"row": row, "decision": "ask", "ask": text, "reason": reason, "name_contact": name_contact}
    )


def _row(assessment: Assessment, clear_threshold: int, score_threshold: int) -> tuple[int, str, str]:
    """(row, what to ask or "", why)."""
    consultation = assessment.is_consultation <= score_threshold
    draw_out = assessment.res_consultation
    if assessment.clarity > clear_threshold:
        if draw_out and consultation:
            return 1, draw_out, "consultation"
        if assessment.ask_missing_info and assessment.is_question <= score_threshold:
            return 2, assessment.ask_missing_info, "missing"
        return 3, "", ""
    if consultation and assessment.in_internal_docs <= score_threshold:
        return 4, "", ""
    if consultation and draw_out:
        return 5, draw_out, "consultation"
    return 6, "", ""
