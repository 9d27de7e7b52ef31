"""What chapter 6 computes for its page."""
