"""An erratum in the form that the book asks for: what the tests of the command and of the page share."""

GOOD = '''r"""Section 1, (2).

Printed: $a\\le b$, by hand.

Wrong: It is not.

Repair: $a\\le2b$. The theorem is not affected.
"""

print("printed: 3 <= 2")
print("repaired: 3 <= 4")
assert 3 > 2
'''
