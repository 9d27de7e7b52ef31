// One batch, choice by choice, by the rules of companion.papers.tsrsr.method.
(() => {
"use strict";
const F = window.companionFigures, N = 201, points = F.grid(N), [x] = points.x, WIDTH = Math.sqrt(2 * Math.log((N * Math.PI ** 2) / 0.06)); // BUCB's, delta = 0.01
const top = (v) => Math.max(...v), say = (v) => F.number(v, 3);

// next(i, j): the j-th try of a posterior draw for choice i.
const sampled = (mean, { m, rule, again }, next) => [..."0123456"].slice(0, m).map((i) => {
  let f, j = 0;
  do f = next(i, j++); while (rule === "tsrsr" && again === "on" && top(f) <= top(mean));
  return f;
});
const choose = (g, rule, draws, first = g.sd()) => draws.map((f) => {
  const sd = g.sd(), max = top(f), score = sd.map((v, i) => (rule === "bucb" ? g.mean[i] + WIDTH * v : (max - g.mean[i]) / v));
  const pick = rule === "ts" ? f.indexOf(max) : F.argmax(rule === "bucb" ? score : score.map((v) => -v));
  g.condition(pick);
  return { f, max, sd, pick, score, rho: top(g.sd().map((v, i) => first[i] / v)) };
});
const compute = (s) => {
  const k = F.kernel("se", s.scale), g = F.posterior(points, k, s.noise ** 2), prior = F.gpSampler(points, k);
  const z = F.generator(s.seed), values = prior(z);
  const data = z.choose(N, 6).map((a) => [a, values[a] + s.noise * z.normal()]);
  data.forEach((d) => g.observe(...d));
  const next = (i, j, own = F.generator(s.seed, i + j)) => g.pathwise(prior(own), own.normals(6));
  return { data, mean: g.mean, all: choose(g, s.rule, sampled(g.mean, s, next)) };
};
const draw = ({ data, mean, all }, { step, rule, m }, hosts) => {
  const { max, f, sd, pick, score } = all[step - 1], now = `k${step - 1}`, least = Math.min(...score), span = 3 + 4 * Math.abs(least), what = rule === "bucb" ? "upper bound" : "ratio";
  const chart = (i, ylabel, ...y) => F.chart(hosts[i], { x: [0, 1], y, xlabel: "x", ylabel, height: 210 });
  const c = chart(0, "f", -3, 4), d = chart(1, what, least - 0.2 * span, least + span), says = `Choice ${step} of ${m}: x = ${say(x[pick])}, ${what} ${say(score[pick])}.`;
  c.band(x, ...[-2, 2].map((w) => mean.map((v, i) => v + w * sd[i])), "muted").line(x, mean, "ink");
  data.forEach(([a, y]) => c.points([x[a]], [y], "ink", { hollow: true }));
  if (rule !== "bucb") c.line(x, f, now, "2 3").level(max, now);
  all.slice(0, step).forEach((r, i) => {
    c.points([x[r.pick]], [mean[r.pick]], `k${i}`, { r: 4 }).label(x[r.pick], 4, i + 1, `k${i}`, "middle", 12 * i + 8);
    d.line(x, r.score, `k${i}`, r.f === f ? "" : "3 3");
  });
  c.show(`${says} The band is narrow at data and earlier choices.`);
  d.points([x[pick]], [score[pick]], now, { r: 5 }).show(`The ${what} over x, dashed for earlier choices.`);
  return { says, table: { caption: "The batch,", head: ["choice", "x", what, "ρ so far"],
    rows: all.map((r, i) => [i + 1, say(x[r.pick]), say(r.score[r.pick]), say(r.rho)]) } };
};
F.define("batch", { title: "one batch", pictures: 2, controls: [
  { name: "step", label: "Choice", min: 1, max: (s) => s.m, step: 1, value: 1 },
  { name: "rule", label: "Rule", options: { tsrsr: "TS-RSR", ts: "TS", bucb: "BUCB" }, value: "tsrsr" },
  { name: "m", label: "Batch size m", min: 1, max: 7, step: 1, value: 4 },
  { name: "noise", label: "Noise", values: [0.02, 0.05, 0.1, 0.2, 0.5, 1], value: 0.1 },
  { name: "scale", label: "Length-scale", values: [0.04, 0.08, 0.12, 0.2, 0.4], value: 0.12 },
  { name: "again", label: "Resampling", options: { on: "on", off: "off" }, value: "on", when: (s) => s.rule === "tsrsr" },
  { name: "seed", label: "Seed", min: 0, max: 99, step: 1, value: 10 },
], compute, draw, sampled, choose });
})();
