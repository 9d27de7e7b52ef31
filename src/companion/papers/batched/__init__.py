"""Batched kernelized bandits: batch-size rules, regret bounds with every constant, and the lower-bound class.

Source: Ma, Chen and Scarlett, "Batched Kernelized Bandits: Refinements and Extensions" (2026, arXiv 2603.12627).
References to statements, equations and appendices in this subpackage are to that paper.
"""

NUMBER = 3
"""Of the chapter about this paper."""
