"""Numbers from scores: means, intervals, comparisons, causes of failures."""
