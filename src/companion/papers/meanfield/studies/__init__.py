"""Studies behind the chapter: each computes one result table and has the numbers of its sentences and figures."""
