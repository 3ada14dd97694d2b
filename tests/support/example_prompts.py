"""A prompt of each kind, for tests of what answers them."""

from core.base.types import Hit
from core.bot.answer.answer import Answering
from core.bot.rewrite.rewrite import Rewrite
from tests.base.test_prompts import CONVERSATION, PASSAGE, PROMPTS

ANSWER = Answering(question="期限は?", passages=(Hit(passage=PASSAGE, score=1),), conversation=CONVERSATION)
REWRITE = Rewrite(conversation=CONVERSATION)
NEXT, JUDGE = PROMPTS[3][0], PROMPTS[4][0]
__all__ = ["ANSWER", "CONVERSATION", "JUDGE", "NEXT", "PROMPTS", "REWRITE"]
