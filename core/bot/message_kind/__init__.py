"""What people say to a help desk that is no request: greetings, thanks, insults, distress, attacks."""
