"""One turn of the bot: clarify, else rewrite, retrieve and answer."""
