"""The retrieval judge: did the search bring the sentences that hold the answer, and how much else?"""
