"""The prices of tokens: a table that the owner fills in."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import tomlkit
from pydantic import Field, ValidationError

from core.base.field_faults import broken_file, field_fault
from core.base.files import read_bytes, write_text
from core.base.frozen_model import FrozenModel
from core.base.settings import settings
from core.base.toml import TomlFault, parse_toml

BUNDLED = Path(__file__).with_name("prices.toml")
MILLION = 1_000_000


class Price(FrozenModel):
    """Money per million tokens for the models whose name fits `pattern`."""

    pattern: str = Field(min_length=1)
    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)  # None: the same as `input`


class Prices(FrozenModel):
    """The price table; the first pattern that fits counts."""

    currency: str = "USD"
    models: tuple[Price, ...] = ()

    def price(self, model: str) -> Price | None:
        """The price of a model; None if the table does not have it."""
        return next((price for price in self.models if fnmatchcase(model.lower(), price.pattern.lower())), None)

    def cost(self, model: str, prompt: int | None, cached: int | None, completion: int | None) -> float | None:
        """The cost of tokens; None for a model without a price, or if the server counted no tokens."""
        price = self.price(model)
        if price is None or prompt is None or completion is None:
            return None
        from_cache = min(cached or 0, prompt)
        cheap = price.input if price.cached is None else price.cached
        return ((prompt - from_cache) * price.input + from_cache * cheap + completion * price.output) / MILLION


def price_file() -> Path:
    return settings().data_dir / "prices.toml"


def read_prices() -> Prices:
    """The owner's table, else the bundled (empty) one; raises BadInput if it cannot be read."""
    source = own if (own := price_file()).is_file() else BUNDLED
    try:
        return Prices.model_validate(parse_toml(read_bytes(source)))
    except (TomlFault, ValidationError) as error:
        fault = field_fault(error) if isinstance(error, ValidationError) else error
        raise broken_file(source.name, fault, "Correct it or delete it and try again.") from error


def save_prices(prices: Prices) -> None:
    """Write the owner's table; raises BadInput if the folder cannot be written."""
    write_text(price_file(), tomlkit.dumps(prices.model_dump(mode="json", exclude_none=True)))
