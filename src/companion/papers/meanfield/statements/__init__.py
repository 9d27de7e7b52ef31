"""The paper's claims, with their checks and their teeth.

It numbers only Assumption 3.1, Theorem 4.1, Algorithm 1, Eq. (1) and Table 1; the other ids are the companion's.
"""
