"""What the page of answers says, with {names} for what the script of the page looks up: an answer and its evidence for each case."""

from __future__ import annotations

from typing import Any

_NEAREST = "{kernel}, d = {flat}, noise {h}, {points} candidates, points a round {b}, δ = 0.1{norm}"
_WIDTH = "The longer the width, the surer the promise; what it costs in regret was measured: {played}"
_STOP = "Nearest stored setting: {place}, {kernel}, noise {q}, ε = {e}, δ = 0.1"
_MODEL = "This is the {measure} of {stand}, one point a round, noise 0.1 of the range."

WORDS: dict[str, Any] = {
    "titles": {
        "rule": "Rule",
        "width": "Width",
        "horizon": "A bound is informative",
        "stop": "Stop",
        "doubt": "If the model is wrong",
    },
    "link": {
        "rule": "All rules",
        "width": "All widths",
        "horizon": "All bounds",
        "stop": "All stopping rules",
        "doubt": "All errors",
    },
    "measures": {
        "cumulative": "mean regret of 100 plays",
        "early": "regret of the recommended point after 30 plays",
        "half": "regret of the recommended point after 50 plays",
        "final": "regret of the recommended point after 100 plays",
        "rounds": "regret of the recommended point after ten rounds",
    },
    "kinds": {"draw": "draws", "norm": "functions of known norm", "test": "test functions"},
    "rule": {
        "some": [
            "{rule}",
            "Its {measure}, where a candidate at random has 1, is {mean}, over {all} functions with {seeds} seeds each. Not shown to be "
            "worse: {others}. On the {count} {kind} alone {own}, on the {like} functions with d = {dim} {there}. After {T} plays "
            "{near} of runs are within 5 % of the gap.",
        ],
        "alone": [
            "{rule}",
            "Its {measure}, where a candidate at random has 1, is {mean}, over {all} functions with {seeds} seeds each. All others are "
            "shown to be worse. On the {count} {kind} alone {own}, on the {like} functions with d = {dim} {there}. After {T} plays "
            "{near} of runs are within 5 % of the gap.",
        ],
    },
    "played": [
        "GP-UCB has {usual} with width 2 and {proved} with the one proved for draws, which adds {more} ({measure}).",
        "B-UCB has {usual} with width 2; no proved width was played in batches ({measure}).",
    ],
    "width": {
        "draw": [
            "{w} standard deviations",
            "√(2 log(2NT/δ)), Lemma 6 of TS-RSR, is the shortest proved here for draws. It covered f throughout in {0} of runs, 1.96 in "
            f"{{1}}, BoTorch’s 0.447 in {{2}}. {_WIDTH}",
        ],
        "norm": [
            "at most {w} standard deviations",
            "√(Ψ² + 2(I + log(1/δ))), with I the gain of your own points. Here I is the largest gain of {after} points, {gain} nats at "
            "the nearest stored setting: {kernel}, d = {g}, noise {v}. It covered f throughout in {0} of runs, 1.96 in {1}, BoTorch’s "
            f"0.447 in {{2}}. {_WIDTH}",
        ],
        "none": ["none is proved", "Widths are proved for draws, or where the norm is known. {played}"],
    },
    "horizon": {
        "none": ["at no horizon", "Bounds speak of draws, or of functions of known norm."],
        "never": ["at no horizon up to a million", f"Nearest stored setting: {_NEAREST}."],
        "later": [
            "from T = {from} on",
            f"That is {{whose}}’s, {{reading}}; with {{T}} evaluations no bound says anything. Nearest stored setting: {_NEAREST}.",
        ],
        "now": [
            "from T = {from} on",
            f"That is {{whose}}’s, {{reading}}; with {{T}} evaluations it says something. Nearest stored setting: {_NEAREST}.",
        ],
    },
    "stop": {
        "draw": [
            "by {by}, at ε = {limit} and δ = {delta}",
            f"Measured: {{first}}; 10 % would be allowed. Others: {{rest}}. Your budget is {{T}}. {_STOP}.",
        ],
        "norm": [
            "by {by}, at ε = {limit} and δ = {delta}",
            f"Measured: {{first}}; 10 % would be allowed. Others: {{rest}}. Your budget is {{T}}. {_STOP}, norm 3.",
        ],
        "none": ["when the budget is spent", f"No rule keeps a promise without prior or norm. On draws: {{rest}}. {_STOP}."],
    },
    "places": {"line": "50 points of a line", "square": "225 points of a square"},
    "errors": {
        "lengthscale/2": "a length-scale half as long",
        "lengthscale*2": "a length-scale twice as long",
        "noise/2": "half the noise",
        "noise*2": "twice the noise",
        "smoother": "a smoother kernel",
        "rougher": "a rougher kernel",
    },
    "shown": {
        "0": "is not shown to change the regret:",
        "1": "raises the regret by",
        "-1": "lowers the regret, changing it by",
    },
    "doubt": {
        "right": ["you trust it", "Choose an error above to see what it costs."],
        "regret": ["{costs}", f"{_MODEL} No stopping rule was run with this error."],
        "both": [
            "{costs}",
            f"{_MODEL} Stopping by {{by}} breaks its promise of 10 % with {{breaks}}: 50 points of a line, {{shape}}, noise 0.1, ε = {{e}}.",
        ],
    },
    "head": ["rule, at its best setting", "mean", "from", "to", ""],
    "worse": "shown to be worse",
    "axis": "% of runs within 5 % of the gap",
    "picture": "Runs near the best candidate over plays: rising, with the rule named; dotted, with random plays. A line at your budget.",
}
