"""Sends a request to a model server with the openai client, and reads its reply or error."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Generator
from contextlib import contextmanager

import httpx2
import openai

from core.base.errors import BadInput, InvalidReply, ModelRefusal, ServerRefusal, TransientError
from core.base.http import MALFORMED_TRIES, ErrorReply, http_client, read_error, redirected_to, transient_error
from core.base.http_rules import is_header_name, is_secret_name, is_sendable
from core.base.json_data import Json
from core.base.redact import Redactor
from core.base.servers import Server
from core.llm.completions import UNPARSED, Completion, StreamedCompletion, read_completion

MAX_BYTES = 32 * 2**20  # of a reply
_PATH = "/chat/completions"
_PLAIN = ("accept", "content-type", "user-agent")
_SET_BY = {"openai-organization": "OPENAI_ORG_ID", "openai-project": "OPENAI_PROJECT_ID"}
# Errors of llama.cpp and Groq if the model's reply, not the request, has the wrong form
_UNPARSED = re.compile(
    r"output that does not match the expected|failed to parse input at pos|json_validate_failed|tool_use_failed",
    re.IGNORECASE,
)


class RequestRejected(Exception):
    """The server rejects the request as it is.

    parameter: what the server objects to ("": unknown)
    server_message: the server's message ("": none)
    """

    def __init__(self, status: int, message: str, parameter: str = "", server_message: str = "") -> None:
        super().__init__(message)
        self.status, self.parameter, self.server_message = status, parameter, server_message


class _Unparsed(Exception):
    """The server could not parse its model's output; `completion` is as much of it as the error has."""

    def __init__(self, error: ErrorReply) -> None:
        super().__init__(error.message)
        written = str(error.fields.get("failed_generation") or "")
        self.completion = Completion({"role": "assistant", "content": written, "error": error.message}, UNPARSED)


class _OpenAIWithoutEnvironment(openai.OpenAI):
    """Sends nothing from the environment: its organization and headers are for the owner's server."""

    @property
    def default_headers(self) -> dict[str, str | openai.Omit]:
        """The headers that describe the request and the client."""
        return {name: value for name, value in super().default_headers.items() if name.lower() in _PLAIN}


class Client:
    """Sends requests to one server; safe to share between threads. Callers retry.

    `post` of the openai client sends the body as it is; `chat.completions.create` would check all of it before and
    build its own types after, which takes as long as everything else about a call. Raises BadInput if a proxy,
    certificate or header from the environment cannot be used.
    """

    def __init__(self, server: Server) -> None:
        key, url = server.key.get_secret_value(), httpx2.URL(server.base_url)
        self._server, http = server, http_client(server, MAX_BYTES)
        self._openai = (openai.OpenAI if server.is_owners else _OpenAIWithoutEnvironment)(
            base_url=url.copy_with(query=None),
            default_query=dict(url.params),
            api_key=key or "none",  # it needs some word
            http_client=http,
            timeout=http.timeout,
            max_retries=0,
        )
        headers = {name: value for name, value in self._openai.default_headers.items() if isinstance(value, str)}
        _check_headers(headers)
        is_keyless = not key and "authorization" not in {name.lower() for name in headers}
        self._options: openai.RequestOptions = {"headers": {"Authorization": openai.Omit()}} if is_keyless else {}
        sensitive = (value.split()[-1] for name, value in headers.items() if is_secret_name(name) and value.strip())
        self._redactor = Redactor((key, *_passwords(url), *sensitive))

    def complete(self, body: Json) -> Completion:
        """The whole reply to a request; raises TransientError, RequestRejected, ServerRefusal or ModelRefusal."""
        try:
            with self._errors():
                response = self._openai.post(_PATH, cast_to=httpx2.Response, body=body, options=self._options)
                return read_completion(response.content, self._redactor)
        except _Unparsed as error:
            return error.completion

    def stream(self, body: Json) -> Generator[str, None, Completion]:
        """The reply's text in pieces as they come; returns the whole reply. Raises as `complete` does."""
        try:
            with self._errors():
                events = self._openai.post(
                    _PATH,
                    cast_to=object,
                    body={**body, "stream": True},
                    options=self._options,
                    stream=True,
                    stream_cls=openai.Stream[object],
                )
                if not re.search("json|html", events.response.headers.get("content-type", "")):
                    return (yield from self._pieces(events))
                whole = read_completion(events.response.read(), self._redactor)  # it does not stream
        except _Unparsed as error:
            return error.completion
        yield whole.text
        return whole

    def _pieces(self, events: openai.Stream[object]) -> Generator[str, None, Completion]:
        completion = StreamedCompletion(self._redactor)
        with events:
            try:
                for event in events:
                    if piece := completion.take(event):
                        yield piece
            except (ValueError, RecursionError) as error:  # no JSON
                raise TransientError("a piece of the stream cannot be read", tries=MALFORMED_TRIES) from error
        rest, whole = completion.whole()
        if rest:
            yield rest
        return whole

    @contextmanager
    def _errors(self) -> Generator[None]:
        """Turns any error of the openai client into one of ours."""
        try:
            yield
        except openai.APIStatusError as error:
            raise self._error_of(error.response) from None
        except openai.APITimeoutError as error:
            is_absent = isinstance(error.__cause__, httpx2.ConnectTimeout)
            raise TransientError(f"no whole reply within {self._server.timeout:g} s", absent=is_absent) from error
        except openai.APIConnectionError as error:
            cause = error.__cause__
            message = self._redactor.text(f"the connection failed ({cause})")
            if isinstance(cause, httpx2.DecodingError):
                raise TransientError(message, tries=MALFORMED_TRIES) from error
            raise TransientError(message, absent=isinstance(cause, httpx2.ConnectError)) from error
        except openai.APIError as error:
            message = self._redactor.text(f"the stream broke off ({error})")
            raise TransientError(message, tries=MALFORMED_TRIES) from None

    def _error_of(self, response: httpx2.Response) -> Exception:
        """The error for an error reply: to retry, to ask in another way, or to give up."""
        error, server = read_error(response, self._redactor), self._server.name
        message, status = error.message, error.status
        if place := redirected_to(response, self._redactor):
            moved = (
                f"{server} sends its callers on to {place}, where nothing was sent. If that is right, set that address."
            )
            return ServerRefusal(moved, "moved", server=server, place=place)
        if status in (401, 403):
            return ServerRefusal(f"{server} refused the key ({message}). Check it.", "wrong_key", detail=message)
        if status == 429 and "insufficient_quota" in str(error.body):
            return ServerRefusal(f"{server} has no credit left ({message}).", "no_credit", detail=message)
        if status == 400 and any("content_filter" in str(error.fields.get(name) or "") for name in ("code", "type")):
            return ModelRefusal(InvalidReply(f"{server} withheld the reply."), message)
        if status in (400, 500) and _UNPARSED.search(str(error.body)):
            return _Unparsed(error)
        return transient_error(response, message) or RequestRejected(
            status, message, error.parameter, error.server_message
        )


def _check_headers(headers: dict[str, str]) -> None:
    """Raises BadInput for a header that cannot be sent, naming the variable that it comes from."""
    for name, value in headers.items():
        if not is_sendable(value) or not is_header_name(name):
            variable = _SET_BY.get(name.lower(), "OPENAI_CUSTOM_HEADERS")
            message = f"{variable} cannot be sent to a server. Use one line of ASCII letters, digits and signs."
            raise BadInput(message, "bad_header", name=variable)


def _passwords(url: httpx2.URL) -> tuple[str, ...]:
    """The password of the address in plain, escaped and sent form."""
    if not url.password:
        return ()
    sent = b64encode(f"{url.username}:{url.password}".encode()).decode()
    return url.password, url.userinfo.decode("ascii").partition(":")[2], sent
