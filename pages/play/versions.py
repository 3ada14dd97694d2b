"""versions."""

from pages.shared.draw import heading
from pages.shared.words import say

heading(say("menu.versions"))
