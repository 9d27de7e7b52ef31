"""The run that the chapter shows as code to copy."""

from companion.papers.batched.method.sizes import power_sizes
from companion.papers.batched.page import example


def test_the_run_has_the_batches_of_the_rule_and_never_more_survivors():
    rows = example.copied_run(3)
    assert tuple(rows["size"]) == power_sizes(500, 0.6)
    assert (rows.survivors.diff().dropna() <= 0).all()
    assert (rows.regret >= 0).all()
