"""What a message tells of that is bad for somebody, and what it calls for.

| told | is | decided by |
|---|---|---|
| a fire, an injury, somebody in one's account, a trap, a lost device | an emergency | patterns in emergencies.py, else the classifier in classifiers.py |
| a message sent to the wrong place | an emergency | patterns in emergencies.py |
| a danger to a life | a trouble | patterns in danger.py, else the classifier in classifiers.py; no figure of speech |
| harassment | a trouble | patterns in danger.py, else the classifier in classifiers.py |
| weariness (of life, of being alone) | a trouble | the classifier in classifiers.py |
| a death | a trouble and a feeling | patterns in sympathy.toml, else the classifier in classifiers.py |
| an accident, an illness, lost work, overwork, a long wait | a feeling | patterns in sympathy.toml |
| bad treatment by people of the desk, anger, worry, pain | a feeling | patterns in sympathy.toml, else the classifier in classifiers.py |

What may happen, or has happened to nobody, is none of these: exclusions.py.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from core.text.distress.classifiers import incident
from core.text.distress.danger import announces_danger, is_harassed, is_of_writer, tells_danger
from core.text.distress.emergencies import LIFE_THREATENING, Emergency, emergency
from core.text.distress.sympathy import MILD, PRACTICAL, Feeling, feeling

Trouble = Literal["danger", "announced", "bereavement", "harassment", "weariness"]
DANGERS: tuple[Trouble, ...] = ("danger", "announced")
GRAVE: tuple[Trouble, ...] = (*DANGERS, "harassment")  # met with help first, however they are told


class Distress(NamedTuple):
    """What a message tells of: what cannot wait, what is met with help, and what calls for a word of sympathy.

    trouble: the gravest; "announced": somebody else has said or written that a life will end; is_harassed,
    announces_danger: whatever else it tells of.
    """

    emergency: Emergency | None
    trouble: Trouble | None
    feeling: Feeling | None
    is_harassed: bool
    announces_danger: bool

    @property
    def is_life_threatening(self) -> bool:
        """Whether the emergency is one to a life."""
        return self.emergency in LIFE_THREATENING

    @property
    def calls_for_sympathy(self) -> bool:
        """Whether facts alone would be cold: not if a life is in danger now, nor for what the desk may set right, nor for a
        passing pain or worry."""
        grave = self.feeling not in (None, *MILD, *PRACTICAL) or self.trouble not in (None, "announced")
        return grave and not self.is_life_threatening


@lru_cache(maxsize=4_096)
def distress_of(text: str) -> Distress:
    """What a message tells of."""
    felt, announced = feeling(text), announces_danger(text)
    harassed = is_harassed(text) and felt != "complaint"  # of that, the desk is the right one to hear
    return Distress(emergency(text), _trouble(text, felt, harassed, announced), felt, harassed, announced)


def _trouble(text: str, felt: Feeling | None, harassed: bool, announced: bool) -> Trouble | None:
    if tells_danger(text):
        return "announced" if announced and not is_of_writer(text) else "danger"
    if felt == "bereavement":
        return "bereavement"
    if harassed:
        return "harassment"
    wearied = incident(text) == "weariness" and felt in (None, "overwork", *MILD)
    return "weariness" if wearied else None
