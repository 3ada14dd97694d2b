"""Fields that cannot be used: one sentence in either language, with what is expected and what came."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel, Field, ValidationError

from core.base.bot_folder import parse_bot
from core.base.errors import BadInput
from core.base.external_bots import HttpBot
from core.base.field_faults import field_fault
from core.base.translate import translated_error, translator

START = 'name = "x"\nlanguage = "ja"\n'
PYDANTIC = re.compile(r"Input should|Field required|Extra inputs|valid (?:tuple|dictionary|string|integer)")


class Kinds(BaseModel):
    """A field of every kind that people write."""

    id: str | int = ""
    share: float = Field(default=0, lt=1)
    pairs: dict[str, list[int]] = {}
    parts: tuple[HttpBot, ...] = ()


@pytest.mark.parametrize(
    ("source", "english", "japanese"),
    [
        (START + "samples = 5\n", "“samples” must be a list such as .*; it is 5", "「samples」は .*リスト.*今の値：5"),
        (START + 'samples = ["a", 2]\n', "“samples #2” must be text in quotes; it is 2", "「samples #2」.*引用符"),
        (START + 'samples = "a"\n', '“samples” must be a list .*; it is "a"', '今の値："a"'),
        (START + "contacts = [1]\n", "“contacts #1” must be a table .*; it is 1", "「contacts #1」.*テーブル"),
        (START + '[[contacts]]\nname = "a"\n', "“contacts #1, reach” is missing", "「contacts #1, reach」がありません"),
        (START + "clarify = 3\n", "“clarify” must be a table", "「clarify」.*テーブル"),
        (START + "[clarify]\nmax_questions = 99\n", "“clarify.max_questions” must be at most 10; it is 99", "10 以下"),
        (START + '[clarify]\nlook_first = "maybe"\n', 'must be one of true, false; it is "maybe"', "true, false"),
        (START + 'today = "soon"\n', '“today” must be a date such as .*; it is "soon"', "「today」.*日付"),
        (START + "naem = 1\n", "there is no field “naem”", "「naem」という項目はありません"),
        (START + f'samples = "{"a" * 500}"\n', 'it is "a{50,60}…', "…"),
    ],
)
def test_a_field_of_a_bot_is_named_with_what_came(tmp_path: Path, source: str, english: str, japanese: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_bot(source.encode(), tmp_path)
    for pattern, words in ((english, str(caught.value)), (japanese, translated_error(translator("ja"), caught.value))):
        assert re.search(pattern, words) and f"{tmp_path.name}/bot.toml" in words and not PYDANTIC.search(words)
    assert re.search(english, translated_error(translator("en"), caught.value))


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"id": [1]}, "“id” must be text or a number; it is [1]"),
        ({"share": 1}, "“share” must be less than 1; it is 1"),
        ({"share": "many"}, '“share” must be a number; it is "many"'),
        ({"pairs": {"a": {"b": 1}}}, '“pairs.a” must be a list such as ["…", "…"]; it is {"b": 1}'),
        ({"parts": [{"kind": "http"}]}, "“parts #1, url” is missing"),
        ([], "“the row” must be a table of names and values; it is []"),
    ],
)
def test_fields_of_other_kinds(row: object, says: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Kinds.model_validate(row)
    assert str(field_fault(caught.value, whole="the row")) == says


def test_a_value_that_may_be_a_key_is_not_shown(tmp_path: Path) -> None:
    table = '[external]\nkind = "http"\nurl = "http://127.0.0.1/"\nheaders = "sk-live-1234"\n'
    with pytest.raises(BadInput) as caught:
        parse_bot((START + table).encode(), tmp_path)
    assert "“external.headers” must be a table" in str(caught.value) and "sk-live" not in str(caught.value)
