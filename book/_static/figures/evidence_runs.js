// How many runs show which of two methods is better: stored results drawn again, as in companion.papers.across.page.repeat_runs.
"use strict";
{
const F = companionFigures, MOST = 200, DRAWS = 1000, ENOUGH = 0.9;
const problems = F.record("runs")?.data.problems ?? [];
// The better by rank, and the one that lies so many ranks below it.
const pair = (s) => {
  const { methods } = problems[s.problem], i = Math.min(s.first, methods.length - 1) - 1;
  return [methods[i], methods[Math.min(i + s.below, methods.length - 1)]];
};
// For 1, 2, ... runs, the share of draws in which the first mean is the smaller: with common seeds, and with seeds of their own,
// which for the second method are those of the draw before.
const shares = (a, b, draws, most, integer) => {
  const count = Math.min(a.length, b.length), found = [0, 1].map(() => new Float64Array(most)), before = F.listed(most, () => integer(count));
  for (let draw = 0; draw < draws; draw++) for (let n = 0, together = 0, apart = 0; n < most; n++) {
    const i = integer(count);
    together += a[i] - b[i];
    apart += a[i] - b[before[n]];
    before[n] = i;
    if (together < 0) found[0][n] += 1 / draws;
    if (apart < 0) found[1][n] += 1 / draws;
  }
  return found;
};
const compute = (s) => {
  const two = pair(s), [together, apart] = shares(two[0][1], two[1][1], DRAWS, MOST, F.generator(0, "runs").integer);
  const [a, b] = two.map(([, all]) => F.sum(all) / all.length);
  return { problem: problems[s.problem], two, together, apart, turned: a > b, enough: together.findLastIndex((p) => p < ENOUGH - 1e-9) + 2 };
};
const draw = ({ problem, two: [[one], [other]], together, apart, enough, turned }, s, [host]) => {
  const all = together.map((_, i) => i + 1), share = (p) => `${F.number(100 * p, 2)} %`;
  const c = F.chart(host, "runs of each method", [1, MOST], "probability of the order", [0, 1], { xlog: 1 });
  c.level(ENOUGH).line(all, apart, "k1", "6 4").line(all, together, "k0").point(s.n, together[s.n - 1], "k0", 5);
  c.text(1.1, 0.06, "solid: common seeds; dashed: their own");
  c.show("The probability over the number of runs.");
  return {
    says: `${problem.title}: with ${s.n} run${s.n > 1 ? "s" : ""} each, ${one} is ahead of ${other} with probability ${share(together[s.n - 1])}, or ${share(apart[s.n - 1])} `
    + `with seeds of their own. ${enough > MOST ? `No number up to ${MOST} is enough for 90 %`
      : `For 90 % it takes about ${F.number(enough, 2)}`}${turned ? `: over all our runs ${other} is ahead` : ""}.`,
    values: [["Order asked for", `that of ${problem.printed ? "the printed" : "our"} means`, true]],
  };
};
F.define("runs", { compute, draw, shares, controls: [
  F.menu("problem", "Problem", Object.fromEntries(problems.map((p, i) => [i, p.title]))),
  F.range("first", "Method", 1, (s) => problems[s.problem].methods.length - 1, 1, 1, { show: (_, s) => pair(s)[0][0] }),
  F.range("below", "ahead of", 1, (s) => problems[s.problem].methods.length - s.first, 1, 1, { show: (_, s) => pair(s)[1][0] }),
  F.steps("n", "Runs of each", [1, 2, 3, 5, 10, 15, 20, 30, 50, 100, 200], 10),
] });
}
