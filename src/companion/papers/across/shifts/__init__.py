"""Does robustness pay? Gain against shift over radius, on the problems of chapter 5 and on the grids of chapter 6."""
