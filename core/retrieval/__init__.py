"""From documents to the passages that fit a query: cutting, BM25, vectors, Chroma."""
