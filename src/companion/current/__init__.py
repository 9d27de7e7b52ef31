"""Is what is stored still what the code gives? Fingerprints say what may have moved; only a comparison says what has."""
