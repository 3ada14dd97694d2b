"""The kinds of messages besides requests (greetings, thanks, insults, distress, emergencies, attacks), and their replies."""
