r"""Section 6 and Appendix C: runs a method; length-scales of Tables 6 and 7.

Printed: Ten runs for every method, fifty on GP-RBF-prior-3D; length-scale $\ln2$ on Hartmann-6D and
Robot-3D.

Wrong: By the published plotting scripts (commit a5cc6f7), 14 of 84 cells average two or three times
as many runs: six of TS-RSR and eight of five other methods. The code's length-scales there are 0.2
and $(1,1,0.1)$.

Repair: Give the number of runs with every cell, or as many to all methods, and the code's
length-scales. The printed means are means of runs all the same, and their order is not affected;
how precise they are is.
"""

# Runs in the text, runs in the scripts, and the methods besides TS-RSR that have these.
runs = {
    "GP-RBF-prior-3D": (50, 150, ["TS"]),
    "Ackley-2D": (10, 30, ["DPPTS", "BUCB"]),
    "Hartmann-6D": (10, 20, ["qEI"]),
    "Michalewicz-10D": (10, 20, ["SP", "qEI"]),
    "Boston-NN-4D": (10, 20, ["BUCB"]),
    "Robot-4D": (10, 20, ["BUCB"]),
}
factors = [b / a for a, b, others in runs.values() for _ in ["TS-RSR", *others]]
print(f"printed: {len(factors)} cells with 1 time the stated runs")
print(f"repaired: {min(factors):g} to {max(factors):g} times, {len(runs)} are TS-RSR's")
assert min(factors) > 1
