"""English names of numbers, ordinals, months and weekdays, weekdays with capitals, the others in small letters (spelling.toml)."""

from __future__ import annotations

from core.base.toml import bundled_toml

_ROWS = {name: row.split() for name, row in bundled_toml(__file__, "spelling.toml").items() if isinstance(row, str)}
SMALL_NUMBERS = {name: number for number, name in enumerate(_ROWS["numbers"], 1)}
TENS = {name: 10 * number for number, name in enumerate(_ROWS["tens"], 2)}
ORDINALS = dict(zip(_ROWS["ordinals"], range(20), strict=True)) | {f"{ten[:-1]}ieth": n for ten, n in TENS.items()}
MONTHS = {name: number for number, name in enumerate(_ROWS["months"], 1)}
WEEKDAYS = tuple(name.capitalize() for name in _ROWS["weekdays"])
MONTH_NAMES, WEEKDAY_NAMES = "|".join(MONTHS).title(), "|".join(WEEKDAYS)  # for patterns
