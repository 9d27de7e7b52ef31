// One batch, choice by choice, by the rules of companion.papers.tsrsr.method.
"use strict";
{
// The width is BUCB's, delta = 0.01.
const F = companionFigures, N = 101, points = F.grid(N), [x] = points.x, WIDTH = Math.sqrt(2 * Math.log((N * Math.PI ** 2) / 0.06));

// next(i, j): the j-th try of a posterior draw for choice i.
const sampled = (mean, { m, rule, again }, next) => F.listed(m, (i) => {
  let f, j = 0;
  do f = next(i, j++); while (rule === "tsrsr" && again === "on" && F.top(f) <= F.top(mean));
  return f;
});
// The maximum of the choice shown may be moved; while draws below the largest mean are drawn again, it stays above it.
const moved = (f, mean, { rule, again, shift }) => {
  const by = again === "on" ? Math.max(shift, F.top(mean) - F.top(f) + 1e-3) : shift;
  return shift && rule === "tsrsr" ? f.map((v) => v + by) : f;
};
const choose = (g, s, draws, first = g.sd()) => draws.map((drawn, n) => {
  const { rule } = s, f = n === s.step - 1 ? moved(drawn, g.mean, s) : drawn;
  const sd = g.sd(), max = F.top(f), score = sd.map((v, i) => (rule === "bucb" ? g.mean[i] + WIDTH * v : (max - g.mean[i]) / v));
  const pick = rule === "ts" ? f.indexOf(max) : F.argmax(rule === "bucb" ? score : score.map((v) => -v));
  g.condition(pick);
  return { f, max, sd, pick, score, rho: F.top(g.sd().map((v, i) => first[i] / v)) };
});
const compute = (s) => {
  const k = F.kernel("se", s.scale), g = F.posterior(points, k, s.noise ** 2), prior = F.gpSampler(points, k);
  const z = F.generator(s.seed), values = F.running(points, k, s.seed);
  const data = z.choose(N, 5).map((a) => [a, values[a] + s.noise * z.normal()]);
  data.forEach((d) => g.observe(...d));
  const next = (i, j, own = F.generator(s.seed, `${i}${j}`)) => g.pathwise(prior(own), own.normals(5));
  return { data, mean: g.mean, all: choose(g, s, sampled(g.mean, s, next)) };
};
const draw = ({ data, mean, all }, { step, rule, m, shift }, hosts) => {
  const { max, f, sd, pick, score } = all[step - 1], now = `k${step - 1}`, ucb = rule === "bucb", what = ucb ? "upper bound" : "ratio";
  const chart = (i, xlabel, ...x) => F.chart(hosts[i], xlabel, x, i ? "posterior mean" : "f", [-3, 3.5], { height: 220 });
  const c = chart(0, "x", 0, 1), wide = 1.1 * F.top(all[0].sd), d = chart(1, "posterior standard deviation", 0, wide);
  c.band(x, mean, sd, 2, "muted").line(x, mean, "ink");
  data.forEach(([a, y]) => c.point(x[a], y, "ink", 3, "hollow"));
  if (!ucb) {
    if (!shift) c.line(x, f, now, "2 3");
    c.level(max, "", now);
  }
  // Every candidate is a place here. A line of slope -w meets those of one upper bound.
  d.line(sd, mean, "muted");
  all.slice(0, step).forEach((r, i) => {
    c.point(x[r.pick], mean[r.pick], `k${i}`, 4).text(x[r.pick], 3.5, i + 1, `k${i}`, "middle", 12 * i + 8);
  });
  if (rule !== "ts") {
    const w = ucb ? WIDTH : score[pick];
    d.line([0, wide], [0, wide].map((v) => mean[pick] + w * (sd[pick] - v)), now, "6 4");
    if (!ucb) d.grip(["shift"], 0, max, (_, y) => ({ shift: shift + y - max }));
  }
  c.show("The band, narrow at data and choices.");
  d.point(sd[pick], mean[pick], now, 5).show("Mean over standard deviation, a place for each x.");
  const chosen = all.map((r) => x[r.pick]), closest = Math.min(...chosen.flatMap((a, i) => chosen.slice(0, i).map((b) => Math.abs(a - b))));
  return {
    says: `Choice ${step} of ${m}: x = ${F.number(x[pick])}, ${what} ${F.number(score[pick])}.`,
    live: { closest: m > 1 ? closest : "–", x: x[pick], ratio: score[pick], places: new Set(chosen).size, rho: all.at(-1).rho },
    table: { caption: "The batch", head: ["choice", "x", what, "sd shrunk by"], rows: all.map((r, i) => [i + 1, x[r.pick], r.score[r.pick], r.rho]) },
  };
};
F.define("batch", { pictures: 2, play: ["step", 1200], count: [
  { words: "the batch repeats a point", holds: ({ all }) => new Set(all.map((r) => r.pick)).size < all.length },
], controls: [
  F.range("step", "Choice", 1, (s) => s.m, 1, 3, { clears: ["shift"] }),
  F.range("shift", "Sampled maximum, moved by", -4, 4, 0.05, 0, { grip: true }),
  F.menu("rule", "Rule", { tsrsr: "TS-RSR", ts: "TS", bucb: "BUCB" }),
  F.range("m", "Batch size m", 1, 7, 1, 5),
  F.steps("noise", "Noise", [0.02, 0.05, 0.1, 0.2, 0.5, 1], 0.1),
  F.steps("scale", "Length-scale", [0.04, 0.08, 0.12, 0.2, 0.4], 0.12),
  F.menu("again", "Resampling", { on: "on", off: "off" }, { when: (s) => s.rule === "tsrsr" }),
  F.seed(48),
], compute, draw, sampled });
}
