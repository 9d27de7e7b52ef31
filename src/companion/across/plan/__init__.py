"""The runs of "which method?": common problems, everybody's rules on them, and which runs are stored."""
