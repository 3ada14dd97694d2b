"""Simulated users: personas, scenarios, and what the user says next."""
