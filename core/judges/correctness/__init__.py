"""The correctness judge: does an answer say what the reference says?"""
