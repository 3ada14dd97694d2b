"""What is known about language (Japanese, English, Chinese): the bot, the simulated user and the judges all read text with it."""
