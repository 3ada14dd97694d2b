"""A prompt of each kind, for tests of what answers them."""

from core.base.types import Hit
from core.bot.answer.answer import Answering
from core.bot.rewrite.rewrite import Rewrite
from tests.test_prompts import PASSAGE, PROMPTS, TALK

ANSWER = Answering(question="期限は?", passages=(Hit(passage=PASSAGE, score=1),), conversation=TALK)
REWRITE = Rewrite(conversation=TALK)
NEXT, JUDGE = PROMPTS[3][0], PROMPTS[4][0]
__all__ = ["ANSWER", "JUDGE", "NEXT", "PROMPTS", "REWRITE", "TALK"]
