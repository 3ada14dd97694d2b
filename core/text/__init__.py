"""Rules of language (Japanese, English, Chinese), shared by the bot, the simulated user and the judges."""
