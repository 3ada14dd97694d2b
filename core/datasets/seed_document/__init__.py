"""A whole test set after one seed document: schema, configurations, documents, questions, keypoints, ratings."""
