"""The judge of simulated users: is a turn of theirs fit to test a bot with?"""
