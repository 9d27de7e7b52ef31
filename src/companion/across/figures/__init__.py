"""What chapter 6 draws."""
