"""How the turns of runs, chats and files of answers are judged."""
