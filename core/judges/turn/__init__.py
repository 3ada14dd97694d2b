"""The turn judge: six criteria for one turn of a bot."""
