"""What chapter 6 states itself, checked."""
