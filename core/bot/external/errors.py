"""What can come back from a bot that exists already instead of a reply."""

from __future__ import annotations

from core.base.errors import ModelError


class OutsideError(ModelError):
    """The bot gave nothing that can be used; the message is a sentence for a person, as with `core.base.errors.ModelError`."""
