"""Studies behind the chapter: each computes one result table, prints its key numbers and says what they show."""
