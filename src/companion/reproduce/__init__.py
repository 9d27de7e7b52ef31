"""From runs to evidence: intervals, comparisons with reported numbers, and the record behind each result."""
