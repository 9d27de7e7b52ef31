"""When may I stop? Stopping rules on common runs: which promises are kept, at what price, and which break.

Fixed before the runs. Known then were a few blocks at seed 99, of 8 to 200 functions, made to see that the code works and how
long it takes; they led to fewer settings, evaluations and draws than were first meant.

- Runs: GP-UCB of width 2 plays, one evaluation at a time, and all rules watch the same run. Each notes when it stops first, and
  what the point that it recommends then loses in truth. A long width waits long for evaluations that a short one does not make.
  So at noise 0.1, on the line and on arms, GP-UCB plays once more with the theorem's width: Srinivas et al.'s for draws, the
  one with one root for a norm.
- Functions: draws of the prior, and expansions over five random points scaled to norm 3; kernels SE, Matern 3/2 and 5/2 with
  length-scale 0.2 on a line of 50 points (200 evaluations, noise of standard deviation 0.1 and 0.3) and on a square of 15 by 15
  (100 evaluations, noise 0.1); 50 independent arms (300 evaluations, noise 0.03, 0.1, 0.3). Epsilon 0.1 and 0.3, delta 0.1.
- Seeds: 0 to 9, each a block of 200 runs: 2,000 runs a setting. Functions and noise are common to all models of a setting.
- Rules: all proved ones of :data:`companion.policies.stopping_certificate.RULES` that may apply, but Srinivas et al.'s for a
  norm, whose noise is bounded. Chowdhury and Gopalan's, with its second posterior, runs with the right model on line and
  arms alone. The rule by sampling takes 1,000 draws a look and looks after each of the first 20 evaluations, then after every
  tenth. Each proved width also divided by 2 and by 4, and the union bound with 3 and 8 times delta (10 times would be a
  probability of one). The widths 1.96, 2.576, 1.414 and 0.447, and what libraries ship, see
  :data:`companion.policies.stopping.SHIPPED`; the point of a rule that names none is that of largest posterior mean.
- Oracle: the first evaluation from which on, to the end of the run, the point of largest mean loses at most epsilon.
- The wrong model, at noise 0.1, on the line with SE and on arms: length-scale, noise and, where it is known, norm divided by 2 or
  doubled, each alone, in the model that plays and judges. Arms have no length-scale.
- Metrics: share of all runs that stop with a point that loses more than epsilon, the promise, with its exact interval of level
  95 %; share that stops; median and 90 % quantile of the evaluations, where runs that do not stop count as infinite.
- Analysis: a promise is broken where the whole interval lies above delta. It is to be kept by every proved rule under its own
  assumption with the right model. That a shortened rule breaks it has to be seen in some setting, for each way of shortening.
"""
