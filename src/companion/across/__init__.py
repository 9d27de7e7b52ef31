"""What sets the papers side by side: their bounds at common settings, and how sure the order of their methods is."""
