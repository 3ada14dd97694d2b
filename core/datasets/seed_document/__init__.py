"""A whole test set modelled on one seed document: schema, configurations, documents, questions, keypoints, ratings."""
