"""Rules of the embedded engine that several judges share.

Claims checked against passages, figures and yes or no compared with them, measures of an answer. The effect of each
family: docs/judges.md, "Rules of the embedded judges" (measured by benchmarks/ablation.py: each family switched off
alone).
"""
