"""Detects distress in a message: emergencies, troubles, and feelings that call for sympathy.

| message reports | kind | decided by |
|---|---|---|
| a fire, an injury, somebody in one's account, phishing, a lost device | emergency | patterns in emergencies.py, else the classifier of incidents |
| a message sent to the wrong recipient | emergency | patterns in emergencies.py |
| a danger to a life | trouble | patterns in danger.py, else the classifier of moods; not a figure of speech |
| harassment | trouble | patterns in danger.py, else the classifier of incidents |
| weariness (of life, of being alone) | trouble | the classifier of incidents |
| a death | trouble and feeling | patterns in sympathy.toml, else the classifier of incidents |
| an accident, an illness, lost work, overwork, a long wait | feeling | patterns in sympathy.toml |
| bad treatment by the desk's staff, anger, worry, pain | feeling | patterns in sympathy.toml, else the classifier of moods |

Both classifiers are in classifiers.py. Hypothetical cases do not count (exclusions.py).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from core.text.distress.classifiers import incident
from core.text.distress.danger import announces_danger, is_harassed, is_of_writer, reports_danger
from core.text.distress.emergencies import LIFE_THREATENING, Emergency, emergency
from core.text.distress.sympathy import MILD, PRACTICAL, Feeling, feeling

Trouble = Literal["danger", "announced", "bereavement", "harassment", "weariness"]
DANGERS: tuple[Trouble, ...] = ("danger", "announced")
GRAVE: tuple[Trouble, ...] = (*DANGERS, "harassment")  # help comes first in the reply


class Distress(NamedTuple):
    """The distress that a message reports."""

    emergency: Emergency | None  # something that cannot wait
    trouble: Trouble | None  # the gravest; "announced": somebody else has said or written that a life will end
    feeling: Feeling | None  # calls for a word of sympathy
    is_harassed: bool  # even if `trouble` is graver
    announces_danger: bool  # even if `trouble` is graver

    @property
    def is_life_threatening(self) -> bool:
        """Whether the emergency threatens a life."""
        return self.emergency in LIFE_THREATENING

    @property
    def calls_for_sympathy(self) -> bool:
        """Whether a reply with facts alone would be cold: not if a life is in danger now, nor for matters that the desk
        may correct, nor for a passing pain or worry."""
        grave = self.feeling not in (None, *MILD, *PRACTICAL) or self.trouble not in (None, "announced")
        return grave and not self.is_life_threatening


@lru_cache(maxsize=4_096)
def distress_of(text: str) -> Distress:
    """The distress that a message reports."""
    felt, announced = feeling(text), announces_danger(text)
    harassed = is_harassed(text) and felt != "complaint"  # a complaint about the desk itself goes to the desk
    return Distress(emergency(text), _trouble(text, felt, harassed, announced), felt, harassed, announced)


def _trouble(text: str, felt: Feeling | None, harassed: bool, announced: bool) -> Trouble | None:
    if reports_danger(text):
        return "announced" if announced and not is_of_writer(text) else "danger"
    if felt == "bereavement":
        return "bereavement"
    if harassed:
        return "harassment"
    is_weary = incident(text) == "weariness" and felt in (None, "overwork", *MILD)
    return "weariness" if is_weary else None
