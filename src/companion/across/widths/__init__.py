"""Which width: every schedule in one convention, what libraries take by default, whether each covers, and what it costs."""
