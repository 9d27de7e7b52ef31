"""What the chapter computes and draws: a study is a result table with the numbers of its sentences, a figure draws one."""
