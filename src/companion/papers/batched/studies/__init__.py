"""Studies behind the chapter: each computes one result table, prints its key numbers and has the numbers of its sentences."""
