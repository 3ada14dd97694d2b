"""The documents of a bot: its files, their headings and passages, and the example questions stored with them."""
