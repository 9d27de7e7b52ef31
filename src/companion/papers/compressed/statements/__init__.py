"""Every numbered statement of the paper, with its check and its teeth."""
