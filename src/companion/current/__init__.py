"""Is what is stored still what the code gives? Fingerprints say what may have moved, comparisons what has."""
