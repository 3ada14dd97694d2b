"""Test sets: questions with answers, references and keypoints, from documents or straight from a bot's knowledge base."""
