"""What chapter 6 computes and draws."""
