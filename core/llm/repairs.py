"""Repairs harmless deviations of a reply from its shape without asking the model again; nothing is guessed.

Letters of another width or case, quoted numbers, yes for Yes, はい for true, a list written as an object by id, one
object or one text in place of a list.
"""

from __future__ import annotations

import re
import unicodedata
from types import UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel

from core.base.json_data import Json
from core.base.reply_fields import says_nothing, without_number

_YES = frozenset({"yes", "y", "true", "はい", "是"})
_NO = frozenset({"no", "n", "false", "いいえ", "否"})
_INTEGER = re.compile(r"(?:[^\W\d]{1,12}[\s:#.]*)?(\d{1,4})(?:\s*(?:点|番目?|/\s*5))?")


def repair_fields(kind: type[BaseModel], data: Json) -> Json:
    """The data of an object as its fields would have it; what does not fit stays as it is, and so does what fits."""
    fields = {name: field.annotation for name, field in kind.model_fields.items()}
    repaired: Json = {}
    for key, value in data.items():
        name = key if key in fields else _meant(key, [field for field in fields if field not in data])
        repaired[name] = _fitted(fields[name], value) if name in fields else value
    return repaired


def _meant(key: str, names: list[str]) -> str:
    """The field that a key means, if it differs from it in letters' width, case or signs alone; else the key."""
    return next((name for name in names if _plain(name) == _plain(key)), key)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", _normalized(text)).casefold()


def _normalized(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _fitted(annotation: Any, value: Any) -> Any:
    """A value as a field of that type would have it; unchanged if it is not plain what was meant."""
    origin, options = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return _of_union(options, value)
    if origin is Literal:
        return _label(options, value)
    if origin is tuple:
        return _items(options[0], value)
    if annotation is bool and isinstance(value, str):
        return _yes_or_no(value, value)
    if annotation is int and isinstance(value, str):
        return _integer(value)
    if annotation is str:
        return _text(value)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and isinstance(value, dict):
        return repair_fields(annotation, cast(Json, value))
    return value


def _integer(value: str) -> Any:
    """The whole number that a text is, with its unit or word if it has one: "２", "4/5", "3点"; else the text."""
    found = _INTEGER.fullmatch(_normalized(value).strip())
    return int(found[1]) if found else value


def _of_union(options: tuple[Any, ...], value: Any) -> Any:
    """A value that may be null: the word for it is null, all else is of the one other type."""
    others = [option for option in options if option is not type(None)]
    if len(others) < len(options) and isinstance(value, str) and says_nothing(_normalized(value)):
        return None
    return _fitted(others[0], value) if len(others) == 1 and value is not None else value


def _label(options: tuple[Any, ...], value: Any) -> Any:
    """The option that a value means, in any case and width; also yes or no in other words."""
    if value in options and not isinstance(value, bool):
        return value
    text = str(value)
    if isinstance(value, str) and all(type(option) is int for option in options):
        return _integer(value)
    same = [option for option in options if _plain(str(option)) == _plain(text)]
    if len(same) == 1 and not isinstance(value, bool):
        return same[0]
    is_yes = _yes_or_no(text, None)
    words = {_plain(str(option)): option for option in options}
    if is_yes is None or len(options) != 2:
        return value
    return next((option for word, option in words.items() if word in (_YES if is_yes else _NO)), value)


def _yes_or_no(text: str, otherwise: Any) -> Any:
    word = _plain(text)
    return True if word in _YES else False if word in _NO else otherwise


def _items(annotation: Any, value: Any) -> Any:
    """A list: an object's values by id (with their ids), a single object alone, the lines of a text."""
    if isinstance(value, list):
        return [_fitted(annotation, item) for item in cast(list[Any], value)]
    if isinstance(value, str) and annotation is str:
        return [line for line in map(without_number, value.splitlines()) if line]
    if not (isinstance(value, dict) and isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return cast(Any, value)
    data = cast(Json, value)
    if {_plain(key) for key in data} & {_plain(name) for name in annotation.model_fields}:
        return [repair_fields(annotation, data)]
    if not all(isinstance(item, dict) for item in data.values()):
        return data
    named = "id" in annotation.model_fields
    return [_fitted(annotation, {**({"id": key} if named else {}), **cast(Json, item)}) for key, item in data.items()]


def _text(value: Any) -> Any:
    """A text: a number as it is written, several texts one below the other."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list):
        texts = cast(list[Any], value)
        return "\n".join(texts) if texts and all(isinstance(text, str) for text in texts) else texts
    return value
