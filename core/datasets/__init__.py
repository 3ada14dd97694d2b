"""Questions made from documents: test sets, questions of a log, example questions for search."""
