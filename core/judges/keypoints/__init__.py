"""The keypoints judge (RAGEval): which keypoints an answer covers, contradicts, or leaves out."""
