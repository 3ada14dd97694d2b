"""One request to a server and its answer, whatever the server makes of it."""

from __future__ import annotations

import os
import re
import time
from base64 import b64encode
from collections.abc import Generator, Iterator
from contextlib import closing

import httpcore2
import httpx2
import openai

from core.base.errors import BadInput
from core.llm.body import PACKED, unpacked
from core.llm.clock import be_done_by, timed
from core.llm.complaint import Garbled, judged
from core.llm.connections import FAILED, Connections, Fields
from core.llm.events import Heard, events, read_reply
from core.llm.hiding import Hiding
from core.llm.limits import Passing
from core.llm.raw import Raw
from core.llm.request import written
from core.llm.roles import Server, is_sendable
from core.llm.schemas import Json

_PATH = b"/chat/completions"
CONNECT = 10.0  # seconds for a connection
_ERROR = 2**16  # bytes of an error that are read
_PLAIN = ("accept", "accept-encoding", "content-type", "user-agent")
_SECRET = re.compile(r"key|token|auth|secret|cookie|pass", re.IGNORECASE)  # in the name of a header
_SAID_BY = {"openai-organization": "OPENAI_ORG_ID", "openai-project": "OPENAI_PROJECT_ID"}
_NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


class _Alone(openai.OpenAI):
    """A client that sends nothing of the environment's: its organization and headers are for the owner's server."""

    @property
    def default_headers(self) -> dict[str, str | openai.Omit]:
        """What describes the request and the client."""
        return {name: value for name, value in super().default_headers.items() if name.lower() in _PLAIN}


class Wire:
    """Sends requests to one server; safe to share between threads. Retries are for the caller to make.

    Raises BadInput where the environment does not let it: its proxy, certificates or headers cannot be used.
    """

    def __init__(self, server: Server) -> None:
        self._server, self._key = server, server.key.get_secret_value()
        http = timed(http_client(server))
        headers = _headers(server, self._key, http)
        base = httpx2.URL(server.base_url)
        path, *query = base.raw_path.split(b"?", 1)  # as it is written: %2F is no slash
        self._url = base.copy_with(raw_path=b"?".join((path.rstrip(b"/") + _PATH, *query)))
        self._fields, self._connections = _fields(http, self._url, headers), Connections(http, self._url)
        self._timeouts = http.timeout.as_dict()
        told = (value.split()[-1] for name, value in headers.items() if _SECRET.search(name) and value.strip())
        self._hiding = Hiding((self._key, *_passwords(base), *told))

    def reply(self, body: str) -> Raw:
        """The whole reply to a request (JSON); raises Passing, Rejected or Refused."""
        try:
            return read_reply(b"".join(self._bytes(body)), self._hiding)
        except Garbled as error:
            return error.raw

    def pieces(self, body: Json) -> Generator[str, None, Raw]:
        """The reply's text in pieces as they come, at last all of it; raises Passing, Rejected or Refused."""
        heard = Heard(self._hiding)
        try:
            with closing(self._bytes(written({**body, "stream": True}))) as chunks:
                for event in events(chunks, self._hiding):
                    if piece := heard.take(event):
                        yield piece
        except Garbled as error:
            return error.raw
        rest, raw = heard.whole()
        if rest:
            yield rest
        return raw

    def _bytes(self, body: str) -> Generator[bytes]:
        """The body of the server's answer as it comes, headers and all within the time-out however slowly it drips."""
        until = time.monotonic() + self._server.timeout
        be_done_by(until)
        try:
            # not through the client, which spends a third of a call's time on making the request anew
            data = body.encode("utf-8", "replace")
            with self._connections.post(self._fields, data, self._timeouts) as answer:
                if answer.status_code >= 300:
                    beginning = _beginning(unpacked(answer, until))
                    raise judged(self._server.name, answer.head(), beginning, self._hiding)
                yield from unpacked(answer, until)
        except (httpcore2.TimeoutException, httpx2.TimeoutException) as error:
            told = f"no whole reply within {self._server.timeout:g} s"
            raise Passing(told, absent=isinstance(error, httpcore2.ConnectTimeout)) from error
        except FAILED as error:
            told = self._hiding.text(f"the connection failed ({error})")
            raise Passing(told, absent=isinstance(error, httpcore2.ConnectError)) from error


def http_client(server: Server) -> httpx2.Client:
    """Follows no redirects, and reaches this machine without a proxy; raises BadInput."""
    timeout = httpx2.Timeout(server.timeout, connect=min(CONNECT, server.timeout))
    try:
        if server.is_here:
            verify = httpx2.create_ssl_context() if server.base_url.startswith("https") else False
            return openai.DefaultHttpxClient(timeout=timeout, follow_redirects=False, trust_env=False, verify=verify)
        return openai.DefaultHttpxClient(timeout=timeout, follow_redirects=False)
    except (ImportError, OSError, ValueError, httpx2.InvalidURL) as error:
        names = ", ".join(name for name in _NETWORK if os.environ.get(name) or os.environ.get(name.lower()))
        told = f"{names or 'The network'} cannot be used ({type(error).__name__}). Correct it in the environment."
        raise BadInput(told, "bad_network", names=names or "—", detail=type(error).__name__) from None


def _headers(server: Server, key: str, http: httpx2.Client) -> dict[str, str]:
    """What the usual client sends along, worked out once; without a key no Authorization of its own. Raises BadInput."""
    kind = openai.OpenAI if server.is_owners else _Alone
    client = kind(base_url=server.base_url, api_key=key or "none", http_client=http)  # it needs some word
    given = {**(client.auth_headers if key else {}), **client.default_headers, "Accept-Encoding": PACKED}
    headers = {name: value for name, value in given.items() if isinstance(value, str)}
    for name, value in headers.items():
        if not is_sendable(value) or not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            said_by = _SAID_BY.get(name.lower(), "OPENAI_CUSTOM_HEADERS")
            raise BadInput(
                f"{said_by} cannot be sent to a server. Use one line of ASCII letters, digits and signs.",
                "bad_header",
                name=said_by,
            )
    return headers


def _fields(http: httpx2.Client, url: httpx2.URL, headers: dict[str, str]) -> Fields:
    """All that is sent ahead of a body, but for its length; user and password of the address in place of a key."""
    request = http.build_request("POST", url, headers=headers)
    if url.username or url.password:
        request = next(httpx2.BasicAuth(url.username, url.password).auth_flow(request))
    return [(name, value) for name, value in request.headers.raw if name.lower() != b"content-length"]


def _passwords(base: httpx2.URL) -> tuple[str, ...]:
    """The password of the address as it is meant, written and sent."""
    if not base.password:
        return ()
    sent = b64encode(f"{base.username}:{base.password}".encode()).decode()
    return base.password, base.userinfo.decode("ascii").partition(":")[2], sent


def _beginning(chunks: Iterator[bytes]) -> bytes:
    """As much of an error as is worth reading."""
    data = b""
    for chunk in chunks:
        data += chunk
        if len(data) >= _ERROR:
            break
    return data[:_ERROR]
