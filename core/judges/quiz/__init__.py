"""The quiz judges: an answer graded CORRECT or INCORRECT, by facts only."""
