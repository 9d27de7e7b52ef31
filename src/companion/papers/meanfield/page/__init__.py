"""Computations and figures of the chapter: a study is a result table with the numbers of its sentences, a figure draws one."""
