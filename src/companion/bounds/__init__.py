"""Confidence widths and regret bounds, computed without looking at any policy."""
