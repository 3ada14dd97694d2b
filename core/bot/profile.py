"""The user's profile from name-value pairs on the command line, in files, personas and scenarios."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import get_args

from core.base.errors import BadInput
from core.base.types import Bot, Patience, Profile

FIELDS = ("department", "office", "role", "age", "note", "patience")


def profile_of(values: Mapping[str, str], bot: Bot) -> Profile:
    """A profile from values by name: one of FIELDS, or a field that the bot declares; raises BadInput for any other."""
    declared = {field.name.casefold(): field.name for field in bot.profile_fields}
    plain: dict[str, str] = {}
    details: dict[str, str] = {}
    for name, value in values.items():
        key = name.strip().casefold()
        if key in declared:
            details[declared[key]] = value.strip()
        elif key in FIELDS:
            plain[key] = value.strip()
        else:
            names = ", ".join([*FIELDS, *declared.values()])
            message = f"{bot.id} knows nothing called {name.strip()!r} of a person. Use one of: {names}."
            raise BadInput(message, "unknown_profile_field", name=name.strip(), names=names)
    if (patience := plain.get("patience")) is not None and patience not in get_args(Patience):
        message = f"The patience {patience!r} is not known. Use one of: {', '.join(get_args(Patience))}."
        raise BadInput(message, "unknown_patience", given=patience, names=", ".join(get_args(Patience)))
    return Profile.model_validate({**plain, "details": details})


def parse_profile(bot: Bot, *texts: str) -> Profile:
    """The profile in texts such as "office=Osaka; age=34", later texts override earlier ones; raises BadInput."""
    pairs = (pair for text in texts for pair in re.split(r"[;；\n]", text) if pair.strip())
    return profile_of(read_pairs(pairs), bot)


def read_pairs(pairs: Iterable[str]) -> dict[str, str]:
    """Values by name from texts such as office=Osaka; raises BadInput for one without =."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.replace("＝", "=").partition("=")
        if not equals or not name.strip():
            raise BadInput(f"{pair!r} must have the form KEY=VALUE, such as office=Osaka.", "no_pair", given=pair)
        found[name.strip()] = value.strip()
    return found
