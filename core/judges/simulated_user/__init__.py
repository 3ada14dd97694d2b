"""The judge of simulated users: is their turn fit to test a bot?"""
