"""The rules that are compared, and the widths that libraries take by default."""
