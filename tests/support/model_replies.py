"""What a well-behaved model server says to our requests, and whether those are as OpenAI's types describe them."""

from __future__ import annotations

import json
import re
import zlib
from typing import TYPE_CHECKING, Any

from openai.types.chat import completion_create_params as params
from pydantic import TypeAdapter

if TYPE_CHECKING:
    from tests.support.model_server import ModelServer

Json = dict[str, Any]
_PLAIN = TypeAdapter(params.CompletionCreateParamsNonStreaming)
_STREAMING = TypeAdapter(params.CompletionCreateParamsStreaming)
_KNOWN = (
    params.CompletionCreateParamsStreaming.__required_keys__ | params.CompletionCreateParamsStreaming.__optional_keys__
)
_FENCED = re.compile(r"<<<\w+\n(.*?)\n\w+>>>", re.DOTALL)  # what people and documents say, in a prompt
_SECTION = re.compile(r"^(?:Section|節) (\d+)$", re.MULTILINE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d[^\n]*")
ASKED, ANSWERED = "どれについてですか。", "翌月の10日までに精算します。"
MARK = {
    "assessment": "clarity",
    "user_message": "ending",
    "turn_verdict": "understanding",
    "correctness_verdict": "claims",
    "check": "number",
    "worded_question": "text",
}


def check_request(body: Json) -> None:
    """Raises if a request is not what OpenAI's own types for chat completions describe."""
    read: Any = (_STREAMING if body.get("stream") else _PLAIN).validate_python(body)
    assert set(body) <= _KNOWN, f"unknown: {set(body) - _KNOWN}"
    for name in ("messages", "tools"):
        list(read.get(name) or ())  # pydantic reads these lazily


USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}


def completion(message: Json, finish: str = "stop") -> Json:
    """A chat completion with one choice."""
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": USAGE}


def tool_call(body: Json, text: str) -> Json:
    """A message that calls a tool: the one named in the text, else the only one."""
    name, arguments = body["tools"][0]["function"]["name"], text
    if len(body["tools"]) > 1:
        shown_text = json.loads(text)
        name, arguments = shown_text["name"], json.dumps(shown_text["arguments"])
    call = {"id": "t", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def rejection(home: ModelServer, body: Json) -> str:
    """Why this server will not take the request, in the words of a real one."""
    kind = (body.get("response_format") or {}).get("type")
    if body.get("tools") and "tools" not in home.output_modes:
        return "registry.example/tiny does not support tools"
    if kind == "json_schema" and "schema" not in home.output_modes:
        return "response_format.type: Input should be 'text' or 'json_object', json_schema is not supported"
    if kind == "json_object" and "json" not in home.output_modes:
        return "This response_format type is unavailable now"
    for name in ("max_tokens", "max_completion_tokens"):
        if name in body and name in home.rejects:
            return f"Unsupported parameter: '{name}' is not supported with this model."
    if "system" in home.rejects and body["messages"][0]["role"] == "system":
        return "System role not supported"
    for name in sorted(home.rejects & set(body)):
        return f"Unsupported value: '{name}' does not support this value with this model."
    return ""


def shape(body: Json) -> str:
    """The name of the shape that a request asks for: assessment, turn_verdict …; "" for plain text."""
    if tools := body.get("tools"):
        return tools[0]["function"]["name"] if len(tools) == 1 else "step"
    if schema := (body.get("response_format") or {}).get("json_schema"):
        return "step" if schema["name"] == "choice" else schema["name"]
    system = body["messages"][0]["content"]
    if '"name": …' in system:
        return "step"
    shown_text = {name: system.rfind(f'"{field}": {{') for name, field in MARK.items()}
    return max(shown_text, key=lambda name: shown_text[name]) if max(shown_text.values()) >= 0 else ""


def reply_to(body: Json) -> str:
    """A valid reply to a prompt of ours, the same for the same request; raises KeyError for a shape without one."""
    said = "\n".join(str(message["content"]) for message in body["messages"])
    written = _FENCED.findall(said)
    draw = zlib.crc32("\n".join(written or [_DATE.sub("", said)]).encode())  # neither the wording nor the day counts
    last = zlib.crc32((written or [""])[-1].encode())  # of an assessment: the person's last message
    mark = {"reason": "資料1と合っている", "score": draw % 5 + 1}
    criteria = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")
    replies: dict[str, Any] = {
        "check": {"answer": "yes", "number": 3},
        "assessment": {
            "clarity": 1 if ASKED in said else last % 2 * 2 + 1,  # asks once at most
            "is_question": 1,
            "is_consultation": 5,
            "in_internal_docs": 1,
            "ask_person": 5,
            "ask_missing_info": ASKED,
            "res_consultation": "",
            "ask_user_meta_info": "",
            "choices": [],
        },
        "user_message": {
            "text": f"それについて教えてください{draw % 7}",
            "ending": "done" if ANSWERED in said and draw % 3 == 0 else None,
        },
        "turn_verdict": {"steps": ["知りたいことは期限"], "conclusion": "よい", **dict.fromkeys(criteria, mark)},
        "correctness_verdict": {
            "claims": [{"claim": "期限", "essential": True, "evidence": ANSWERED, "status": "found"}],
            "reason": "資料1と合っている",
        },
        "worded_question": {"text": (written or ["?"])[-1]},
        "step": {"name": "search_now", "arguments": {}},
    }
    kind = shape(body)
    if kind == "written_examples":
        replies[kind] = {"sections": [_examples(said, int(number)) for number in _SECTION.findall(said)]}
    return json.dumps(replies[kind], ensure_ascii=False) if kind else f"{ANSWERED}[1]"


def _examples(said: str, number: int) -> Json:
    """Questions for one section of a prompt, different for every section."""
    heading, text = re.findall(
        rf"^(?:Section|節) {number}\n<<<\w+\n(.*?)\n\w+>>>\n<<<\w+\n(.*?)\n\w+>>>", said, re.M | re.S
    )[0]
    ways = ("いつまで?", "の件で困っています", "を教えていただけますか")
    return {"section": number, "questions": [heading, *(f"{text[:12]} {way}" for way in ways), "", "あ" * 201]}
