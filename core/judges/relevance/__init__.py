"""The judge of relevance: does an answer address its question?"""
