"""What a theorem promises: confidence widths and bounds, computed without looking at any policy."""
