"""Rules of the embedded engine that several judges share.

What a claim, a figure or a yes belongs to, and whether a text is coherent. What each family is worth: docs/judges.md,
"Rules of the embedded judges" (measured by benchmarks/ablation.py: each family switched off alone).
"""
