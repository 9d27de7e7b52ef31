"""Chapter 2: regret against model size, by information thresholding.

Source: Bedi, Peddireddy, Aggarwal, Sadler and Koppel, "Regret and Belief Complexity Trade-off in Gaussian Process Bandits
via Information Thresholding". References to statements and equations in this subpackage are to that paper.
"""

NUMBER = 2
"""Of the chapter about this paper."""
