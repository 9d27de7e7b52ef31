"""Studies behind the chapter: each computes or loads what figures, tables and sentences show."""
