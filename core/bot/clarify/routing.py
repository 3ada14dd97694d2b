"""From an assessment to the next step: a pure function, tested as a table."""

from __future__ import annotations

from core.base.types import Assessment, ClarifySettings, Patience, Route

# How a person's patience moves (clarity bound, low bound).
_PATIENCE: dict[Patience, tuple[int, int]] = {"at_once": (2, -1), "balanced": (0, 0), "talk": (0, 1)}


def bounds(settings: ClarifySettings, patience: Patience = "balanced") -> tuple[int, int]:
    """The two bounds in force: a message is clear up to the first, a score counts as low up to the second (0 to 5)."""
    clear, low = _PATIENCE[patience]
    return min(5, settings.clarity_bound + clear), min(5, max(0, settings.low_bound + low))


def route(assessment: Assessment, settings: ClarifySettings, patience: Patience = "balanced", asked: int = 0) -> Route:
    """Where the turn goes; `asked` is how often the bot has asked back in this conversation.

    Rows 1 to 6 follow the published table, tried in order. A question about the person is asked where nothing else is.
    At `max_questions` every row searches, and `limit_reached` says that a question was left unasked.
    """
    row, text, reason = _row(assessment, *bounds(settings, patience))
    if not text and assessment.ask_user_meta_info:
        text, reason = assessment.ask_user_meta_info, "profile"
    name_contact = assessment.ask_person <= settings.low_bound
    limited = bool(text) and asked >= settings.max_questions
    if not text or limited:
        return Route(row=row, decision="search", limit_reached=limited, name_contact=name_contact)
    return Route.model_validate(
        {"row": row, "decision": "ask", "ask": text, "reason": reason, "name_contact": name_contact}
    )


def _row(assessment: Assessment, clear_bound: int, low_bound: int) -> tuple[int, str, str]:
    """(row, what to ask or "", why)."""
    consultation = assessment.is_consultation <= low_bound
    draw_out = assessment.res_consultation
    if assessment.clarity > clear_bound:
        if draw_out and consultation:
            return 1, draw_out, "consultation"
        if assessment.ask_missing_info and assessment.is_question <= low_bound:
            return 2, assessment.ask_missing_info, "missing"
        return 3, "", ""
    if consultation and assessment.in_internal_docs <= low_bound:
        return 4, "", ""
    if consultation and draw_out:
        return 5, draw_out, "consultation"
    return 6, "", ""
