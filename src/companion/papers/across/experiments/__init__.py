"""Parameters of chapter 6, its runs, and the stored ones among them."""
