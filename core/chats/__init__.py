"""Chats of people with a bot: the replies, and the judge's verdict on a turn."""
