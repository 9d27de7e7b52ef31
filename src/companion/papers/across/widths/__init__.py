"""Which width: every schedule in one convention, what libraries take by default, whether each covers, and what it costs.

A width is what multiplies the posterior standard deviation. :mod:`.schedules` evaluates all of them over T at common settings,
:mod:`.defaults` asks libraries for theirs, :mod:`.grid_runs` and :mod:`.arms` run them, :mod:`.coverage` judges the runs, and
:mod:`.stored` keeps the tables. :mod:`.misspecified` repeats the runs with a wrong model.
"""
