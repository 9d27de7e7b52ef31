"""What may be set in chapter 6, its runs, and which of them are stored."""
