r"""Which method? All rules on 36 functions, each at several widths or scales; and what a wrong model does to them.

What follows was fixed, and committed with the code of runs and analysis, before any run that is stored. Known then were trials
of the code on the function draw-matern15-2d at noise 0.1.

Runs
    The functions of :mod:`.functions`, 400 candidates each. Noise of 0.03, 0.1 and 0.3 times the range of f, and known to the
    model, as is the kernel. 100 plays, of which the first 10 are random candidates, the same for all rules at a seed, as is the
    noise of every play; BPE, which designs its batches, has none. One point a round, 5, or 10. 50 seeds. All rules of
    :mod:`.rules` at all their settings: widths 0.5, 1, 2, 3 of the upper-confidence rules, and for GP-UCB the shortest width
    that is proved here for draws; scales 0.5, 1, 2 of the rules that draw.

Measures
    Regrets in units of the gap between the best candidate and the average one: playing at random has one. *Every play counts*:
    the mean regret of the 100 plays. *The best point counts*: the regret of the candidate with the largest posterior mean given
    all observations, the same recommendation for every rule, after 30, 50 and 100 plays, and after ten rounds of feedback.
    *Solved*: runs in which that regret is at most 5 % ("near") or 1 % ("found") of the gap, after every tenth play. Plays that
    were evaluated, which are fewer for compressed UCB. Processor seconds of a run, of all seeds at once.

Analysis
    The functions are the sample. A number of an entry on a function is the mean over seeds, and over the three noises unless
    one is named. A rule is judged at its best setting: for each function the one that is best on average on the *other*
    functions, by the same measure, batch and noises, so that no function decides about the setting it is judged by. Ranks
    within each function, averaged, with t intervals over functions; all pairs by paired t-tests over functions, Holm for all
    pairs of a ranking. With one point a round eight rules take part (BPE with its own batches), with batches of 5 and of 10 six
    each. A rule is called best if its mean is lowest; those that are not shown to be worse are named with it.

Wrong model
    The same runs for batch 1 and noise 0.1 on norms and draws, where the true kernel is known: the model's length-scale, or its
    noise standard deviation, is half or twice the true one, or the kernel is a smoother or a rougher one (SE for Matérn, Matérn
    1/2). GP-UCB with widths 1, 2, 3 and the proved one, Thompson sampling and TS-RSR at scale 1, both EIs. The loss of an error
    is the regret with the wrong model minus that with the right one at the same seeds, functions as the sample, Holm for all of
    a measure.
"""
