"""The retrieval judge (RAGEval): recall, effective information rate and precision of the passages."""
