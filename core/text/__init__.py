"""What is known about language (Japanese, English, Chinese), read by the bot, the simulated user and the judges."""
