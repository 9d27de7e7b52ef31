"""Widths and bounds side by side: at one setting, at common settings, and beside the regret that was measured."""
