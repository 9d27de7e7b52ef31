// One batch, choice by choice, by the rules of companion.papers.tsrsr.method: on the lesson's oven, or on draws of the prior.
"use strict";
{
// The width is BUCB's, delta = 0.01.
const F = companionFigures, N = 101, points = F.grid(N), [x] = points.x, WIDTH = Math.sqrt(2 * Math.log((N * Math.PI ** 2) / 0.06));
// companion.papers.tsrsr.page.picture.two_batches: the points known, f there, its noise over sigma, and every fifth value of the five
// posterior draws; what is between them is known to two thousandths.
const AT = [15, 35, 50, 65, 90], F_AT = [0.37160, -1.18848, -0.41670, 1.93801, 0.77494], Z_AT = [-0.80193, -1.32436, -0.24836, 0.42045, 1.13605];
const OVEN = [
  [0.342, 0.272, 0.288, 0.323, 0.096, -0.479, -1.107, -1.471, -1.508, -1.23, -0.583, 0.357, 1.329, 2.124, 2.62, 2.672, 2.212, 1.429, 0.696, 0.26, 0.024],
  [0.668, 0.394, 0.392, 0.294, -0.116, -0.681, -1.128, -1.302, -1.163, -0.788, -0.269, 0.401, 1.192, 1.887, 2.198, 2.029, 1.582, 1.185, 1.002, 0.94, 0.839],
  [0.947, 0.723, 0.593, 0.505, 0.228, -0.267, -0.842, -1.385, -1.665, -1.358, -0.469, 0.587, 1.459, 2.076, 2.386, 2.288, 1.859, 1.321, 0.798, 0.29, -0.199],
  [1.081, 1.425, 1.014, 0.058, -0.88, -1.351, -1.395, -1.364, -1.331, -1.064, -0.52, 0.142, 0.933, 1.852, 2.507, 2.473, 1.891, 1.284, 0.974, 0.95, 1.038],
  [0.884, 1.077, 0.909, 0.382, -0.233, -0.73, -1.094, -1.32, -1.293, -0.926, -0.292, 0.46, 1.253, 2.041, 2.667, 2.882, 2.544, 1.78, 0.942, 0.401, 0.273],
];
const between = () => {
  const k = F.kernel("se", 0.12);
  return OVEN.map((values) => {
    const g = F.posterior(points, k, 1e-6);
    values.forEach((v, i) => g.observe(5 * i, v));
    return g.mean;
  });
};
let oven;

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
  const z = F.generator(s.seed), values = s.seed ? prior(F.generator(s.seed, "function")) : [];
  const data = s.seed ? z.choose(N, 5).map((a) => [a, values[a] + s.noise * z.normal()]) : AT.map((a, i) => [a, F_AT[i] + s.noise * Z_AT[i]]);
  data.forEach((d) => g.observe(...d));
  // The oven's draws are those of the page where the model is the page's, too.
  const kept = !s.seed && s.noise === 0.1 && s.scale === 0.12 ? (oven ??= between()) : [];
  const next = (i, j, own = F.generator(s.seed, `${i}${j}`)) => (!j && kept[i]) || g.pathwise(prior(own), own.normals(5));
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
  F.range("step", "Choice", 1, (s) => s.m, 1, 1, { clears: ["shift"] }),
  F.range("shift", "Sampled maximum, moved by", -4, 4, 0.05, 0, { grip: true }),
  F.menu("rule", "Rule", { tsrsr: "TS-RSR", ts: "TS", bucb: "BUCB" }),
  F.range("m", "Batch size m", 1, 7, 1, 5),
  F.steps("noise", "Noise", [0.02, 0.05, 0.1, 0.2, 0.5, 1], 0.1),
  F.steps("scale", "Length-scale", [0.04, 0.08, 0.12, 0.2, 0.4], 0.12),
  F.menu("again", "Resampling", { on: "on", off: "off" }, { when: (s) => s.rule === "tsrsr" }),
  F.seed(0),
], compute, draw, sampled });
}
