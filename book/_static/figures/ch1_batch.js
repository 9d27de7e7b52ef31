// One batch, choice by choice, by the rules of companion.papers.tsrsr.method.
"use strict";
{
// The width is BUCB's, delta = 0.01.
const F = companionFigures, N = 201, points = F.grid(N), [x] = points.x, WIDTH = Math.sqrt(2 * Math.log((N * Math.PI ** 2) / 0.06));

// next(i, j): the j-th try of a posterior draw for choice i.
const sampled = (mean, { m, rule, again }, next) => F.listed(m, (i) => {
  let f, j = 0;
  do f = next(i, j++); while (rule === "tsrsr" && again === "on" && F.top(f) <= F.top(mean));
  return f;
});
const choose = (g, rule, draws, first = g.sd()) => draws.map((f) => {
  const sd = g.sd(), max = F.top(f), score = sd.map((v, i) => (rule === "bucb" ? g.mean[i] + WIDTH * v : (max - g.mean[i]) / v));
  const pick = rule === "ts" ? f.indexOf(max) : F.argmax(rule === "bucb" ? score : score.map((v) => -v));
  g.condition(pick);
  return { f, max, sd, pick, score, rho: F.top(g.sd().map((v, i) => first[i] / v)) };
});
const compute = (s) => {
  const k = F.kernel("se", s.scale), g = F.posterior(points, k, s.noise ** 2), prior = F.gpSampler(points, k);
  const z = F.generator(s.seed), values = prior(z);
  const data = z.choose(N, 6).map((a) => [a, values[a] + s.noise * z.normal()]);
  data.forEach((d) => g.observe(...d));
  const next = (i, j, own = F.generator(s.seed, `${i}${j}`)) => g.pathwise(prior(own), own.normals(6));
  return { data, mean: g.mean, all: choose(g, s.rule, sampled(g.mean, s, next)) };
};
const draw = ({ data, mean, all }, { step, rule, m }, hosts) => {
  const { max, f, sd, pick, score } = all[step - 1], now = `k${step - 1}`, least = Math.min(...score),
    span = 3 + 4 * Math.abs(least), what = rule === "bucb" ? "upper bound" : "ratio";
  const chart = (i, ylabel, ...y) => F.chart(hosts[i], "x", [0, 1], ylabel, y, { height: 210 });
  const c = chart(0, "f", -3, 4), d = chart(1, what, least - 0.2 * span, least + span);
  c.band(x, mean, sd, 2, "muted").line(x, mean, "ink");
  data.forEach(([a, y]) => c.point(x[a], y, "ink", 3, "hollow"));
  if (rule !== "bucb") c.line(x, f, now, "2 3").level(max, "", now);
  all.slice(0, step).forEach((r, i) => {
    c.point(x[r.pick], mean[r.pick], `k${i}`, 4).text(x[r.pick], 4, i + 1, `k${i}`, "middle", 12 * i + 8);
    d.line(x, r.score, `k${i}`, r.f === f ? "" : "3 3");
  });
  c.show("The band, narrow at data and choices.");
  d.point(x[pick], score[pick], now, 5).show(`The ${what} over x, dashed for earlier ones.`);
  return {
    says: `Choice ${step} of ${m}: x = ${F.number(x[pick])}, ${what} ${F.number(score[pick])}.`,
    table: { caption: "The batch,", head: ["choice", "x", what, "ρ so far"], rows: all.map((r, i) => [i + 1, x[r.pick], r.score[r.pick], r.rho]) },
  };
};
F.define("batch", { pictures: 2, controls: [
  F.range("step", "Choice", 1, (s) => s.m, 1, 3),
  F.menu("rule", "Rule", { tsrsr: "TS-RSR", ts: "TS", bucb: "BUCB" }),
  F.range("m", "Batch size m", 1, 7, 1, 7),
  F.steps("noise", "Noise", [0.02, 0.05, 0.1, 0.2, 0.5, 1], 0.02),
  F.steps("scale", "Length-scale", [0.04, 0.08, 0.12, 0.2, 0.4], 0.12),
  F.menu("again", "Resampling", { on: "on", off: "off" }, { when: (s) => s.rule === "tsrsr" }),
  F.seed(10),
], compute, draw, sampled });
}
