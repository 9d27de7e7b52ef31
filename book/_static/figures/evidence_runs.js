// How many runs show which of two methods is better: stored results drawn again, as in companion.across.repeats.
(() => {
"use strict";
const F = window.companionFigures, MOST = 200, DRAWS = 1000, ENOUGH = 0.9;
const kept = document.getElementById("drag-runs-record"), problems = kept ? JSON.parse(kept.textContent).data.problems : [];
// The better by rank, and the one that lies so many ranks below it.
const pair = (s, all = problems) => {
  const { methods } = all[s.problem], i = Math.min(s.first, methods.length - 1) - 1;
  return [methods[i], methods[Math.min(i + s.below, methods.length - 1)]];
};
// For 1, 2, ... runs, the share of draws in which the first mean is the smaller: with common seeds, and with seeds of their own,
// which for the second method are those of the draw before.
const shares = (a, b, draws, most, integer) => {
  const count = Math.min(a.length, b.length), found = [0, 1].map(() => new Float64Array(most)), before = Array.from({ length: most }, () => integer(count));
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
const compute = (s, { data }) => {
  const two = pair(s, data.problems), [together, apart] = shares(two[0][1], two[1][1], DRAWS, MOST, F.generator(0, "runs").integer);
  const [a, b] = two.map(([, all]) => all.reduce((sum, v) => sum + v, 0) / all.length);
  return { problem: data.problems[s.problem], two, together, apart, turned: a > b, enough: together.findLastIndex((p) => p < ENOUGH - 1e-9) + 2 };
};
const draw = ({ problem, two: [[one], [other]], together, apart, enough, turned }, s, [host]) => {
  const all = together.map((_, i) => i + 1), ticks = [1, 10, 100].map((n) => [n, `${n}`]), share = (p) => `${F.number(100 * p, 2)} %`;
  const c = F.chart(host, { x: [1, MOST], y: [0, 1], xlog: 1, xticks: ticks, xlabel: "runs of each method", ylabel: "probability of the order" });
  c.level(ENOUGH).line(all, apart, "k1", "6 4").line(all, together, "k0").points([s.n], [together[s.n - 1]], "k0", { r: 5 });
  c.text(1.1, 0.14, "solid: common seeds").text(1.1, 0.06, "dashed: seeds of their own");
  const says = `${problem.title}: with ${s.n} run${s.n > 1 ? "s" : ""} each, ${one} is ahead of ${other} with probability ${share(together[s.n - 1])}, or ${share(apart[s.n - 1])} `
    + `with seeds of their own. ${enough > MOST ? `No number up to ${MOST} is enough for 90 %` : `For 90 % it takes about ${F.number(enough, 2)}`}${turned ? `: over all our runs ${other} is ahead` : ""}.`;
  c.show(says);
  return { says, values: [["Order asked for", `that of ${problem.printed ? "the printed" : "our"} means`, "record"]] };
};
F.define("runs", { title: "how many runs would you need?", compute, draw, shares, controls: [
  { name: "problem", label: "Problem", options: Object.fromEntries(problems.map((p, i) => [i, p.title])), value: "0" },
  { name: "first", label: "Method", min: 1, max: (s) => problems[s.problem].methods.length - 1, step: 1, value: 1, show: (_, s) => pair(s)[0][0] },
  { name: "below", label: "ahead of", min: 1, max: (s) => problems[s.problem].methods.length - s.first, step: 1, value: 1, show: (_, s) => pair(s)[1][0] },
  { name: "n", label: "Runs of each", values: [1, 2, 3, 5, 10, 15, 20, 30, 50, 100, 200], value: 10 },
] });
})();
