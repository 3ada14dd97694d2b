"""From passages to those that fit a query: BM25, vectors, Chroma."""
