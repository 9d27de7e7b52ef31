"""What the papers printed, judged by our runs: tables, intervals, verdicts, claims, and the evidence on statements."""
