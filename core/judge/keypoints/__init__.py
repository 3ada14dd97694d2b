"""The keypoints judge: which points of a whole answer are covered, contradicted, or neither."""
