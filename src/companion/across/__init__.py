"""What sets the papers side by side, chapter 6: widths and bounds at common settings, and how sure the order of methods is."""

NUMBER = 6
